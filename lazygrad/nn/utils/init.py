"""Modules whose parameters are not initialized."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from lazygrad.nn.core.module import Module

__all__ = ["skip_init"]

AnyModule = TypeVar("AnyModule", bound=Module)


def skip_init(module_cls: type[AnyModule], *args: Any, **kwargs: Any) -> AnyModule:
    """A module without initial values: nothing is drawn, and parameters hold whatever their memory holds.

    Args:
        module_cls: its class, which takes a ``device``.
        args: its other arguments.
        kwargs: its other arguments, and ``device``.

    Raises:
        RuntimeError: no class of modules, or one that takes no ``device``.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    make: Callable[..., AnyModule] = module_cls
    return make(*args, **kwargs, device="meta").to_empty(device=device)
