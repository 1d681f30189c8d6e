"""Gradient-check cases of movement, reductions, scans, indexing and contractions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazygrad.ir.composites.pooling import max_pool
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from tests.reference import buffer_node

from .case import Case, integers, uniform

CUBE = uniform(2, 3, 4)
WITH_ZEROS = np.array([[0.0, 1.3, -0.7, 2.0], [0.0, 0.0, 1.5, -1.1], [0.4, 1.2, 0.0, 0.9]])


class Fixed:
    """Integer inputs of a case, which no gradient is taken of; `FIXED` gives the evaluator their values."""

    def __init__(self) -> None:
        self.values: dict[Node, np.ndarray] = {}

    def __call__(self, array: np.ndarray) -> Node:
        node = buffer_node(array)
        self.values[node] = array
        return node


FIXED = Fixed()
ROWS = FIXED(integers(1, 0, 1, 1))
COLUMNS = FIXED(integers(2, 0, 0, 1))
GATHER_INDEX = FIXED(integers(2, 0, 1, 1, shape=(2, 2)))
DISTINCT = FIXED(integers(2, 0, 1, 4, shape=(2, 2)))
SCATTER_INDEX = FIXED(integers(0, 2, 0, 1, shape=(2, 2)))
_CONVOLUTIONS = (
    {"stride": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1), "groups": 1},
    {"stride": (2, 1), "padding": ((1, 0), (1, 2)), "dilation": (1, 2), "groups": 2},
)


def _convolution_family(geometry: dict[str, Any]) -> dict[str, Case]:
    """One case for a convolution and one for each of its adjoints."""
    image, kernel = uniform(1, 2, 4, 5), uniform(2, 2 // geometry["groups"], 2, 2, seed=3)
    output = ct.conv(buffer_node(image), buffer_node(kernel), **geometry)
    cotangent = uniform(*output.shape, seed=5)
    return {
        "conv": Case(lambda x, w: ct.conv(x, w, **geometry), (image, kernel)),
        "conv_input_grad": Case(
            lambda g, w: ct.conv_input_grad(g, w, **geometry, shape=image.shape), (cotangent, kernel)
        ),
        "conv_weight_grad": Case(
            lambda g, x: ct.conv_weight_grad(g, x, **geometry, shape=kernel.shape), (cotangent, image)
        ),
    }


def _scattered_zeros() -> Case:
    """Products with a zero factor: one in a slot, two in a slot."""
    factors = np.array([[0.0, 1.3, 0.7], [0.4, 0.0, 0.9]])
    return Case(lambda x, source: ix.scatter(x, source, SCATTER_INDEX, axis=1, reduce="prod"), (factors, factors), 1)


def _scatter(reduce: str) -> Case:
    return Case(
        lambda x, source: ix.scatter(x, source, SCATTER_INDEX, axis=1, reduce=reduce),
        (uniform(2, 3), uniform(3, 2, seed=1)),
    )


_STRIDED = {"shape": (2, 2), "strides": (4, 2), "offset": 1}
_WINDOWS = {"size": (2, 3), "stride": (1, 2), "dilation": (2, 1)}

CASES: dict[str, list[Case]] = {
    "checkpoint": [Case(lambda x, y: leaf.checkpoint(ew.sin(x) * y, x, y, delayed=1), (uniform(2, 3), uniform(3)))],
    "reshape": [Case(lambda x: mv.reshape(x, shape=(4, 6)), (CUBE,))],
    "permute": [Case(lambda x: mv.permute(x, axes=(1, 2, 0)), (CUBE,))],
    "expand": [Case(lambda x: mv.expand(x, shape=(2, 3, 4)), (uniform(3, 1),)),
               Case(lambda x: mv.expand(x, shape=(2, 3)), (uniform(),))],
    "slice": [Case(lambda x: mv.slice_(x, start=(0, 1, 0), stop=(2, 3, 4), step=(1, 1, 1)), (CUBE,)),
              Case(lambda x: mv.slice_(x, start=(0, 1, 0), stop=(1, 3, 4), step=(1, 1, 3)), (CUBE,))],
    "flip": [Case(lambda x: mv.flip(x, axes=(0, 2)), (CUBE,))],
    "windows": [Case(lambda x: mv.windows(x, **_WINDOWS), (uniform(2, 5, 5),))],
    "max_pool": [Case(lambda x: max_pool(x, size=(2, 2), stride=(2, 1), padding=((1, 0), (0, 0)), dilation=(1, 1)),
                      (uniform(2, 3, 4),))],
    "windows_adjoint": [Case(lambda g: ix.windows_adjoint(g, shape=(4, 5), **_WINDOWS), (uniform(2, 2, 2, 3),))],
    "diagonal": [Case(lambda x: mv.diagonal(x, offset=1, axis1=0, axis2=2), (CUBE,)),
                 Case(lambda x: mv.diagonal(x, offset=-1, axis1=1, axis2=2), (CUBE,))],
    "reduce_sum": [Case(lambda x: rd.reduce_sum(x, axes=(0, 2)), (CUBE,))],
    "reduce_prod": [Case(lambda x: rd.reduce_prod(x, axes=(1,)), (WITH_ZEROS,), 3),
                    Case(lambda x: rd.reduce_prod(x, axes=(0, 2)), (uniform(2, 2, 2),), 3),
                    Case(lambda x: rd.reduce_prod(x, axes=()), (CUBE,))],
    "reduce_max": [Case(lambda x: rd.reduce_max(x, axes=(0, 2)), (CUBE,))],
    "reduce_min": [Case(lambda x: rd.reduce_min(x, axes=(1,)), (CUBE,))],
    "cumsum": [Case(lambda x: rd.cumsum(x, axis=1), (CUBE,))],
    "logcumsumexp": [Case(lambda x: rd.logcumsumexp(x, axis=1), (uniform(2, 4, low=-2.0, high=2.0),), 3)],
    "cumprod": [Case(lambda x: rd.cumprod(x, axis=1), (WITH_ZEROS,), 3),
                Case(lambda x: rd.cumprod(x, axis=0), (uniform(5, 2),))],
    "take": [Case(lambda x: ix.take(x, ROWS), (CUBE,)), Case(lambda x: ix.take(x, ROWS, COLUMNS), (CUBE,))],
    "put": [Case(lambda x, v: ix.put(x, v, ROWS, COLUMNS, accumulate=True), (CUBE, uniform(4, 4))),
            Case(lambda x, v: ix.put(x, v, COLUMNS, accumulate=True), (uniform(3), uniform(4))),
            Case(lambda x, v: ix.put(x, v, DISTINCT, accumulate=False), (uniform(5, 2), uniform(2, 2, 2)))],
    "gather": [
        Case(lambda x: ix.gather(x, GATHER_INDEX, axis=1, wraps=False), (uniform(2, 3),)),
        Case(lambda x: ix.gather(x, GATHER_INDEX - 3, axis=1, wraps=True), (uniform(2, 3),)),
    ],
    "scatter": [*map(_scatter, ("set", "sum", "amax", "amin", "prod")), _scattered_zeros()],
    "pad": [Case(lambda x, v: ix.pad(x, v, before=(1, 0), after=(0, 2)), (uniform(2, 3), uniform())),
            Case(lambda x, v: ix.pad(x, v, before=(-1, 2), after=(1, -1)), (uniform(2, 3), uniform()))],
    "concat": [Case(lambda *parts: ix.concat(*parts, axis=1), (uniform(2, 1), uniform(2, 3), uniform(2, 2))),
               Case(lambda x: ix.concat(x, x, axis=0), (uniform(2, 1),))],
    "roll": [Case(lambda x: ix.roll(x, leaf.structural_number(2, int64), axis=1, backward=False), (uniform(2, 3),)),
             Case(lambda x: ix.roll(x, leaf.structural_number(4, int64), axis=0, backward=True), (uniform(3),))],
    "update_view": [Case(lambda x, v: ix.update_view(x, v, **_STRIDED), (uniform(2, 4), uniform(2, 2)))],
    "read_view": [Case(lambda x: ix.read_view(x, **_STRIDED), (uniform(2, 4),)),
                  Case(lambda x: ix.read_view(x, shape=(3, 2), strides=(1, 1), offset=1), (uniform(2, 4),))],
    "matmul": [Case(ct.matmul, (uniform(2, 3), uniform(3, 2)), 3),
               Case(ct.matmul, (uniform(2, 2, 3), uniform(3, 2))),
               Case(ct.matmul, (uniform(2, 3), uniform(2, 3, 2))),
               Case(ct.matmul, (uniform(2, 1, 2, 3), uniform(2, 3, 1)))],
    **{name: [_convolution_family(geometry)[name] for geometry in _CONVOLUTIONS]
       for name in ("conv", "conv_input_grad", "conv_weight_grad")},
}  # fmt: skip
