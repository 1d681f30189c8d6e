"""The value a function returns, put together again around other tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lazygrad.compiling.plain import is_atom, is_record
from lazygrad.compiling.unguardable import Unguardable
from lazygrad.tensor import Tensor

_DEEPEST = 50  # containers in each other, which Python's compiler can read


class Build(NamedTuple):
    """How a value is made of tensors.

    Attributes:
        expression: of Python; the tensors are called ``t0``, ``t1`` and so on.
        names: what else it names.
    """

    expression: str
    names: Mapping[str, Any]

    def function(self, count: int) -> Callable[..., Any]:
        """What makes the value, given ``count`` tensors."""
        names = ", ".join([f"t{number}" for number in range(count)])
        made: Callable[..., Any] = eval(f"lambda {names}: {self.expression}", dict(self.names))
        return made


def builder(value: Any, tensors: list[Tensor]) -> Build:
    """How a value like ``value`` is made from tensors in place of its own, which are added to ``tensors``.

    Raises:
        Unguardable: there is something in it that is neither tensor, tuple, list, dict, dataclass nor plain value.
    """
    names: dict[str, Any] = {}
    numbers = {id(tensor): number for number, tensor in enumerate(tensors)}
    return Build(_expression(value, tensors, numbers, names, 0), names)


def _expression(value: Any, tensors: list[Tensor], numbers: dict[int, int], names: dict[str, Any], depth: int) -> str:
    if isinstance(value, Tensor):
        number = numbers.setdefault(id(value), len(tensors))  # one that is there twice is one object again
        if number == len(tensors):
            tensors.append(value)
        return f"t{number}"
    if is_atom(value):
        return _named(value, names)
    if depth == _DEEPEST:
        raise Unguardable(f"it returns more than {_DEEPEST} containers in each other")
    kind = type(value)
    if isinstance(value, tuple) or kind is list:
        items = "".join([f"{_expression(item, tensors, numbers, names, depth + 1)}, " for item in value])
        if kind is list:
            return f"[{items}]"
        return f"({items})" if kind is tuple else f"{_named(tuple.__new__, names)}({_named(kind, names)}, ({items}))"
    if kind is dict or is_record(value):
        members = value if kind is dict else vars(value)
        pairs = [
            (_named(name, names), _expression(item, tensors, numbers, names, depth + 1))
            for name, item in members.items()
        ]
        made = f"{{{', '.join([f'{name}: {item}' for name, item in pairs])}}}"
        return made if kind is dict else f"{_named(_record, names)}({_named(kind, names)}, {made})"
    raise Unguardable(f"it returns a {kind.__name__}, which a replay cannot make")


def _named(value: Any, names: dict[str, Any]) -> str:
    name = f"constant{len(names)}"
    names[name] = value
    return name


def _record(cls: type, fields: dict[str, Any]) -> Any:
    """An instance of a dataclass that has these attributes."""
    made: Any = object.__new__(cls)
    vars(made).update(fields)
    return made
