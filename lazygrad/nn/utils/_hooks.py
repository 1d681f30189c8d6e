"""Finding the hook that computes a module's tensor."""

from __future__ import annotations

from typing import TypeVar

from lazygrad.nn.module import Module

Hook = TypeVar("Hook")


def find_hook(module: Module, kind: type[Hook], name: str, attribute: str = "name") -> tuple[int, Hook] | None:
    """The forward pre-hook of a class that computes the tensor ``name``, and its number among them.

    Args:
        module: whose hooks are looked at.
        kind: the hook's class.
        name: of the tensor.
        attribute: where the hook keeps it.
    """
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook.function, kind) and getattr(hook.function, attribute) == name:
            return number, hook.function
    return None
