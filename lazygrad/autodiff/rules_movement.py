"""Pullbacks of the views: each writes the cotangent back to where the elements came from."""

from __future__ import annotations

from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.ir.build import reshape, sum_to, zeros_like
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.view import View


def written_into_zeros(g: Node, x: Node, view: View) -> Node:
    """Zeros of ``x``'s type with ``g`` at the elements that ``view`` names; the view must not overlap itself."""
    return indexing.update_view(zeros_like(x), g, shape=view.shape, strides=view.strides, offset=view.offset)


def _permute(g: Node, y: Node, x: Node) -> Cotangents:
    axes = y["axes"]
    return mv.permute(g, axes=tuple(sorted(range(len(axes)), key=axes.__getitem__)))


def _slice(g: Node, y: Node, x: Node) -> Cotangents:
    start, stop, step = y.attrs
    if any(s != 1 for s in step):
        return written_into_zeros(g, x, View.contiguous(x.shape).slice(start, stop, step))
    after = tuple(size - end for size, end in zip(x.shape, stop, strict=True))
    return indexing.pad(g, g.like(0), before=start, after=after)


define_pullbacks(
    {
        mv.reshape: lambda g, y, x: reshape(g, x.shape),
        mv.permute: _permute,
        mv.expand: lambda g, y, x: sum_to(g, x.shape),
        mv.slice_: _slice,
        mv.flip: lambda g, y, x: mv.flip(g, axes=y["axes"]),
        mv.windows: lambda g, y, x: indexing.windows_adjoint(
            g, shape=x.shape, size=y["size"], stride=y["stride"], dilation=y["dilation"]
        ),
        mv.diagonal: lambda g, y, x: written_into_zeros(g, x, View.contiguous(x.shape).diagonal(*y.attrs)),
    }
)
