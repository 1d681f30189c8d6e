"""``torch.utils._python_dispatch``: names that libraries import. There are no dispatch modes.

PyTorch's dispatcher calls one operator of ATen after another, those of the backward pass included, and a mode stands
between. Here a call records a node of an operation of our own, gradients are formulas that a pass over the graph writes
down, and several operations are computed as one. A mode would see neither; one that saw the public functions alone
would count the forward pass and be silent about the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from lazygrad.left_out import stand_in

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass"]

_INSTEAD = (
    "operations are recorded and computed together, not dispatched one by one; "
    "overrides.TorchFunctionMode sees public functions, and lazygrad.profile() tells what each part of a program costs"
)


class TorchDispatchMode:
    """A class that libraries derive from in advance; to enter a mode is refused."""

    def __init__(self, _dispatch_key: Any = None) -> None:
        self.old_dispatch_mode_flags: list[bool] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What a derived class defines."""
        raise NotImplementedError

    def __enter__(self) -> NoReturn:
        """Raises NotImplementedError."""
        stand_in("utils._python_dispatch.TorchDispatchMode", _INSTEAD)()

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        """Nothing was begun."""

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """A mode made of these arguments."""
        return cls(*args, **kwargs)


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor says how to take it apart, by ``__tensor_flatten__`` and ``__tensor_unflatten__``."""
    return is_traceable_wrapper_subclass_type(type(t))


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """`is_traceable_wrapper_subclass` of a class."""
    return hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """False: no mode can be entered."""
    return False


is_in_any_mode_without_ignore_compile_internals = is_in_torch_dispatch_mode


def _get_current_dispatch_mode() -> None:
    """None: no mode can be entered."""


def _get_current_dispatch_mode_stack() -> list[Any]:
    """Empty: no mode can be entered."""
    return []


@contextmanager
def _disable_current_modes() -> Iterator[list[Any]]:
    """A block without modes, as all are."""
    yield []


transform_subclass: Callable[..., NoReturn] = stand_in("utils._python_dispatch.transform_subclass", _INSTEAD)
return_and_correct_aliasing: Callable[..., NoReturn] = stand_in(
    "utils._python_dispatch.return_and_correct_aliasing", _INSTEAD
)
