"""Connectionist temporal classification: the loss of all sequences as one call, and its gradient as another.

Source: Graves et al., "Connectionist Temporal Classification", 2006; its forward and backward variables, in logarithms.
"""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, float32, float64, int64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind, Refusal
from lazygrad.ir.shape import Shape, ShapeError


def _ctc(
    _: tuple[Any, ...], scores: TensorType, targets: TensorType, steps: TensorType, labels: TensorType
) -> tuple[Shape, DType]:
    if len(scores.shape) != 3 or scores.dtype not in (float32, float64):
        raise ShapeError(f"ctc: expected logarithms of probabilities (T, N, C), f32 or f64, but got {scores}")
    time, batch, _classes = scores.shape
    if len(targets.shape) != 2 or not targets.shape[0] == batch == steps.shape[0] == labels.shape[0]:
        raise ShapeError(f"ctc: expected {batch} targets and lengths, but got {targets}, {steps}, {labels}")
    if any(each.dtype is not int64 for each in (targets, steps, labels)):
        raise RuntimeError(f"ctc: expected targets and lengths of int64, but got {targets}, {steps}, {labels}")
    return (batch, time + 1, 2 * targets.shape[1] + 1), scores.dtype


def _ctc_gradients(
    attrs: tuple[Any, ...], cotangent: TensorType, result: TensorType, scores: TensorType, *others: TensorType
) -> tuple[Shape, DType]:
    shape, dtype = _ctc(attrs, scores, *others)
    if result.shape != shape or cotangent.shape != shape[:1] or not dtype is result.dtype is cotangent.dtype:
        raise ShapeError(f"ctc_gradients: {result} and {cotangent} are no result of shape {shape} and cotangent of it")
    return scores.shape, dtype


ctc = CallableOp(
    "ctc",
    Kind.LIBRARY,
    _ctc,
    ("blank",),
    doc="of each sequence the forward variables of all steps, and behind them -ln of the probability of its target; "
    "from logarithms of probabilities, targets, and the lengths of both",
    refuses=Refusal.INDEX,
)
ctc_gradients = CallableOp(
    "ctc_gradients",
    Kind.LIBRARY,
    _ctc_gradients,
    ("blank",),
    doc="gradient of the losses of ctc in the logarithms, from their cotangents, its result and its inputs; 0 where "
    "the cotangent is",
    refuses=Refusal.INDEX,
)
