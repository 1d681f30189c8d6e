"""Calls of several modules, each with its own inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj: Any) -> Tensor | None:
    """The first tensor in lists, tuples and dictionaries of any depth; None if there is none."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, dict):
        obj = tuple(obj.items())
    if isinstance(obj, (list, tuple)):
        return next((found for found in map(get_a_var, obj) if found is not None), None)
    return None


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """The results of modules, each called with its inputs: recorded in turn, since devices compute what is recorded.

    Args:
        modules: what is called.
        inputs: for each module a list or tuple of arguments, or a single argument.
        kwargs_tup: for each module its named arguments.
        devices: accepted; a module computes where its parameters are.

    Raises:
        AssertionError: there are not as many inputs, named arguments or devices as modules.
    """
    for given, kind in ((inputs, "inputs"), (kwargs_tup, "kwargs_tup"), (devices, "devices")):
        if given is not None and len(given) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {kind} {len(given)}"
            )
    named = [{}] * len(modules) if kwargs_tup is None else kwargs_tup
    return [
        module(*(given if isinstance(given, (list, tuple)) else (given,)), **options)
        for module, given, options in zip(modules, inputs, named, strict=True)
    ]
