"""In-graph randomness: a counter-based generator whose seed and counter are runtime arguments."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, word32
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape


def _philox(attrs: tuple[Any, ...], seed: TensorType, counter: TensorType) -> tuple[Shape, DType]:
    return attrs[0], word32


philox = CallableOp(
    "philox",
    Kind.LIBRARY,
    _philox,
    ("shape",),
    doc="uniform 32-bit words from Philox4x64-10 (seed, counter)",
    number_inputs=(0, 1),
)
