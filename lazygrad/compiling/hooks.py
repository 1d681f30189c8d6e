"""The hooks of a recorded call: every read outside its frame makes a guard, or the call is refused.

The function runs in a copy with hooks (`lazygrad.compiling.instrument`), on the real values. A hook lets pass what is
positively known: plain values, what the call itself has made, tensors, and reads that a guard can repeat. For
everything else it does what Python does and notes the line: such a call is never replayed.
"""

from __future__ import annotations

import functools
from typing import Any

from lazygrad.compiling.calls import Calls
from lazygrad.compiling.imports import Imports
from lazygrad.compiling.matching import Matching
from lazygrad.compiling.operands import Operands
from lazygrad.compiling.plain import CONTAINERS, is_record
from lazygrad.compiling.reads import Reads
from lazygrad.tensor import Tensor


class Hooks:
    """What the rewritten code of one recorded call names, one function per kind of expression."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        operands = Operands(reads)
        calls = Calls(reads, operands, self)
        attributes, items = calls.attributes, calls.items
        matching, imports = Matching(reads, attributes, items), Imports(reads, attributes)
        self._parts = operands, calls, attributes, items, matching, imports
        self.call, self.attribute = calls.call, attributes.attribute
        self.item, self.slice, self.key, self.mapping = items.item, items.slice, items.key, items.mapping
        self.contained, self.iterate, self.rows = items.contained, items.iterate, items.rows
        self.condition, self.operand, self.identity = items.condition, operands.operand, operands.identity
        self.in_place, self.target = operands.in_place, operands.target
        self.updated, self.updated_item = operands.updated, operands.updated_item
        self.formatted, self.context = operands.formatted, operands.context
        self.match_sequence, self.match_mapping = matching.match_sequence, matching.match_mapping
        self.match_class, self.imported = matching.match_class, imports.imported

    def run(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The whole call. Its hooks do nothing more afterwards, and hold nothing."""
        try:
            result = self.call(function, *args, **kwargs)
            self._check_result(result)
            return result
        finally:
            self._reads.finish()
            for part in (self, *self._parts):
                part._reads = _OVER

    def _check_result(self, result: Any) -> None:
        """What is returned is made anew by a replay, so it must not be something that lives on and can change."""
        if isinstance(result, Tensor):
            self._reads.tensor(result, "a returned tensor")
        elif isinstance(result, tuple):
            if type(result).__dictoffset__ and not self._reads.is_own(result):  # a derived class: it has attributes too
                self._reads.refuse(f"returns a {type(result).__name__} that lives on")
            for item in result:
                self._check_result(item)
        elif type(result) in CONTAINERS or is_record(result):
            if not self._reads.is_changeable(result):
                self._reads.refuse(f"returns a {type(result).__name__} that lives on")
            members = vars(result) if is_record(result) else result
            for item in members.values() if isinstance(members, dict) else members:
                self._check_result(item)

    def refuse(self, what: str) -> None:
        """A construct that is never replayed."""
        self._reads.refuse(what)

    def made(self, value: Any) -> Any:
        """A container that the call makes."""
        return self._reads.made(value)

    def decorator(self, function: Any) -> Any:
        """What a function made in the call is decorated with."""
        return functools.partial(self.call, function)

    def enter(self, value: Any) -> Any:
        """The result of a lambda."""
        return value


_OVER = Reads([], [], 0, lambda value: None)
_OVER.finish()
