"""Gradient-check cases with complex numbers: their own ops, and every op that takes them beside real ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lazygrad.ir.build import swap_last
from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites import logarithm
from lazygrad.ir.composites import softmax as sm
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives import spectral as sp
from lazygrad.ir.primitives.reinterpret import reinterpret

from .case import Case, uniform


def _complex(*shape: int, seed: int = 0, size: float = 1.2) -> np.ndarray:
    """Numbers away from 0 and from the axes, where functions have branch cuts."""
    magnitude, angle = uniform(*shape, low=0.4, high=size, seed=seed), uniform(*shape, low=0.2, high=1.3, seed=seed + 1)
    quadrant = np.random.default_rng(seed).integers(0, 4, shape)
    return magnitude * np.exp(1j * (angle + quadrant * np.pi / 2))


Z, W = _complex(2, 3), _complex(2, 3, seed=5)
_GEOMETRY = {"stride": (2,), "padding": ((1, 0),), "dilation": (1,), "groups": 1}


def _unary(op: Callable[..., Node], order: int = 2) -> list[Case]:
    return [Case(op, (Z,), order)]


def _binary(op: Callable[..., Node]) -> list[Case]:
    return [Case(op, (Z, W)), Case(op, (Z[:, :1], W)), Case(op, (Z, W[0]))]


def _from_real(x: Node) -> Node:
    """A real number made complex: its gradient is real."""
    z = ew.cast(x, dtype="complex128")
    return z * z * complex(0.5, 2)


def _to_real(z: Node) -> Node:
    return ew.cast(z * z, dtype="float64")


def _chosen(z: Node, w: Node) -> Node:
    size = ew.abs_(z)
    return ew.where(ew.lt(size, size.like(0.8)), z, w)


def _as_pairs(z: Node) -> Node:
    pairs = reinterpret(z, dtype="float64")
    return reinterpret(pairs * pairs, dtype="complex128")


_HOLOMORPHIC = (
    "neg exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
).split()

CASES: dict[str, list[Case]] = {
    **{name: _unary(getattr(ew, name)) for name in _HOLOMORPHIC},
    **{name: _unary(getattr(ew, name), 1) for name in ("real", "imag", "conj")},
    **{name: _unary(getattr(act, name)) for name in ("sigmoid", "silu", "rsqrt", "reciprocal", "square")},
    "abs": _unary(ew.abs_),
    "complex": [Case(lambda x, y: ew.complex_(x * y, y), (uniform(2, 3), uniform(2, 3, seed=1)))],
    "reinterpret": [Case(_as_pairs, (Z,))],
    "cast": [Case(_from_real, (uniform(2, 3),)), Case(_to_real, (Z,))],
    "add": _binary(ew.add),
    "sub": _binary(ew.sub),
    "mul": _binary(ew.mul),
    "div": _binary(ew.div),
    "pow": [
        *_binary(ew.pow_),
        Case(lambda z: ew.pow_(z, z.like(3)), (Z,)),
        Case(lambda z: ew.pow_(z, z.like(2)), (Z,)),
        Case(lambda z: ew.pow_(z, z.like(complex(0.5, 1.5))), (Z,)),
    ],
    "where": [Case(_chosen, (Z, W))],
    "reduce_sum": _unary(lambda z: rd.reduce_sum(z * z, axes=(0,))),
    "reduce_prod": [Case(lambda z: rd.reduce_prod(z, axes=(0, 1)), (Z,))],
    "cumsum": _unary(lambda z: rd.cumsum(z * z, axis=1)),
    "cumprod": _unary(lambda z: rd.cumprod(z, axis=1)),
    "sinc": _unary(logarithm.sinc),
    "logaddexp": [Case(logarithm.logaddexp, (Z, W))],
    "logcumsumexp": _unary(lambda z: rd.logcumsumexp(z, axis=1)),
    "logsumexp": _unary(lambda z: sm.logsumexp(z, axes=(1,))),
    "matmul": [
        Case(lambda z, w: ct.matmul(z, swap_last(w)), (Z, W)),
        Case(ct.matmul, (_complex(2, 2, 3), _complex(2, 3, 2, seed=3))),
    ],
    "linear": [Case(linear, (Z, W, _complex(2, seed=9)))],
    "conv": [Case(lambda z, w: ct.conv(z, w, **_GEOMETRY), (_complex(1, 2, 5), _complex(2, 2, 2, seed=3)))],
    "conv_input_grad": [
        Case(
            lambda g, w: ct.conv_input_grad(g, w, **_GEOMETRY, shape=(1, 2, 5)),
            (_complex(1, 2, 3), _complex(2, 2, 2, seed=3)),
        )
    ],
    "conv_weight_grad": [
        Case(
            lambda g, z: ct.conv_weight_grad(g, z, **_GEOMETRY, shape=(2, 2, 2)),
            (_complex(1, 2, 3), _complex(1, 2, 5, seed=3)),
        )
    ],
    "fft_c2c": [
        Case(lambda z: sp.fft_c2c(z * z, axes=(1,), inverse=False, norm="backward"), (Z,)),
        Case(lambda z: sp.fft_c2c(z * z, axes=(0, 1), inverse=True, norm="ortho"), (Z,)),
    ],
    "fft_r2c": [
        Case(lambda x, a=axes, n=norm: sp.fft_r2c(x * x, axes=a, norm=n), (uniform(*shape),))
        for shape in ((2, 4), (2, 5), (2, 2))
        for axes, norm in (((1,), "backward"), ((1, 0), "forward"))
    ],
    "fft_c2r": [
        Case(lambda z, a=axes, n=size: sp.fft_c2r(z * z, axes=a, size=n, norm="backward"), (_complex(*shape),))
        for shape, axes, size in (((2, 3), (1,), 4), ((2, 3), (1,), 5), ((3, 2), (1, 0), 4), ((2, 1), (0, 1), 1))
    ],
    "concat": [Case(lambda z, w: ix.concat(z * z, w, axis=1), (Z, W))],
}
