"""Which storages a pickle refers to, and where it ends, found without making any of its objects.

The storages of a legacy file lie behind the pickle that needs them, and where each begins depends on the dtypes that
the pickle gives to those before.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lazygrad.saving.opcodes import OPCODES, STOP, STORAGE
from lazygrad.saving.pickle_machine import PickleMachine
from lazygrad.saving.storage_types import STORAGE_TYPES

_MALFORMED = (LookupError, TypeError, ValueError, OverflowError, struct.error)


class _Unknown:
    """Stands for any object but those that the id of a storage is made of."""


_UNKNOWN = _Unknown()


@dataclass(frozen=True)
class Scan:
    """What a pickle refers to.

    Attributes:
        identities: its persistent ids.
        names: of the classes and functions, with their modules.
        end: where it ends.
    """

    identities: list[Any]
    names: list[str]
    end: int


class _Scanner(PickleMachine):
    """A pickle of which only names and ids are read."""

    def __init__(self, data: bytes, position: int) -> None:
        super().__init__(data, "latin1", "replace", position)
        self.names: list[str] = []

    def named(self, module: str, name: str) -> Any:
        self.names.append(f"{module}.{name}")
        return STORAGE_TYPES.get(self.names[-1], _UNKNOWN)


def scanned(data: bytes, position: int = 0) -> Scan:
    """What the pickle that begins at ``position`` refers to.

    Raises:
        pickle.UnpicklingError: it is cut off, malformed, or has an opcode of no known protocol.
    """
    machine = _Scanner(data, position)
    found: list[Any] = []
    try:
        while (code := machine.take(1)[0]) != STOP:
            if code == STORAGE:
                found.append(machine.pop())
                machine.stack.append(_UNKNOWN)
            else:
                _STEPS[code](machine)
    except _MALFORMED as error:
        raise pickle.UnpicklingError(f"load: the pickle in the file is malformed: {error}") from error
    return Scan(found, machine.names, machine.position)


def _taking(count: int, is_replaced: bool) -> Callable[[PickleMachine], None]:
    """Takes objects from the stack, and leaves one that is unknown in their place, or none."""

    def step(machine: PickleMachine) -> None:
        for _ in range(count):
            machine.pop()
        if is_replaced:
            machine.stack.append(_UNKNOWN)

    return step


def _to_mark(machine: PickleMachine) -> None:
    machine.pop_to_mark()


def _made_of_mark(machine: PickleMachine) -> None:
    machine.pop_to_mark()
    machine.stack.append(_UNKNOWN)


_STEPS: dict[int, Callable[[PickleMachine], None]] = OPCODES | {
    code[0]: step
    for code, step in {
        pickle.APPEND: _taking(1, False),
        pickle.SETITEM: _taking(2, False), pickle.BUILD: _taking(1, False), pickle.REDUCE: _taking(2, True),
        pickle.NEWOBJ: _taking(2, True), pickle.NEWOBJ_EX: _taking(3, True), pickle.APPENDS: _to_mark,
        pickle.SETITEMS: _to_mark, pickle.ADDITEMS: _to_mark, pickle.FROZENSET: _made_of_mark,
    }.items()
}  # fmt: skip
