"""The class of a module with parametrized tensors, which are its properties, and the cache that they look into."""

from __future__ import annotations

import copyreg
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor


class _Cache:
    """Parametrized tensors within `cached`, by their module and name."""

    depth = 0
    tensors: dict[tuple[int, str], Tensor]


_cache = _Cache()


@contextmanager
def cached() -> Iterator[None]:
    """While this lasts, parametrized tensors are computed once, as in a loop that uses a weight at each step."""
    if _cache.depth == 0:
        _cache.tensors = {}
    _cache.depth += 1
    try:
        yield
    finally:
        _cache.depth -= 1
        if _cache.depth == 0:
            _cache.tensors = {}


def give_own_class(module: Module) -> None:
    """A class for this module alone, since properties belong to classes."""
    cls = type(module)
    members: dict[str, Any] = {"__getstate__": _refuse_to_pickle}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = _deepcopied
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _refuse_to_pickle(self: Module) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(): the class of such a module is "
        "made when its tensor is parametrized, so that pickle cannot find it."
    )


def _deepcopied(self: Module, memo: dict[int, Any]) -> Module:
    if id(self) in memo:
        found: Module = memo[id(self)]
        return found
    replica = self.__new__(type(self))
    memo[id(self)] = replica
    replica.__dict__.update(deepcopy(self.__dict__, memo))
    slots: list[str] = copyreg._slotnames(type(self))  # type: ignore[attr-defined]
    for slot in slots:
        if hasattr(self, slot):
            setattr(replica, slot, deepcopy(getattr(self, slot), memo))
    return replica


def add_property(module: Module, name: str) -> None:
    def computed(self: Module) -> Any:
        parametrizations = self.parametrizations[name]
        if not _cache.depth:
            return parametrizations()
        key = (id(self), name)
        if key not in _cache.tensors:
            _cache.tensors[key] = parametrizations()
        return _cache.tensors[key]

    def assign(self: Module, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(computed, assign))
