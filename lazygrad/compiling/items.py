"""Hooks on containers: items, keys, loops, lengths, and conditions."""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, MethodType
from typing import Any

from lazygrad.compiling.conditions import MISSING
from lazygrad.compiling.library import FUNCTIONS, is_internal
from lazygrad.compiling.operands import Operands
from lazygrad.compiling.plain import CONTAINERS, DICTS, TUPLES, is_plain
from lazygrad.compiling.reads import Reads
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor


class Items:
    """Reads of containers and of objects that behave like some.

    Args:
        call: the hook on calls, for an object's own methods.
    """

    def __init__(self, reads: Reads, operands: Operands, call: Callable[..., Any]) -> None:
        self._reads, self._operands, self._call = reads, operands, call

    def item(self, owner: Any, index: Any) -> Any:
        """``owner[index]``."""
        reads, kind = self._reads, type(owner)
        if not reads.is_active:
            return owner[index]
        if isinstance(owner, Tensor):
            if not reads.is_known(index):
                reads.refuse(f"picks from a tensor by a {type(index).__qualname__}")
            self._operands.operand(owner, "getitem")
            return reads.made(owner[index])
        self.key(index)
        if is_plain(owner) or kind in TUPLES or reads.is_own(owner):
            if kind not in (*CONTAINERS, *TUPLES) and not is_plain(owner):
                reads.refuse(f"picks from a {kind.__qualname__}")
            return owner[index]
        path = f"[{index!r:.40}] of a {kind.__name__}" if is_plain(index) else f"an item of a {kind.__name__}"
        if kind is list:
            reads.guards.length(owner, "a list")
            if type(index) is int and -len(owner) <= index < len(owner):
                reads.guards.entry(owner, index, owner[index], path)
                return reads.found(owner[index], path)
            reads.contents(owner)
            return reads.made(owner[index])
        if kind in DICTS:
            if index not in owner and kind is not dict:
                reads.refuse(f"asks a {kind.__name__} for a key that it may add")
            reads.entry(owner, index, path)
            return owner[index]
        method = reads.method(owner, "__getitem__")
        if method is not None:
            return self._call(method, owner, index)
        reads.refuse(f"picks from a {kind.__qualname__}")
        return owner[index]

    def slice(self, *bounds: Any) -> slice:
        """``start:stop:step`` between brackets."""
        for bound in bounds:
            if not is_plain(bound) and not isinstance(bound, Tensor):
                self._reads.refuse(f"slices by a {type(bound).__qualname__}")
        return slice(*bounds)

    def key(self, value: Any) -> Any:
        """What is looked up in a container."""
        if self._reads.is_active and not is_plain(value) and not isinstance(value, (Tensor, slice)):
            if type(value) in TUPLES:
                for item in value:
                    self.key(item)
            else:
                self._reads.compared_by_identity(value)
        return value

    def condition(self, value: Any) -> Any:
        """A value that is asked whether it is true."""
        reads, kind = self._reads, type(value)
        if isinstance(value, Tensor):
            return self._operands.operand(value, "bool")
        if not reads.is_active or is_plain(value) or kind in (*TUPLES, *FUNCTIONS, MethodType, BuiltinFunctionType):
            return value
        if kind in CONTAINERS:
            if not reads.is_own(value):
                reads.guards.length(value, f"a {kind.__name__}")
            return value
        own_answer, length = reads.static(kind, "__bool__"), reads.static(kind, "__len__")
        if own_answer is MISSING and length is MISSING:
            reads.guard_type(value)
        elif own_answer is MISSING and isinstance(value, Module) and is_internal(length):
            self.iterate(value)
        else:
            reads.refuse(f"asks whether a {kind.__qualname__} is true")
        return value

    def contained(self, item: Any, owner: Any) -> bool:
        """``item in owner``."""
        reads, kind = self._reads, type(owner)
        method = reads.method(owner, "__contains__") if reads.is_active else None
        if method is not None:
            return bool(self.condition(self._call(method, owner, item)))
        self._operands.operand(item, "contains")
        if is_plain(owner) or isinstance(owner, Tensor) or kind in CONTAINERS or kind in TUPLES or reads.is_own(owner):
            self._operands.operand(owner, "contains")
        else:
            reads.refuse(f"looks into a {kind.__qualname__}")
        return item in owner

    def iterate(self, value: Any) -> Any:
        """Something whose items are taken one after the other, all of them."""
        reads, kind = self._reads, type(value)
        if not reads.is_active or is_plain(value) or kind in TUPLES:
            return value
        if isinstance(value, Tensor):
            self._operands.operand(value, "iter")
            return [reads.made(row) for row in value]
        if kind in CONTAINERS:
            reads.contents(value)
            if kind in (set, frozenset) and not all(map(is_plain, value)):
                reads.refuse("takes the items of a set, whose order may change")
            return value
        if reads.is_own_iterator(value):
            return value
        method = reads.method(value, "__iter__")
        if method is not None:
            return self._call(method, value)
        reads.refuse(f"takes the items of a {kind.__qualname__}")
        return value

    def rows(self, values: Any) -> Any:
        """Items that are taken apart."""
        return map(self.iterate, values) if self._reads.is_active else values

    def mapping(self, value: Any) -> Any:
        """What ``**`` takes apart."""
        if self._reads.is_active and not (type(value) in DICTS and self._reads.contents(value)):
            self._reads.refuse(f"takes a {type(value).__qualname__} apart")
        return value

    # Functions of Python that read what the program names.

    def len(self, value: Any) -> int:
        """``len(value)``."""
        reads, kind = self._reads, type(value)
        if isinstance(value, Tensor) or is_plain(value) or kind in TUPLES or reads.is_own(value):
            return len(value)
        if kind in CONTAINERS:
            reads.guards.length(value, f"a {kind.__name__}")
            return len(value)
        method = reads.method(value, "__len__")
        if method is not None:
            return int(self._call(method, value))
        reads.refuse(f"asks for the length of a {kind.__qualname__}")
        return len(value)

    def next(self, iterator: Any, *default: Any) -> Any:
        """``next(iterator)``."""
        if not self._reads.is_own_iterator(iterator):
            self._reads.refuse(f"takes the next item of a {type(iterator).__qualname__}")
        return next(iterator, *default)

    def iter(self, value: Any) -> Any:
        """``iter(value)``."""
        return self._reads.made(iter(self.iterate(value)))
