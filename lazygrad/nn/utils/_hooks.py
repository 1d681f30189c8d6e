"""Finding the hook that computes a module's tensor."""

from __future__ import annotations

from typing import TypeVar

from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import UninitializedParameter
from lazygrad.tensor import Tensor

Hook = TypeVar("Hook")


def require_shape(weight: Tensor, hook: str, what: str) -> None:
    """Raises ValueError if a lazy module's weight has no shape yet."""
    if isinstance(weight, UninitializedParameter):
        raise ValueError(
            f"The module passed to `{hook}` can't have uninitialized parameters. Make sure to run the dummy forward "
            f"before applying {what} normalization"
        )


def find_hook(module: Module, kind: type[Hook], name: str, attribute: str = "name") -> tuple[int, Hook] | None:
    """The forward pre-hook of a class that computes the tensor ``name``, and its number among them.

    Args:
        module: whose hooks are looked at.
        kind: the hook's class.
        name: of the tensor.
        attribute: where the hook keeps it.
    """
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and getattr(hook, attribute) == name:
            return number, hook
    return None
