"""The value a function returns, put together again around other tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from lazygrad.compiling.plain import is_atom, is_record
from lazygrad.compiling.unguardable import Unguardable
from lazygrad.tensor import Tensor

Build = Callable[[Sequence[Tensor]], Any]


def builder(value: Any, tensors: list[Tensor]) -> Build:
    """A function that makes a value like ``value`` from tensors in place of its own, which are added to ``tensors``.

    Raises:
        Unguardable: there is something in it that is neither tensor, tuple, list, dict, dataclass nor plain value.
    """
    if isinstance(value, Tensor):
        tensors.append(value)
        return itemgetter(len(tensors) - 1)
    if is_atom(value):
        return lambda made: value
    kind = type(value)
    if isinstance(value, tuple):
        items = [builder(item, tensors) for item in value]
        return lambda made: tuple.__new__(kind, [item(made) for item in items])
    if kind is list:
        items = [builder(item, tensors) for item in value]
        return lambda made: [item(made) for item in items]
    if kind is dict or is_record(value):
        named = [(name, builder(item, tensors)) for name, item in (value if kind is dict else vars(value)).items()]
        if kind is not dict:
            return lambda made: _record(kind, {name: item(made) for name, item in named})
        return lambda made: {name: item(made) for name, item in named}
    raise Unguardable(f"it returns a {kind.__name__}, which a replay cannot make")


def _record(cls: type, fields: dict[str, Any]) -> Any:
    """An instance of a dataclass that has these attributes."""
    made: Any = object.__new__(cls)
    vars(made).update(fields)
    return made
