"""What is known of one recorded call: what it was given, has made and has read, and why it cannot be replayed."""

from __future__ import annotations

import enum
from abc import ABCMeta
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType
from typing import Any

from lazygrad.compiling.conditions import MISSING
from lazygrad.compiling.guards import Guards
from lazygrad.compiling.instrument import is_instrumented
from lazygrad.compiling.library import CONTEXTS, FUNCTIONS, TENSOR_HOOKS, is_distribution, is_internal
from lazygrad.compiling.plain import CONTAINERS, DICTS, TUPLES, is_plain
from lazygrad.ir.origin import capture
from lazygrad.tensor import Tensor

METACLASSES = (type, ABCMeta, enum.EnumType)  # whose classes look for attributes as classes do
# How values compare that are compared by identity, or cannot change.
_KNOWN_COMPARISONS = tuple([vars(kind)[name] for kind in (object, int, str) for name in ("__eq__", "__hash__")])


class Reads:
    """One recorded call. The hooks of each kind of expression ask these questions, and add to the answers.

    Args:
        given: tensors and containers among the arguments; a call's key says what they hold.
        named: the other objects among them: a call's key says which they are, and no more.
        first_serial: nodes of the call have this serial or a later one.
        unwrap: for a compiled function, the function it was made from; otherwise None.

    Attributes:
        guards: hold as long as every read would give the same.
        tensors: those that were read from outside, but for the arguments, with how they were found.
        refusal: the first thing that a replay could not repeat, with its line; or None.
        is_active: whether the call runs; hooks do what Python does before and after.
        is_promised: whether code and everything else but the named state stays as it is.
    """

    def __init__(
        self, given: list[Any], named: list[Any], first_serial: int, unwrap: Callable[[Any], Any | None]
    ) -> None:
        self.guards = Guards()
        self.tensors: dict[Tensor, str] = {}
        self.refusal: str | None = None
        self.is_active, self.is_promised = True, False
        self.unwrap = unwrap
        self._given = {id(value): value for value in given}
        self._named = {id(value): value for value in named}
        for value in named:
            self.guards.refer_weakly(value)
        self._made: dict[int, Any] = {}
        self._entered: dict[int, Any] = {}
        self._first_serial = first_serial

    def finish(self) -> None:
        """The call is over: functions made in it run like any others from now on."""
        self.is_active = False
        for held in (self._given, self._named, self._made, self._entered):
            held.clear()

    def refuse(self, what: str) -> None:
        """Note why the call cannot be replayed."""
        if self.is_active and self.refusal is None:
            self.refusal = f"{capture()} {what}"

    # Where a value comes from.

    def made(self, value: Any) -> Any:
        """Something that the call itself has made, so that nobody else changes it."""
        if self.is_active and not is_plain(value):
            self._made[id(value)] = value
        return value

    def enters(self, value: Any) -> bool:
        """Whether a function or an optimizer is met for the first time."""
        is_new = id(value) not in self._entered
        self._entered[id(value)] = value
        return is_new

    def is_given(self, value: Any) -> bool:
        """Whether it is an argument, or inside one."""
        return id(value) in self._given

    def is_own(self, value: Any) -> bool:
        """Whether the call has made it, or its key says what it holds."""
        return id(value) in self._made or id(value) in self._given

    def is_changeable(self, value: Any) -> bool:
        """Whether the call has made it, so that changing it is nobody else's concern."""
        return self.is_own(value) and id(value) not in self._given

    def is_outside(self, tensor: Tensor) -> bool:
        """Whether a tensor was there before the call, and is no argument."""
        if id(tensor) in self._given or id(tensor) in self._made:
            return False
        return tensor in self.tensors or tensor._storage.value.serial < self._first_serial

    def is_own_iterator(self, value: Any) -> bool:
        """Whether taking its items runs nothing but the call's own code."""
        return self.is_own(value) or (type(value) is GeneratorType and is_instrumented(value.gi_code))

    def is_known(self, value: Any) -> bool:
        """Whether a function of the library may be given ``value``: it runs no code, and what it holds is guarded."""
        if isinstance(value, Tensor):
            self.tensor(value)
            return True
        if is_plain(value) or isinstance(value, CONTEXTS) or any(value is each for each in (int, float, bool, complex)):
            return True
        if type(value) in TUPLES or type(value) in (list, dict):
            return self.contents(value) and all(map(self.is_known, self.items(value)))
        if is_distribution(type(value)):
            return self.is_own(value)
        if isinstance(value, slice):
            return all(map(self.is_known, (value.start, value.stop, value.step)))
        return type(value) is GeneratorType and is_instrumented(value.gi_code)

    # What was read, with its guards.

    def found(self, value: Any, path: str) -> Any:
        """A value that was read outside the call, where a guard looks again."""
        if isinstance(value, Tensor):
            if id(value) in self._given:
                self.refuse(f"finds an argument again: {path}")
            self.tensor(value, path)
        return value

    def tensor(self, tensor: Tensor, path: str | None = None) -> None:
        """Note a tensor from outside: its value is read anew at each replay, everything else is guarded."""
        if not is_internal(type(tensor)):
            self.refuse(f"uses a tensor of the class {type(tensor).__name__}")
        if id(tensor) in self._given and any(name in TENSOR_HOOKS for name in tensor.__dict__):
            self.refuse("is given a tensor with hooks")
        if not self.is_outside(tensor) or tensor in self.tensors:
            return
        path = path or f"a tensor at {capture()}"
        self.tensors[tensor] = path
        self.guards.attribute(tensor, "_chain", tensor._chain, f"the view {path}")
        self.guards.attribute(tensor, "_storage", tensor._storage, f"the storage of {path}")
        members = tensor.__dict__
        self.guards.attribute(tensor, "__dict__", members, f"the attributes of {path}")
        self.guards.keys(members, f"the hooks and attributes of {path}")
        for name in TENSOR_HOOKS:
            if members.get(name):
                self.refuse("uses a tensor with hooks")
            elif name in members:
                self.guards.length(members[name], f"the hooks of {path}")

    def contents(self, value: Any) -> bool:
        """Guard everything in a container, and their order."""
        if self.is_own(value) or type(value) in TUPLES:
            return True
        kind = type(value)
        if kind is list and any(isinstance(item, Tensor) and not self.is_outside(item) for item in value):
            self._made[id(value)] = value  # Python made it in the call, where an assignment takes a value apart
            return True
        path = f"the items of a {kind.__name__}"
        if kind is list:
            self.guards.length(value, path)
            for number, item in enumerate(value):
                self.guards.entry(value, number, item, path)
                self.found(item, path)
        elif kind in DICTS:
            self.guards.keys(value, path)
            for key, item in value.items():
                self.guards.entry(value, key, item, path)
                self.found(item, path)
        elif kind in (set, frozenset) and all(map(is_plain, value)):
            self.guards.keys(value, path)
        else:
            self.refuse(f"reads the items of a {kind.__qualname__}")
            return False
        return True

    def items(self, value: Any) -> list[Any]:
        """Everything in a container, with its guards."""
        self.contents(value)
        return [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)

    def entry(self, owner: Any, key: Any, path: str) -> None:
        """Guard what a dictionary holds under a key, or that it holds nothing."""
        if key in owner:
            self.guards.entry(owner, key, owner[key], path)
            self.found(owner[key], path)
        else:
            self.guards.without(owner, key, path)

    def static(self, cls: type, name: str) -> Any:
        """What a class or its bases hold under a name, unbound; `MISSING` if nothing."""
        path = f"{cls.__name__}.{name}"
        if type(cls) not in METACLASSES:
            self.refuse(f"uses {path}, whose class is a {type(cls).__name__}")
        self.guards.lookup(cls, name, path)
        for base in cls.__mro__:
            if name in vars(base):
                return self.found(vars(base)[name], path)
        return MISSING

    def guard_type(self, value: Any) -> None:
        """Guard the class of something from outside."""
        known = is_plain(value) or self.is_own(value) or id(value) in self._named
        if not known and (not isinstance(value, Tensor) or self.is_outside(value)):
            self.guards.instance(value, f"the class of a {type(value).__name__}")

    def method(self, owner: Any, name: str) -> FunctionType | None:
        """The Python method that an expression calls by itself; None if there is none."""
        if (isinstance(owner, type) and type(owner) is not enum.EnumType) or type(owner).__module__ == "builtins":
            return None
        self.guard_type(owner)
        found = self.static(type(owner), name)
        return found if isinstance(found, FUNCTIONS) else None

    def compared_by_identity(self, value: Any) -> None:
        """An object in a container or beside ``==``, which must be content with Python's own comparison."""
        kind = type(value)
        if kind in (*FUNCTIONS, BuiltinFunctionType, type, MethodType) or isinstance(value, Tensor):
            return
        if kind in CONTAINERS or kind in TUPLES:
            return
        self.guard_type(value)
        for name in ("__eq__", "__hash__"):
            found = self.static(kind, name)
            if found is enum.Enum.__hash__:
                self.guards.attribute(value, "_name_", value._name_, f"the name of a {kind.__name__}")
            elif not any(found is each for each in _KNOWN_COMPARISONS):
                self.refuse(f"compares a {kind.__qualname__}")
