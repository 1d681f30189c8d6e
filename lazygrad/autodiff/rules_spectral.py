"""Pullbacks of the Fourier transforms: the adjoint of a transform is the one back, with the same factor."""

from __future__ import annotations

from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.ir.build import cast, iota, reshape
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import spectral as sp


def _weighted(frequencies: Node, axis: int, size: int, weight: float) -> Node:
    """``frequencies`` of a real signal of ``size`` points times a weight, but for the first and the middle one.

    All others stand for a pair, of which the half that is kept holds one.
    """
    count = frequencies.shape[axis]
    place = iota(count, int64, frequencies.device)
    is_alone = ew.eq(place, place.like(0))
    if size % 2 == 0:
        is_alone = ew.bitwise_or(is_alone, ew.eq(place, place.like(size // 2)))
    one = cast(place.like(1), frequencies.dtype.to_real())
    weights = ew.where(is_alone, one, one * weight)
    shape = (count, *(1,) * (frequencies.rank - axis - 1))
    return frequencies * cast(reshape(weights, shape), frequencies.dtype)


def _c2c(g: Node, y: Node, x: Node) -> Cotangents:
    return sp.fft_c2c(g, axes=y["axes"], inverse=not y["inverse"], norm=sp.OPPOSITE[y["norm"]])


def _r2c(g: Node, y: Node, x: Node) -> Cotangents:
    axes = y["axes"]
    size = x.shape[axes[-1]]
    return sp.fft_c2r(_weighted(g, axes[-1], size, 0.5), axes=axes, size=size, norm=sp.OPPOSITE[y["norm"]])


def _c2r(g: Node, y: Node, x: Node) -> Cotangents:
    axes = y["axes"]
    return _weighted(sp.fft_r2c(g, axes=axes, norm=sp.OPPOSITE[y["norm"]]), axes[-1], y["size"], 2.0)


define_pullbacks({sp.fft_c2c: _c2c, sp.fft_r2c: _r2c, sp.fft_c2r: _c2r})
