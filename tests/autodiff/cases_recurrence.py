"""Gradient-check cases of recurrent layers and of their gradients."""

from __future__ import annotations

import numpy as np

from lazygrad.autodiff.recurrences import between
from lazygrad.ir.build import reshape
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import recurrence as rc
from lazygrad.ir.primitives.indexing import concat

from .case import Case, uniform
from .cases_structural import FIXED

STEPS, BATCH, SIZE, WIDTH = 2, 2, 2, 1
LENGTHS = FIXED(np.array([2, 1]))


def _operands(cell: str, projected: bool = False) -> tuple[np.ndarray, ...]:
    gates, width = rc.GATES[cell] * SIZE, WIDTH if projected else SIZE
    arrays = [uniform(STEPS, BATCH, gates), uniform(BATCH, width, seed=1), uniform(gates, width, seed=2)]
    arrays += [uniform(BATCH, SIZE, seed=3)] if cell == rc.LSTM else []
    arrays += [uniform(gates, seed=4)] if cell == rc.GRU else []
    arrays += [uniform(width, SIZE, seed=5)] if projected else []
    return tuple(arrays)


def _recur(cell: str, *operands: Node, backwards: bool = False, projected: bool = False) -> Node:
    return rc.recur(*operands, cell=cell, is_reversed=backwards, is_projected=projected)


def _states(cell: str, *operands: Node, backwards: bool = False, projected: bool = False) -> Node:
    """What of a result has cotangents: all hidden states, and the last cell state."""
    y = _recur(cell, *operands, backwards=backwards, projected=projected)
    width = operands[1].shape[1]
    hidden = between(y, 2, 0, width)
    if cell != rc.LSTM:
        return hidden
    last = 0 if backwards else STEPS - 1
    memory = between(between(y, 0, last, last + 1), 2, width, width + SIZE)
    return concat(*[reshape(x, (x.shape[0] * x.shape[1] * x.shape[2],)) for x in (hidden, memory)], axis=0)


def _gradients(cell: str, *inputs: Node, backwards: bool = False, projected: bool = False) -> Node:
    known = 2 if cell == rc.LSTM else 1
    y = _recur(cell, *inputs[known:], backwards=backwards, projected=projected)
    how = {"cell": cell, "is_reversed": backwards, "is_projected": projected}
    return rc.recur_gradients(*inputs[:known], y, *inputs[known:], **how)


def _cotangents(cell: str, projected: bool = False) -> tuple[np.ndarray, ...]:
    hidden = uniform(STEPS, BATCH, WIDTH if projected else SIZE, seed=6)
    return (hidden, uniform(BATCH, SIZE, seed=7)) if cell == rc.LSTM else (hidden,)


def _cases(
    function: object, cell: str, before: tuple[np.ndarray, ...], wide: tuple[np.ndarray, ...], order: int = 2
) -> list[Case]:
    def case(*extra: Node, arrays: tuple[np.ndarray, ...], **how: bool) -> Case:
        return Case(lambda *x: function(cell, *x, *extra, **how), arrays, order)  # type: ignore[operator]

    cases = [
        case(arrays=(*before, *_operands(cell))),
        case(LENGTHS, arrays=(*before, *_operands(cell)), backwards=True),
    ]
    if cell == rc.LSTM:
        cases.append(case(LENGTHS, arrays=(*wide, *_operands(cell, True)), projected=True))
    return cases


CASES = {
    "recur": [case for cell in rc.GATES for case in _cases(_states, cell, (), ())],
    "recur_gradients": [
        case for cell in rc.GATES for case in _cases(_gradients, cell, _cotangents(cell), _cotangents(cell, True), 1)
    ],
}
