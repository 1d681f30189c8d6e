"""What each opcode of pickle does in a `PickleMachine`. Those that no file of tensors needs are missing.

Source of the format: the comments of Python's module `pickletools`.
"""

from __future__ import annotations

import pickle
import struct
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Any

from lazygrad.saving.attributes import set_attributes, set_state
from lazygrad.saving.containers import cost_of_hashing
from lazygrad.saving.pickle_machine import PickleMachine
from lazygrad.saving.safe_globals import is_allowed
from lazygrad.tensor import Tensor

Execute = Callable[[PickleMachine], None]

STOP, STORAGE = pickle.STOP[0], pickle.BINPERSID[0]

_BYTE, _SHORT, _INT = struct.Struct("<B"), struct.Struct("<H"), struct.Struct("<i")
_UNSIGNED, _LENGTH, _FLOAT = struct.Struct("<I"), struct.Struct("<Q"), struct.Struct(">d")
_NEWEST_PROTOCOL = 5


# Numbers and text.


def _constant(value: Any) -> Execute:
    return lambda machine: machine.stack.append(value)


def _number(layout: struct.Struct) -> Execute:
    return lambda machine: machine.stack.append(machine.number(layout))


def _text(length: struct.Struct) -> Execute:
    def execute(machine: PickleMachine) -> None:
        machine.stack.append(str(machine.take(machine.number(length)), "utf-8", "surrogatepass"))

    return execute


def _text_of_python_2(length: struct.Struct) -> Execute:
    def execute(machine: PickleMachine) -> None:
        content = machine.take(machine.number(length))
        as_bytes = machine.encoding == "bytes"
        machine.stack.append(content if as_bytes else content.decode(machine.encoding, machine.errors))

    return execute


def _bytes(length: struct.Struct, kind: type[Any] = bytes) -> Execute:
    return lambda machine: machine.stack.append(kind(machine.take(machine.number(length))))


def _long(length: struct.Struct) -> Execute:
    def execute(machine: PickleMachine) -> None:
        machine.stack.append(int.from_bytes(machine.take(machine.number(length)), "little", signed=True))

    return execute


def _decimal(machine: PickleMachine) -> None:
    """A number of protocol 1, whose booleans are 00 and 01."""
    text = machine.line()
    machine.stack.append(text == "01" if text in ("00", "01") else int(text.removesuffix("L")))


# Containers.


def _empty(kind: type[Any]) -> Execute:
    return lambda machine: machine.stack.append(kind())


def _mark(machine: PickleMachine) -> None:
    machine.outer.append(machine.stack)
    machine.stack = []


def _tuple(machine: PickleMachine) -> None:
    items = tuple(machine.pop_to_mark())
    machine.stack.append(items)


def _short_tuple(length: int) -> Execute:
    def execute(machine: PickleMachine) -> None:
        if len(machine.stack) < length:
            raise pickle.UnpicklingError("load: the pickle in the file makes a tuple of more than it has made")
        machine.stack[-length:] = [tuple(machine.stack[-length:])]

    return execute


def _append_to(machine: PickleMachine, items: list[Any]) -> None:
    target = machine.stack[-1]
    if type(target) not in (list, deque):
        raise pickle.UnpicklingError(f"load: the pickle in the file appends to a {type(target).__name__}")
    target.extend(items)


def _set_item(machine: PickleMachine) -> None:
    value, key = machine.pop(), machine.pop()
    machine.set_items(machine.stack[-1], [key, value])


def _set_items(machine: PickleMachine) -> None:
    items = machine.pop_to_mark()
    machine.set_items(machine.stack[-1], items)


def _add_items(machine: PickleMachine) -> None:
    items = machine.pop_to_mark()
    target = machine.stack[-1]
    if type(target) is not set:
        raise pickle.UnpicklingError(f"load: the pickle in the file adds elements to a {type(target).__name__}")
    for item in items:
        machine.spend(cost_of_hashing(item))
    target.update(items)


def _frozenset(machine: PickleMachine) -> None:
    items = machine.pop_to_mark()
    machine.stack.append(machine.call(frozenset, (items,)))


# Objects.


def _global(machine: PickleMachine) -> None:
    module = machine.line()
    machine.stack.append(machine.named(module, machine.line()))


def _stack_global(machine: PickleMachine) -> None:
    name, module = machine.pop(), machine.pop()
    if type(name) is not str or type(module) is not str:
        raise pickle.UnpicklingError("load: the pickle in the file asks for a name that is no text")
    machine.stack.append(machine.named(module, name))


def _call(machine: PickleMachine) -> None:
    arguments, function = machine.pop(), machine.pop()
    machine.stack.append(machine.call(function, arguments))


def _make_new(machine: PickleMachine) -> None:
    arguments, cls = machine.pop(), machine.pop()
    machine.stack.append(machine.made_new(cls, arguments))


def _build(machine: PickleMachine) -> None:
    state = machine.pop()
    target = machine.stack[-1]
    if is_allowed(type(target)):
        set_state(target, state)
        return
    if type(target) not in (OrderedDict, Counter) and not isinstance(target, Tensor):
        raise pickle.UnpicklingError(
            f"Weights only load failed: the file sets attributes of a {type(target).__name__}, which is neither a "
            f"tensor nor a container"
        )
    machine.spend(len(state))
    set_attributes(target, state)


# The machine.


def _protocol(machine: PickleMachine) -> None:
    protocol = machine.number(_BYTE)
    if protocol > _NEWEST_PROTOCOL:
        raise pickle.UnpicklingError(f"load: pickle has no protocol {protocol}")


def _frame(machine: PickleMachine) -> None:
    length = machine.number(_LENGTH)
    if machine.position + length > len(machine.data):
        raise pickle.UnpicklingError("load: the pickle in the file is cut off")


def _duplicate(machine: PickleMachine) -> None:
    machine.stack.append(machine.stack[-1])


def _pop(machine: PickleMachine) -> None:
    machine.pop()


def _pop_mark(machine: PickleMachine) -> None:
    machine.pop_to_mark()


def _memoize(machine: PickleMachine) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


def _put(layout: struct.Struct) -> Execute:
    def execute(machine: PickleMachine) -> None:
        machine.memo[machine.number(layout)] = machine.stack[-1]

    return execute


def _get(layout: struct.Struct) -> Execute:
    def execute(machine: PickleMachine) -> None:
        index = machine.number(layout)
        if index not in machine.memo:
            raise pickle.UnpicklingError(f"load: the pickle in the file uses an object {index} that it has not made")
        machine.stack.append(machine.memo[index])

    return execute


OPCODES: dict[int, Execute] = {
    code[0]: execute
    for code, execute in {
        pickle.NONE: _constant(None), pickle.NEWTRUE: _constant(True), pickle.NEWFALSE: _constant(False),
        pickle.BININT: _number(_INT), pickle.BININT1: _number(_BYTE), pickle.BININT2: _number(_SHORT),
        pickle.BINFLOAT: _number(_FLOAT), pickle.LONG1: _long(_BYTE), pickle.LONG4: _long(_INT),
        pickle.INT: _decimal, pickle.LONG: _decimal,
        pickle.SHORT_BINUNICODE: _text(_BYTE), pickle.BINUNICODE: _text(_UNSIGNED), pickle.BINUNICODE8: _text(_LENGTH),
        pickle.SHORT_BINSTRING: _text_of_python_2(_BYTE), pickle.BINSTRING: _text_of_python_2(_INT),
        pickle.SHORT_BINBYTES: _bytes(_BYTE), pickle.BINBYTES: _bytes(_UNSIGNED), pickle.BINBYTES8: _bytes(_LENGTH),
        pickle.BYTEARRAY8: _bytes(_LENGTH, bytearray),
        pickle.EMPTY_LIST: _empty(list), pickle.EMPTY_DICT: _empty(dict), pickle.EMPTY_SET: _empty(set),
        pickle.EMPTY_TUPLE: _constant(()), pickle.MARK: _mark, pickle.TUPLE: _tuple,
        pickle.TUPLE1: _short_tuple(1), pickle.TUPLE2: _short_tuple(2), pickle.TUPLE3: _short_tuple(3),
        pickle.APPEND: lambda machine: _append_to(machine, [machine.pop()]),
        pickle.APPENDS: lambda machine: _append_to(machine, machine.pop_to_mark()),
        pickle.SETITEM: _set_item, pickle.SETITEMS: _set_items, pickle.ADDITEMS: _add_items,
        pickle.FROZENSET: _frozenset,
        pickle.GLOBAL: _global, pickle.STACK_GLOBAL: _stack_global,
        pickle.REDUCE: _call, pickle.NEWOBJ: _make_new, pickle.BUILD: _build,
        pickle.PROTO: _protocol, pickle.FRAME: _frame, pickle.DUP: _duplicate, pickle.POP: _pop,
        pickle.POP_MARK: _pop_mark, pickle.MEMOIZE: _memoize, pickle.BINPUT: _put(_BYTE),
        pickle.LONG_BINPUT: _put(_UNSIGNED), pickle.BINGET: _get(_BYTE), pickle.LONG_BINGET: _get(_UNSIGNED),
    }.items()
}  # fmt: skip
