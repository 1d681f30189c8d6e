"""The backward graph: its nodes and edges, and hooks on what it keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from lazygrad.autograd.callbacks import at_end_of_pass, register_hook
from lazygrad.autograd.gradient_function import GradientEdge, get_gradient_edge
from lazygrad.autograd.gradient_function import GradientFunction as Node
from lazygrad.autograd.saved_tensors_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from lazygrad.grad_mode import _mode
from lazygrad.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Count an in-place write that nobody saw: ``tensor._version`` grows, and gradients recorded so far that need the
    tensor are refused.
    """
    for one in (tensor,) if isinstance(tensor, Tensor) else tensor:
        one._storage.count_write()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[None]:
    """Gradients use the values they were recorded with, whatever is written in place within this context.

    Nothing is copied for it: a write makes a new value, and the graph has the old one. Outside the context `backward`
    raises PyTorch's error if a value that it needs was written to, except through ``.data``.
    """
    outer, _mode.spares_gradients = _mode.spares_gradients, True
    try:
        yield
    finally:
        _mode.spares_gradients = outer


class register_multi_grad_hook:
    """Call a hook when the gradients of several tensors are there. The result removes it, as a handle does.

    Args:
        tensors: tensors that require gradients.
        fn: for ``"all"``, gets a list of their gradients at the end of each backward pass that reaches one of them,
            None for those it does not reach; for ``"any"``, the first gradient of each pass.
        mode: ``"all"`` or ``"any"``.

    Raises:
        ValueError: another mode.
        RuntimeError: a tensor that requires no gradient.
    """

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[[Any], None], *, mode: str = "all") -> None:
        if mode not in ("all", "any"):
            raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
        self._fn, self._mode = fn, mode
        self._arrived: list[Tensor | None] = [None] * len(tensors)
        self._handles = [register_hook(tensor, self._hook(i)) for i, tensor in enumerate(tensors)]

    def _hook(self, position: int) -> Callable[[Tensor], None]:
        def hook(gradient: Tensor) -> None:
            if all(other is None for other in self._arrived):
                at_end_of_pass(self._finish)
                if self._mode == "any":
                    self._fn(gradient)
            self._arrived[position] = gradient

        return hook

    def _finish(self) -> None:
        arrived, self._arrived = self._arrived, [None] * len(self._arrived)
        if self._mode == "all":
            self._fn(arrived)

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
