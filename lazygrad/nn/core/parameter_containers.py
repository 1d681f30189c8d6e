"""Modules that hold parameters, in a list or in a dictionary. Other values may stand among them."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any, NoReturn, Self, SupportsIndex

from lazygrad.nn.core.containers import pairs_of
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.tensor import Tensor

__all__ = ["ParameterList", "ParameterDict"]


class ParameterList(Module):
    """A list whose parameters are registered. Tensors put into it become parameters.

    Args:
        values: the elements it starts with.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        """One element, or for a slice a ParameterList."""
        if isinstance(idx, slice):
            return type(self)(self[position] for position in range(self._size)[idx])
        return getattr(self, self._name_at(idx))

    def __setitem__(self, idx: SupportsIndex, param: Any) -> None:
        setattr(self, self._name_at(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(self._size))

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Adds an element at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Adds elements at the end; TypeError for what is not iterable, and for a Tensor."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(_describe(str(position), value) for position, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("ParameterList should not be called.")

    def _name_at(self, idx: SupportsIndex) -> str:
        position = operator.index(idx)
        if not -self._size <= position < self._size:
            raise IndexError(f"index {position} is out of range")
        return str(position % self._size)


class ParameterDict(Module):
    """A dictionary whose parameters are registered, in the order of insertion. Tensors put into it become parameters.

    Args:
        parameters: a mapping, or pairs of names and values. A plain ``dict`` is taken in the order of its keys.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, _require_string(key))

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, _require_string(key), _as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """A new dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, which is set to ``default`` first when it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Removes all elements."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Removes an element and returns its value."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Removes the last element and returns its name and value."""
        if not self._keys:
            raise KeyError("popitem(): ParameterDict is empty")
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, or ``default`` when it is missing."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dictionary with ``default`` under every key."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """The names with their values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterator[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Adds elements; one with a name that is there already replaces it.

        Raises:
            TypeError: ``parameters`` is neither a mapping nor an iterable of pairs.
            ValueError: an element of the iterable does not have two parts.
        """
        pairs = pairs_of(parameters, "ParameterDict")
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs = iter(sorted(pairs))  # as PyTorch does, which does not rely on the order of a plain dict
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(_describe(key, value) for key, value in self.items())

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> ParameterDict:
        merged = self.copy()
        merged.update(other)
        return merged

    def __ror__(self, other: Any) -> ParameterDict:
        merged = ParameterDict(other)
        merged.update(self)
        return merged

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _require_string(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string "
            f"(type is '{type(key).__name__}')."
        )
    return key


def _describe(name: str, value: Any) -> str:
    """One line of a container's representation."""
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(str(extent) for extent in value.shape)
    place = f" ({value.device})" if value.device.type == "cuda" else ""
    return f"  ({name}): {kind} containing: [{value.dtype} of size {size}{place}]"
