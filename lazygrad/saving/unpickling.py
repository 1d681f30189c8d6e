"""Reading a pickle that is not trusted: containers, numbers, text and tensors, and nothing else.

Python's own unpickler does what a file says: it calls, sets attributes of what a name means (of dtypes and classes
too), and makes room for sizes that are not there. This one makes nothing but the objects of two tables of callables,
changes nothing but what it has made, and takes time and memory in proportion to the pickle's bytes.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from typing import Any

from lazygrad.saving.opcodes import OPCODES, STOP, STORAGE
from lazygrad.saving.pickle_machine import PickleMachine

_MALFORMED = (LookupError, TypeError, ValueError, OverflowError, AttributeError, struct.error)


def unpickle(data: bytes, storage: Callable[[Any], Any], encoding: str = "utf-8", errors: str = "strict") -> Any:
    """The object in a pickle.

    Args:
        data: the pickle.
        storage: gives the storage that a persistent id means.
        encoding: of the text that Python 2 wrote; ``"bytes"`` leaves it as bytes.
        errors: what is done about text that the encoding cannot read.

    Raises:
        pickle.UnpicklingError: an opcode or name that is not on the list, a call with arguments that do not fit, a
            pickle that is cut off or goes on behind its end.
        RuntimeError: a tensor reaches beyond its storage, or is on a device that is not there.
    """
    result, end = unpickle_next(data, 0, storage, encoding, errors)
    if end != len(data):
        raise pickle.UnpicklingError("load: the file goes on behind the end of its pickle")
    return result


def unpickle_next(
    data: bytes, position: int, storage: Callable[[Any], Any], encoding: str = "utf-8", errors: str = "strict"
) -> tuple[Any, int]:
    """The object in the pickle that begins at ``position`` of ``data``, and where it ends; see `unpickle`."""
    machine = PickleMachine(data, encoding, errors, position)
    while machine.position < len(data):
        code = data[machine.position]
        machine.position += 1
        if code == STOP:
            return _result(machine), machine.position
        if code == STORAGE:  # apart from the others, because a map_location runs in it and may raise what it likes
            machine.stack.append(storage(machine.pop()))
        else:
            _execute(machine, code)
    raise pickle.UnpicklingError("load: the pickle in the file is cut off")


def _execute(machine: PickleMachine, code: int) -> None:
    execute = OPCODES.get(code)
    if execute is None:
        raise pickle.UnpicklingError(
            f"Weights only load failed: the file uses pickle's opcode {bytes([code])!r}, which no file of tensors "
            f"needs. If you trust where it comes from, load it with weights_only=False, which may run code in it"
        )
    try:
        execute(machine)
    except _MALFORMED as error:
        raise pickle.UnpicklingError(f"load: the pickle in the file is malformed: {error}") from error


def _result(machine: PickleMachine) -> Any:
    if len(machine.stack) != 1 or machine.outer:
        raise pickle.UnpicklingError("load: the pickle in the file ends before everything in it is used")
    return machine.stack[0]
