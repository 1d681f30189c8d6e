"""The smallest programs are computed where they are asked for: to find a plan takes longer than they do.

A comparison of two numbers, the sum of some hundred, an element that is added to: what a program looks at between its
large steps. They have no key, and no plan however often they come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer, host_view, layout_of
from lazygrad.host.quiet import quietly, quietly_of
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.primitives.leaf import buffer, constant, scalar
from lazygrad.runtime.blame import add_place
from lazygrad.runtime.composite_parts import small_computation
from lazygrad.runtime.form_source import FormFunction, is_kept, takes_its_array
from lazygrad.runtime.recording import forward_mode_is_open, keeps_its_history
from lazygrad.runtime.small_forms import MOST_BYTES, Form, is_little_work
from lazygrad.targets.evaluator import Evaluator, makes_array

MOST_NODES = 48
FEW_NODES = 16  # so little work that it is done before anybody asks for the result
_MOST_FORMS = 1 << 12
_MOST_NODES_OF_FORMS = 1 << 16  # of all together; a function takes about a kilobyte for each
_FORMS_OF_PLACE = 4  # that are tried; each takes about a tenth of the time of a look for the form

_Way = Callable[[Node, Sequence[Any], Evaluator], Any]  # how a node gets its value
_ways: dict[Op, _Way | None] = {}
_forms: dict[tuple[Any, ...], Form | None] = {}  # None: programs of this form are not small
_NOT_SEEN: Any = object()

SmallProgram = tuple[Form, list[Node]]  # nodes from the root on, in the order in which a walk comes by


def small_program(root: Node, evaluator: Evaluator, most_nodes: int = MOST_NODES) -> SmallProgram | None:
    """What must be computed for a pending node; None if that is much, or a gradient may be asked of it.

    Args:
        root: a pending node.
        evaluator: what will compute it.
        most_nodes: how many nodes are not much.
    """
    type = root.type
    if type.device is not CPU or layout_of(type)[1] > MOST_BYTES:
        return None
    found, positions = [root], {root: 0}
    key: list[Any] = []
    for node in found:
        meta, op = node.autograd, node.op
        way = _ways.get(op, _unknown)
        if way is _unknown:
            way = _ways[op] = _way(op)
        if way is None or (meta is not None and meta.tracked and (node is root or not op.is_view)):
            return None  # a view on the way stays as it is
        # A number is handed over at each run. A node whose `autograd` is not None is kept for its tensor.
        key += (op, node.type, meta is None) if way is _number else (op, node.type, meta is None, node.attrs)
        for source in node.inputs:
            if source.value is not None:
                key += (source.type, source.op)
                continue
            position = positions.get(source)
            if position is None:
                position = positions[source] = len(found)
                found.append(source)
            key.append(position)
        if len(found) > most_nodes:
            return None
    known = tuple(key)
    form = _forms.get(known, _NOT_SEEN)
    if form is _NOT_SEEN:
        form = _new_form(known, found, evaluator)
    return None if form is None else (form, found)


def _new_form(key: tuple[Any, ...], nodes: Sequence[Node], evaluator: Evaluator) -> Form | None:
    form = Form(nodes, evaluator) if is_little_work(nodes, evaluator) else None
    _size.nodes += len(nodes)
    if len(_forms) >= _MOST_FORMS or _size.nodes > _MOST_NODES_OF_FORMS:
        _forms.clear()
        _functions.clear()
        _places.clear()
        _size.nodes = len(nodes)
    _forms[key] = form
    return form


class _Size:
    """How many nodes the forms have that are known."""

    nodes = 0


_size = _Size()


def compute(program: SmallProgram, evaluator: Evaluator) -> None:
    """Give the root of a small program a value, and with it the contents of tensors on the way.

    Raises:
        IndexError, RuntimeError, ValueError: what an operation refuses, with the line that recorded it.
    """
    form, nodes = program
    keeps_history = forward_mode_is_open()  # of gradients there are none here
    if not keeps_history:
        function = form.function if form.function is not None else form.noted(nodes, evaluator)
        if function is not None and evaluator is form.evaluator and _is_computed_by(function, nodes[0]):
            if not form.is_view:
                _note_place(nodes[0], function)
            return
    quietly(_compute, [nodes[position] for position in form.order], nodes[0], evaluator, keeps_history)


def _is_computed_by(function: FormFunction, root: Node) -> bool:
    try:
        return quietly_of(function, root)
    except Exception:  # nothing has got a value; step by step it is known whose error that is
        return False


# A line of a program mostly asks for what it asked for before, and is known by the place that recorded the root.
_places: dict[int, FormFunction] = {}
_functions: dict[int, tuple[FormFunction, ...]] = {}  # which a place tries, the latest first


def is_computed_as_before(root: Node) -> bool:
    """Give a pending node a value if it is a small program of a form that was computed for its line before.

    It is no view of what is computed. The caller sees to it that no forward mode is open, and that the evaluator of
    the host would compute the program.
    """
    origin = root.origin
    if origin is None:
        return False
    function = _places.get(origin.place_number)
    if function is None:
        return False
    try:
        return quietly_of(function, root)
    except Exception:
        return False


def _note_place(root: Node, function: FormFunction) -> None:
    if root.origin is None:
        return
    if len(_functions) >= _MOST_FORMS:
        _functions.clear()
        _places.clear()
    number = root.origin.place_number
    known = _functions.get(number, ())
    if function not in known:
        functions = _functions[number] = (function, *known[: _FORMS_OF_PLACE - 1])
        _places[number] = _one_of(functions) if known else function


def _one_of(functions: Sequence[FormFunction]) -> FormFunction:
    def compute(root: Node) -> bool:
        for function in functions:  # a generator for `any` takes as long as the rest
            if function(root):
                break
        else:
            return False
        return True

    return compute


def _compute(program: Sequence[Node], root: Node, evaluator: Evaluator, keeps_history: bool) -> None:
    values: dict[Node, Any] = {}
    for node in program:
        operands = [values[read] if read.value is None else host_view(read.value) for read in node.inputs]
        values[node] = _ways[node.op](node, operands, evaluator)  # type: ignore[misc]  # those without are no part
    taken: set[Node] = set()
    kept = [node for node in program if node is root or is_kept(node)]
    arrays = [values[node] if takes_its_array(node, taken) else np.array(values[node], order="C") for node in kept]
    for node, array in zip(kept, arrays, strict=True):
        node.value = Buffer(array)
        if not (keeps_history and keeps_its_history(node, ())):
            node.seal(buffer)


# How nodes get their values, by the kind of their op.


def _made(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> np.ndarray:
    array = np.empty(node.type.shape, layout_of(node.type)[0])
    try:
        computation = small_computation(node, evaluator)
        assert computation is not None
        computation.compute(node, array, operands)
    except Exception as error:
        add_place(error, node.origin)
        raise
    return array


def _moved(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> Any:
    return evaluator.moved(node, operands[0])


def _same(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> Any:
    return operands[0]


def _number(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> Any:
    return evaluator.number(node)


def _unknown(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> Any:
    raise AssertionError("this way stands for an op that nobody has asked for")


def _way(op: Op) -> _Way | None:
    if op is constant or op is scalar:
        return _number
    if makes_array(op):
        return _made
    return {Kind.MOVEMENT: _moved, Kind.IDENTITY: _same}.get(op.kind)
