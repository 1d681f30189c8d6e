"""Pullbacks of recurrent layers: one call goes back through time, products over all steps follow for the weights."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autodiff.padded_parts import part_of
from lazygrad.autodiff.recurrences import at, between, joined, spelled_out_recurrence
from lazygrad.autodiff.registry import Cotangent, Cotangents, define_pullbacks
from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import filled, flat_rows, reduce_sum, reshape, swap_last, zeros_like
from lazygrad.ir.matrix import is_zero
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import recurrence as rc
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ir.primitives.movement import view_chain
from lazygrad.ir.shape import numel


def _recur(g: Node, y: Node, *operands: Node) -> Cotangents:
    given = rc.named_operands(y["cell"], y["is_projected"], operands)
    steps, batch, gates = given["inputs"].shape
    width = given["weight"].shape[1]
    end = width + (given["cell"].shape[1] if "cell" in given else 0)
    last = 0 if y["is_reversed"] else steps - 1
    others = ((0, 0, end), (steps, batch, y.shape[2])), ((0, 0, width), (last, batch, end)), (
        (last + 1, 0, width), (steps, batch, end)
    )  # fmt: skip
    if any(part_of(g, *other) is not None for other in others):
        return _through_steps(g, y, operands)
    cotangents = [part_of(g, (0, 0, 0), (steps, batch, width)) or zeros_like(between(y, 2, 0, width))]
    if "cell" in given:
        found = part_of(g, (last, 0, width), (last + 1, batch, end))
        cotangents.append(zeros_like(given["cell"]) if found is None else reshape(found, found.shape[1:]))
    through_time = rc.recur_gradients(*cotangents, y, *operands, **dict(y.named_attrs()))
    all_steps, first = between(through_time, 0, 0, steps), at(through_time, steps)
    into_gates = between(all_steps, 2, 0, gates)
    into_product = _into_product(into_gates, y)
    gradients: dict[str, Cotangent] = {
        "inputs": into_gates,
        "hidden": between(first, 1, 0, width),
        "weight": lambda: _into_weight(into_product, y, given["hidden"]),
        "bias": lambda: reshape(reduce_sum(into_product, (0, 1)), (gates,)),
        "projection": lambda: _into_projection(between(all_steps, 2, gates, gates + width), y),
    }
    if "cell" in given:
        gradients["cell"] = between(first, 1, width, width + given["cell"].shape[1])
    return tuple([gradients.get(name) for name in given])


def _through_steps(g: Node, y: Node, operands: Sequence[Node]) -> Cotangents:
    """Where gates are differentiated, or cell states along the way, which happens for second derivatives only."""
    variables = _variables(operands)
    found = reverse_sweep(spelled_out_recurrence(variables, **dict(y.named_attrs())).result, g, variables)
    return tuple([found.get(variable) for variable in variables])


def _variables(operands: Sequence[Node]) -> list[Node]:
    """The operands, told apart where they are one node."""
    return [make_node(straight_through, (operand, operand), (), operand.origin) for operand in operands]


def _into_product(into_gates: Node, y: Node) -> Node:
    """The gradient in the product of state and weight: what enters the new value of a GRU is reset first."""
    if y["cell"] != rc.GRU:
        return into_gates
    size = into_gates.shape[2] // 3
    reset = between(y, 2, size, 2 * size)
    return concat(between(into_gates, 2, 0, 2 * size), between(into_gates, 2, 2 * size, 3 * size) * reset, axis=2)


def _into_weight(into_product: Node, y: Node, hidden: Node) -> Node:
    """Every step's gradient times the state before it."""
    steps, width = y.shape[0], hidden.shape[1]
    states = between(y, 2, 0, width)
    if y["is_reversed"]:
        first, later, before = steps - 1, (0, steps - 1), (1, steps)
    else:
        first, later, before = 0, (1, steps), (0, steps - 1)
    terms = []
    if steps > 1:
        terms.append(_product(between(into_product, 0, *later), between(states, 0, *before)))
    if steps == 1 or not is_zero(view_chain(hidden)[0]):
        terms.append(_product(between(into_product, 0, first, first + 1), reshape(hidden, (1, *hidden.shape))))
    return terms[0] if len(terms) == 1 else terms[0] + terms[1]


def _product(left: Node, right: Node) -> Node:
    """leftᵀ · right, both as matrices of their last axes."""
    return matmul(swap_last(flat_rows(left)), flat_rows(right))


def _into_projection(into_hidden: Node, y: Node) -> Node:
    """The projected values are the output gate times the squashed cell state."""
    width = into_hidden.shape[2]
    size = (y.shape[2] - width) // 5
    memory, output = between(y, 2, width, width + size), between(y, 2, width + 4 * size, width + 5 * size)
    return _product(into_hidden, output * ew.tanh(memory))


def _recur_gradients(g: Node, y: Node, *inputs: Node) -> Cotangents:
    """Through the steps as operations that have derivatives. The result of `recur` is a function of its inputs."""
    known = 2 if y["cell"] == rc.LSTM else 1
    variables = _variables((*inputs[:known], *inputs[known + 1 :]))
    gradients = _spelled_out_gradients(y, variables[:known], variables[known:])
    found = reverse_sweep(gradients, g, variables)
    into = [found.get(variable) for variable in variables]
    return (*into[:known], None, *into[known:])


def _spelled_out_gradients(y: Node, cotangents: Sequence[Node], operands: Sequence[Node]) -> Node:
    layer = spelled_out_recurrence(operands, **dict(y.named_attrs()))
    given = rc.named_operands(y["cell"], y["is_projected"], operands)
    steps, width = given["inputs"].shape[0], given["hidden"].shape[1]
    results, first = [between(layer.result, 2, 0, width)], [given["hidden"]]
    if "cell" in given:
        last = at(layer.result, 0 if y["is_reversed"] else steps - 1)
        results.append(between(last, 1, width, width + given["cell"].shape[1]))
        first.append(given["cell"])
    wanted = (given["inputs"], *first, *layer.computed)
    found = reverse_sweep(_flat(results), _flat(cotangents), wanted)
    parts = {x: found.get(x) or zeros_like(x) for x in wanted}
    each_step = [parts[given["inputs"]]]
    if y["is_projected"]:
        each_step.append(joined([reshape(parts[x], (1, *x.shape)) for x in layer.computed], 0))
    row = [parts[x] for x in first]
    missing = y.shape[2] - sum([x.shape[1] for x in row])
    row += [filled((y.shape[1], missing), 0, y)] if missing else []
    return concat(joined(each_step, 2), reshape(joined(row, 1), (1, *y.shape[1:])), axis=0)


def _flat(parts: Sequence[Node]) -> Node:
    """All elements in one row."""
    return joined([reshape(part, (numel(part.shape),)) for part in parts], 0)


define_pullbacks({rc.recur: _recur, rc.recur_gradients: _recur_gradients})
