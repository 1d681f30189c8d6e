"""Pullbacks of gathers, scatters and the data movements that copy."""

from __future__ import annotations

from itertools import accumulate

from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.autodiff.rules_binary import is_number
from lazygrad.autodiff.rules_reduction import attains
from lazygrad.ir.build import cast, filled, iota, reduce_sum, reshape, zeros_like
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.ir.shape import numel
from lazygrad.ir.view import View


def _put(g: Node, y: Node, x: Node, values: Node, *indices: Node) -> Cotangents:
    kept = g if y["accumulate"] else ix.put(g, zeros_like(values), *indices, accumulate=False)
    return (kept, ix.take(g, *indices), *[None] * len(indices))


def _grown(g: Node, source: Node) -> Node:
    """``g``, which covers a leading corner of ``source``, with zeros in the rest."""
    after = tuple(want - have for have, want in zip(g.shape, source.shape, strict=True))
    return ix.pad(g, g.like(0), before=(0,) * g.rank, after=after) if any(after) else g


def _corner(source: Node, index: Node) -> Node:
    """The leading part of ``source`` that ``index`` covers."""
    if source.shape == index.shape:
        return source
    return mv.slice_(source, start=(0,) * source.rank, stop=index.shape, step=(1,) * source.rank)


def _scatter_set(g: Node, y: Node, x: Node, source: Node, index: Node) -> Cotangents:
    zeros = filled(index.shape, 0, g)
    return (
        ix.scatter(g, zeros, index, axis=y["axis"], reduce="set"),
        _grown(ix.gather(g, index, axis=y["axis"], wraps=False), source),
        None,
    )


def _scatter_extremum(g: Node, y: Node, x: Node, source: Node, index: Node) -> Cotangents:
    """All that attain a slot's extremum share its gradient evenly, the original element included.

    An original that changes no extremum, as the one that stands for none, has no share where others attain it.
    """
    axis = y["axis"]
    attained = attains(_corner(source, index), ix.gather(y, index, axis=axis, wraps=False))
    others = ix.scatter(zeros_like(x), attained, index, axis=axis, reduce="sum")
    least = x.like(x.dtype.lowest if y["reduce"] == "amax" else x.dtype.highest)
    is_none = ew.bitwise_and(ew.eq(x, least), ew.gt(others, others.like(0)))
    kept = ew.where(is_none, zeros_like(x), attains(x, y))
    share = g / (others + kept)
    return share * kept, _grown(ix.gather(share, index, axis=axis, wraps=False) * attained, source), None


def _scatter_product(g: Node, y: Node, x: Node, source: Node, index: Node) -> Cotangents:
    """Each factor gets the product of the others: the product of the nonzero ones, unless another one is zero."""
    axis, factors = y["axis"], _corner(source, index)

    def zeros_of(values: Node) -> Node:
        return ew.eq(values, values.like(0))

    def without_zeros(values: Node) -> Node:
        return ew.where(zeros_of(values), values.like(1), values)

    product = ix.scatter(without_zeros(x), without_zeros(factors), index, axis=axis, reduce="prod")
    zeros = ix.scatter(cast(zeros_of(x), x.dtype), cast(zeros_of(factors), x.dtype), index, axis=axis, reduce="sum")

    def share(g: Node, product: Node, zeros: Node, factor: Node) -> Node:
        others = product / without_zeros(factor)
        other_zeros = zeros - cast(zeros_of(factor), zeros.dtype)
        return ew.where(zeros_of(other_zeros), g * others, g.like(0))

    def at_index(slots: Node) -> Node:
        return ix.gather(slots, index, axis=axis, wraps=False)

    into_source = share(at_index(g), at_index(product), at_index(zeros), factors)
    return share(g, product, zeros, x), _grown(into_source, source), None


def _scatter(g: Node, y: Node, x: Node, source: Node, index: Node) -> Cotangents:
    reduce = y["reduce"]
    if reduce == "set":
        return _scatter_set(g, y, x, source, index)
    if reduce == "sum":
        return g, _grown(ix.gather(g, index, axis=y["axis"], wraps=False), source), None
    if reduce in ("amax", "amin"):
        return _scatter_extremum(g, y, x, source, index)
    return _scatter_product(g, y, x, source, index)


def _pad(g: Node, y: Node, x: Node, value: Node) -> Cotangents:
    before, after = y.attrs
    if min((*before, *after), default=0) >= 0:
        stop = tuple(low + size for low, size in zip(before, x.shape, strict=True))
        inner = mv.slice_(g, start=before, stop=stop, step=(1,) * x.rank)
    else:
        inner = ix.pad(g, g.like(0), before=tuple(-n for n in before), after=tuple(-n for n in after))
    if is_number(value):
        return inner, None
    border = ix.pad(zeros_like(x), x.like(1), before=before, after=after)
    return inner, reshape(reduce_sum(g * border, tuple(range(g.rank))), ())


def _concat(g: Node, y: Node, *parts: Node) -> Cotangents:
    axis = y["axis"]
    ends = list(accumulate(part.shape[axis] for part in parts))
    step = (1,) * g.rank
    return tuple(
        mv.slice_(
            g,
            start=tuple(end - part.shape[axis] if a == axis else 0 for a in range(g.rank)),
            stop=tuple(end if a == axis else size for a, size in enumerate(g.shape)),
            step=step,
        )
        for part, end in zip(parts, ends, strict=True)
    )


def _update_view(g: Node, y: Node, base: Node, values: Node, *shift: Node) -> Cotangents:
    view = dict(y.named_attrs())
    outside, inside = ix.update_view(g, zeros_like(values), *shift, **view), ix.read_view(g, *shift, **view)
    return outside, inside, *[None for _ in shift]


def _names_twice(view: View) -> bool:
    """False when every element is surely named once: each stride steps over all that the smaller ones reach."""
    reach = 0
    for stride, size in sorted((abs(s), n) for s, n in zip(view.strides, view.shape, strict=True) if n > 1):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


def _positions(view: View, like: Node) -> Node:
    """The flat position of each element of ``view``, in row-major order."""
    positions = filled(view.shape, view.offset, cast(like.like(0), int64))
    for axis, (size, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        shape = tuple(size if a == axis else 1 for a in range(len(view.shape)))
        positions = positions + reshape(iota(size, int64, like.device), shape) * stride
    return reshape(positions, (numel(view.shape),))


def _read_view(g: Node, y: Node, base: Node, *shift: Node) -> Cotangents:
    view = View(*y.attrs)
    nothing = [None for _ in shift]
    if not _names_twice(view):
        return ix.update_view(zeros_like(base), g, *shift, **dict(y.named_attrs())), *nothing
    flat = reshape(zeros_like(base), (numel(base.shape),))
    values = reshape(g, (numel(g.shape),))
    positions = _positions(view, base)
    for number in shift:
        positions = positions + number
    return reshape(ix.put(flat, values, positions, accumulate=True), base.shape), *nothing


def _reinterpret(g: Node, y: Node, x: Node) -> Cotangents:
    """Between complex numbers and the pairs of their parts; bytes of another kind have no slope."""
    pairs = y.dtype.to_complex() if x.dtype.is_complex else x.dtype.to_complex()
    if y.dtype.is_complex == x.dtype.is_complex or pairs not in (x.dtype, y.dtype):
        return None
    return reinterpret(g, dtype=x.dtype.name)


def _gather(g: Node, y: Node, x: Node, index: Node) -> Cotangents:
    axis = y["axis"]
    if y["wraps"]:
        turned = index + (x.shape[axis] if x.rank else 1)
        index = ew.where(ew.lt(index, index.like(0)), turned, index)
    return ix.scatter(zeros_like(x), g, index, axis=axis, reduce="sum"), None


define_pullbacks(
    {
        reinterpret: _reinterpret,
        ix.take: lambda g, y, x, *indices: (
            ix.put(zeros_like(x), g, *indices, accumulate=True),
            *[None] * len(indices),
        ),
        ix.put: _put,
        ix.gather: _gather,
        ix.scatter: _scatter,
        ix.pad: _pad,
        ix.concat: _concat,
        ix.roll: lambda g, y, x, distance: (ix.roll(g, distance, axis=y["axis"], backward=not y["backward"]), None),
        ix.update_view: _update_view,
        ix.read_view: _read_view,
        ix.windows_adjoint: lambda g, y, x: mv.windows(g, size=y["size"], stride=y["stride"], dilation=y["dilation"]),
    }
)
