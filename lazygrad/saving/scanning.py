"""Which storages a pickle refers to, and where it ends, found without making any of its objects.

The storages of a legacy file lie behind the pickle that needs them, and where each begins depends on the dtypes that
the pickle gives to those before.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from typing import Any

from lazygrad.saving.opcodes import OPCODES, STOP, STORAGE
from lazygrad.saving.pickle_machine import PickleMachine
from lazygrad.saving.storage_types import STORAGE_TYPES

_MALFORMED = (LookupError, TypeError, ValueError, OverflowError, struct.error)


class _Unknown:
    """Stands for any object but those that the id of a storage is made of."""


_UNKNOWN = _Unknown()


def identities(data: bytes, position: int) -> tuple[list[Any], int]:
    """The persistent ids in the pickle that begins at ``position``, and where it ends.

    Raises:
        pickle.UnpicklingError: it is cut off, malformed, or has an opcode of no known protocol.
    """
    machine = PickleMachine(data, "latin1", "replace", position)
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
    return found, machine.position


def _global(machine: PickleMachine) -> None:
    module, name = machine.line(), machine.line()
    machine.stack.append(STORAGE_TYPES.get(f"{module}.{name}", _UNKNOWN))


def _stack_global(machine: PickleMachine) -> None:
    name, module = machine.pop(), machine.pop()
    machine.stack.append(STORAGE_TYPES.get(f"{module}.{name}", _UNKNOWN))


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
        pickle.GLOBAL: _global, pickle.STACK_GLOBAL: _stack_global, pickle.APPEND: _taking(1, False),
        pickle.SETITEM: _taking(2, False), pickle.BUILD: _taking(1, False), pickle.REDUCE: _taking(2, True),
        pickle.NEWOBJ: _taking(2, True), pickle.NEWOBJ_EX: _taking(3, True), pickle.APPENDS: _to_mark,
        pickle.SETITEMS: _to_mark, pickle.ADDITEMS: _to_mark, pickle.FROZENSET: _made_of_mark,
    }.items()
}  # fmt: skip
