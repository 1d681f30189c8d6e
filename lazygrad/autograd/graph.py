"""The backward graph: its nodes and edges, and hooks on what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lazygrad.autograd.gradient_function import GradientEdge, get_gradient_edge
from lazygrad.autograd.gradient_function import GradientFunction as Node
from lazygrad.autograd.saved import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from lazygrad.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "save_on_cpu",
    "saved_tensors_hooks",
]


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Count an in-place write that nobody saw, in ``tensor._version``; gradients here never depend on it."""
    for one in (tensor,) if isinstance(tensor, Tensor) else tensor:
        one._storage.version += 1


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[None]:
    """Changes nothing: a write makes a new value, and a gradient uses the value it was recorded with."""
    yield
