"""Operations on many elements, a piece at a time: what they need on the way stays in the cache; threads share them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazygrad.host.threads import get_num_threads, parallel_for
from lazygrad.ir.node import Node
from lazygrad.targets.evaluator import Compute

PIECE = 1 << 15  # elements; some arrays as long lie in a second-level cache
_GRAIN = 1 << 16  # elements that are worth a thread


def in_pieces(compute: Compute) -> Compute:
    """The same for a function of elements that keeps values of the result's size on the way."""

    def pieces(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
        if out.size <= PIECE:
            compute(node, out, operands)
        else:
            _compute_in_pieces(compute, node, out, operands, PIECE)

    return pieces


def on_threads(compute: Compute) -> Compute:
    """The same for a function of elements, on all threads where there are many."""

    def spread(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
        if out.size < 2 * _GRAIN or get_num_threads() == 1:
            compute(node, out, operands)
        else:
            _compute_in_pieces(compute, node, out, operands, out.size)

    return spread


def _compute_in_pieces(compute: Compute, node: Node, out: np.ndarray, operands: Sequence[Any], most: int) -> None:
    flat = _flattened(out, operands)
    if flat is not None:
        (out, *operands), axis = flat, 0
    else:
        axis = next(axis for axis, extent in enumerate(out.shape) if extent > 1)
    extent = out.shape[axis]
    each = out.size // extent  # elements
    step = max(1, most // each)
    split = [_is_split(operand, out.ndim, axis) for operand in operands]

    def run(first: int, last: int) -> None:
        for start in range(first, last, step):
            stop = min(start + step, last)
            parts = [
                operand[_along(axis - out.ndim + operand.ndim, start, stop)] if is_split else operand
                for operand, is_split in zip(operands, split, strict=True)
            ]
            compute(node, out[_along(axis, start, stop)], parts)

    parallel_for(run, extent, -(-_GRAIN // each))


def _flattened(out: np.ndarray, operands: Sequence[Any]) -> list[Any] | None:
    """The result and the operands with one axis; None where one is broadcast or not row-major."""
    flat: list[Any] = [out.reshape(-1)]
    for operand in operands:
        if np.ndim(operand) == 0:
            flat.append(operand)
        elif operand.size == 1:
            flat.append(operand.reshape(()))
        elif operand.shape == out.shape and operand.flags.c_contiguous:
            flat.append(operand.reshape(-1))
        else:
            return None
    return flat


def _is_split(operand: Any, rank: int, axis: int) -> bool:
    """Whether an operand of a result with so many axes has different elements along one of them."""
    own = axis - rank + np.ndim(operand)
    return own >= 0 and operand.shape[own] > 1


def _along(axis: int, start: int, stop: int) -> tuple[slice, ...]:
    return (slice(None),) * axis + (slice(start, stop),)
