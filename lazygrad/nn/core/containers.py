"""Modules that hold other modules: in order, in a list, in a dictionary."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain
from typing import Any, Self, SupportsIndex, overload

from lazygrad.nn._types import type_name
from lazygrad.nn.core.module import Module, _addindent

__all__ = ["Sequential", "ModuleList", "ModuleDict"]


class _ModuleSequence(Module):
    """What `Sequential` and `ModuleList` share: submodules in order, named ``"0"``, ``"1"``, … unless given names."""

    _modules: dict[str, Module]  # type: ignore[assignment]  # none of them is None

    def __setitem__(self, idx: SupportsIndex, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: SupportsIndex | slice) -> None:
        modules = list(self._modules.values())
        if isinstance(idx, slice):
            del modules[idx]
        else:
            del modules[self._position(idx)]
        self._renumber(modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def _position(self, idx: SupportsIndex) -> int:
        position = operator.index(idx)
        if not -len(self) <= position < len(self):
            raise IndexError(f"index {position} is out of range")
        return position % len(self)

    def _name_at(self, idx: SupportsIndex) -> str:
        return list(self._modules)[self._position(idx)]

    def _inserted(self, index: int, module: Module) -> None:
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)

    def _renumber(self, modules: Iterable[Module]) -> None:
        self._modules = OrderedDict()
        for position, module in enumerate(modules):
            self._set_child(str(position), module)


class Sequential(_ModuleSequence):
    """Calls its modules one after the other, each with the previous one's output.

    Args:
        args: the modules, or one ``OrderedDict`` of names and modules.
    """

    @overload
    def __init__(self, *args: Module) -> None: ...
    @overload
    def __init__(self, arg: OrderedDict[str, Module], /) -> None: ...
    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        """One module, or for a slice a Sequential of these modules under their names."""
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name_at(idx)]

    def insert(self, index: int, module: Module) -> Self:
        """Puts a module in front of the one at ``index``; IndexError when it is out of range."""
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        self._inserted(index, module)
        return self

    def pop(self, key: int | slice) -> Module:
        """Removes a module, or those of a slice, and returns it."""
        popped: Module = self[key]
        del self[key]
        return popped

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *_require_sequential(other))

    def __iadd__(self, other: Sequential) -> Self:
        return self.extend(_require_sequential(other))

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*(list(self) * other))

    def __rmul__(self, other: int) -> Sequential:
        return self * other

    def __imul__(self, other: int) -> Self:
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def _check_factor(self, factor: int) -> None:
        if not isinstance(factor, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(factor)}")
        if factor <= 0:
            raise ValueError(f"Non-positive multiplication factor {factor} for {type(self)}")


def _require_sequential(other: object) -> Sequential:
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
    return other


class ModuleList(_ModuleSequence):
    """A list whose modules are registered. It cannot be called; its owner's ``forward`` says how they are used.

    Args:
        modules: the modules it starts with.
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    @overload
    def __getitem__(self, idx: slice) -> ModuleList: ...
    @overload
    def __getitem__(self, idx: SupportsIndex) -> Module: ...
    def __getitem__(self, idx: SupportsIndex | slice) -> Module | ModuleList:
        """One module, or for a slice a ModuleList of these modules."""
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return self._modules[self._name_at(idx)]

    def insert(self, index: int, module: Module) -> None:
        """Puts a module in front of the one at ``index``."""
        self._inserted(index, module)

    def pop(self, key: int | slice) -> Module | ModuleList:
        """Removes a module, or those of a slice, and returns it."""
        popped = self[key]
        del self[key]
        return popped

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __repr__(self) -> str:
        """Like a module's, with a run of equal submodules on one line: ``(0-5): 6 x ReLU()``."""
        runs: list[tuple[int, int, str]] = []  # first position, last position, text
        for position, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], position, text)
            else:
                runs.append((position, position, text))
        lines = "\n" if runs else ""
        for first, last, text in runs:
            label = f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            lines += f"  {_addindent(label, 2)}\n"
        return f"{self._get_name()}({lines})"


class ModuleDict(Module):
    """A dictionary whose modules are registered, in the order of insertion. It cannot be called.

    Args:
        modules: a mapping, or pairs of names and modules.
    """

    _modules: dict[str, Module]  # type: ignore[assignment]  # none of them is None

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Removes a module and returns it."""
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Module]:
        """The names with their modules."""
        return self._modules.items()

    def values(self) -> ValuesView[Module]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds modules; one with a name that is there already replaces it.

        Raises:
            TypeError: ``modules`` is neither a mapping nor an iterable of pairs.
            ValueError: an element of the iterable does not have two parts.
        """
        for key, module in pairs_of(modules, "ModuleDict"):
            self[key] = module


def pairs_of(values: Any, owner: str) -> Iterator[tuple[str, Any]]:
    """The pairs of a mapping or of an iterable of pairs, for a container that error messages call ``owner``.

    Raises:
        TypeError: neither of the two.
        ValueError: an element of the iterable does not have two parts.
    """
    if not isinstance(values, Iterable):
        raise TypeError(
            f"{owner}.update should be called with an iterable of key/value pairs, but got {type(values).__name__}"
        )
    if isinstance(values, Mapping) or hasattr(values, "items"):
        yield from values.items()
        return
    for position, pair in enumerate(values):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{owner} update sequence element #{position} should be Iterable; is {type_name(pair)}")
        parts = tuple(pair)
        if len(parts) != 2:
            raise ValueError(f"{owner} update sequence element #{position} has length {len(parts)}; 2 is required")
        yield parts[0], parts[1]
