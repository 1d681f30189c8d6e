"""Hooks on values that are computed with, looked at or changed."""

from __future__ import annotations

from typing import Any

from lazygrad.compiling.library import CONTEXTS
from lazygrad.compiling.plain import CONTAINERS, TUPLES, is_plain
from lazygrad.compiling.reads import Reads
from lazygrad.tensor import Tensor


class Operands:
    """Operators, comparisons, f-strings, ``with``, and assignments to something that has a name of its own."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    def operand(self, value: Any, name: str) -> Any:
        """A value that an operator computes with."""
        reads = self._reads
        if not reads.is_active or is_plain(value):
            return value
        if isinstance(value, Tensor):
            reads.tensor(value)
            special = f"__{name}__"
            if hasattr(Tensor, special):
                reads.static(type(value), special)
        elif type(value) in CONTAINERS or type(value) in TUPLES:
            for item in reads.items(value):
                if isinstance(item, Tensor) and name in ("eq", "ne", "rcontains"):
                    reads.refuse("compares tensors inside a container")
                elif name not in ("contains", "bool"):
                    self.operand(item, name)
                elif not is_plain(item):
                    reads.compared_by_identity(item)
        elif name in ("eq", "ne", "contains"):
            reads.compared_by_identity(value)
        elif not (reads.is_own(value) and not hasattr(type(value), "__dict__")):
            reads.refuse(f"computes with a {type(value).__qualname__}")
        return value

    def in_place(self, value: Any, name: str) -> None:
        """A variable that is updated, as by ``+=``."""
        if not self._reads.is_active or is_plain(value) or type(value) in TUPLES:
            return
        if isinstance(value, Tensor):
            self.operand(value, f"i{name}")
        elif not (self._reads.is_changeable(value) and type(value) in CONTAINERS):
            self._reads.refuse(f"changes a {type(value).__qualname__}")

    def identity(self, value: Any) -> Any:
        """An operand of ``is``."""
        if isinstance(value, Tensor):
            self._reads.refuse("asks which tensor it is")
        return value

    def formatted(self, value: Any) -> Any:
        """A value in an f-string."""
        if not is_plain(value):
            self._reads.refuse(f"formats a {type(value).__qualname__}")
        return value

    def context(self, value: Any) -> Any:
        """What ``with`` enters."""
        if not isinstance(value, CONTEXTS):
            self._reads.refuse(f"enters a {type(value).__qualname__}")
        return value

    def target(self, owner: Any, name: str | None = None) -> Any:
        """What an attribute or item of is assigned or deleted."""
        if not self._reads.is_active:
            return owner
        if isinstance(owner, Tensor):
            self._reads.tensor(owner)
            if name in (None, "grad", "data"):
                return owner
        elif self._reads.is_changeable(owner):
            return owner
        what = "an item" if name is None else f".{name}"
        self._reads.refuse(f"changes {what} of a {_kind(owner)}")
        return owner

    def updated_item(self, owner: Any, index: Any, name: str) -> None:
        """What an item of is updated, as by ``+=``; `target` has seen it."""
        if self._reads.is_active and not isinstance(owner, Tensor):
            if type(owner) not in CONTAINERS:
                self._reads.refuse(f"changes an item of a {_kind(owner)}")
            elif self._reads.is_changeable(owner):
                self.in_place(owner[index], name)

    def updated(self, owner: Any) -> Any:
        """What an attribute of is updated, as by ``+=``."""
        if not isinstance(owner, Tensor):
            self._reads.refuse(f"changes a {_kind(owner)}")
        return self.target(owner)


def _kind(value: Any) -> str:
    name = type(value).__qualname__
    return "numpy array" if name == "ndarray" else name
