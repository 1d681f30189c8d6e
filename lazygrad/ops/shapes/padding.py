"""Borders around a tensor: constant, mirrored, repeated, wrapped around."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazygrad.ir.dtype import Scalar
from lazygrad.ir.primitives import indexing
from lazygrad.ops.arguments.operands import scalar_node, tensor_argument
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.layout import clone
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.repeating import flip
from lazygrad.ops.shapes.reshaping import expand
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

# From the elements of a tensor, the border of a given width along one axis, before the first element or after the last.
Border = Callable[[Tensor, int, int, bool], Tensor]


@traced
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: Scalar | None = None) -> Tensor:
    """The tensor with a border.

    Args:
        pad: (before, after) of the last dimension, then of the one before it, and so on. Negative amounts crop.
        mode: ``"constant"``; ``"reflect"`` (mirrored at the edge element), ``"replicate"`` (the edge element repeated)
            or ``"circular"`` (the other end), for the last one to three dimensions of a batch.
        value: of a constant border, 0 by default.

    Raises:
        RuntimeError: an odd number of amounts, too many, or a border wider than what it mirrors or wraps.
        NotImplementedError: an unknown mode, or one that does not cover these dimensions.
    """
    amounts = as_shape((pad,))
    rank = tensor_argument(input, "pad").ndim
    if len(amounts) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2, but got {len(amounts)} amounts: {amounts}")
    if len(amounts) > 2 * rank:
        raise RuntimeError(f"Padding length should be less than or equal to two times the input dimension but got "
                           f"padding length {len(amounts)} and input of dimension {rank}")  # fmt: skip
    if mode == "constant":
        return _constant_border(input, amounts, 0 if value is None else value)
    if mode not in _BORDERS:
        raise NotImplementedError(f"Unrecognised padding mode {mode!r}: use 'constant' or one of {list(_BORDERS)}")
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    padded = len(amounts) // 2
    if not 1 <= padded <= 3 or rank not in (padded + 1, padded + 2):
        raise NotImplementedError(
            f"Padding size {len(amounts)} is not supported for {rank}D input tensor: mode '{mode}' pads the last "
            f"n = 1, 2 or 3 dimensions of a tensor that has n + 1 or n + 2"
        )
    _check_sizes(input, amounts, mode)
    for position in range(padded):
        input = bordered(input, rank - 1 - position, amounts[2 * position], amounts[2 * position + 1], mode)
    return input if any(amount > 0 for amount in amounts) else clone(input)


def _constant_border(input: Tensor, amounts: tuple[int, ...], value: Scalar) -> Tensor:
    node = input.node()
    if not any(amounts):
        return clone(input)
    unpadded = (0,) * (node.rank - len(amounts) // 2)
    before, after = unpadded + amounts[-2::-2], unpadded + amounts[::-2]
    for size, low, high in zip(node.shape, before, after, strict=True):
        if size + min(low, 0) + min(high, 0) < 0:
            raise RuntimeError(f"pad: the amounts ({low}, {high}) crop more than a dimension of size {size} has")
    return record(indexing.pad, (node, scalar_node(value, node.dtype, node.device)), (before, after))


def _check_sizes(input: Tensor, amounts: tuple[int, ...], mode: str) -> None:
    """Raises RuntimeError unless there are elements to make a border of, and some that are left."""
    shape, padded = input.node().shape, len(amounts) // 2
    needed = shape[1:] if len(shape) == padded + 2 else shape
    if mode != "circular" and 0 in needed:
        raise RuntimeError(f"pad: mode '{mode}' expects no dimension of size 0 but the batch, but got {list(shape)}")
    left = [shape[-1 - n] + amounts[2 * n] + amounts[2 * n + 1] for n in range(padded)]
    if min(left) < 0 or (mode != "circular" and max(left) < 1):
        raise RuntimeError(f"pad: input of shape {list(shape)} is too small for the amounts {amounts}")


def bordered(input: Tensor, axis: int, before: int, after: int, mode: str) -> Tensor:
    """``input`` with a border at both ends of one dimension, taken from its own elements; see `pad`."""
    size = input.node().shape[axis]
    if size + before + after == 0:
        return between(input, axis, 0, 0)
    first, last = min(max(-before, 0), size), max(size - max(-after, 0), 0)
    if size + min(before, 0) + min(after, 0) < 0:  # more is cropped than there is: a part of the border is left
        whole = bordered(input, axis, max(before, 0), max(after, 0), mode)
        return between(whole, axis, max(-before, 0), whole.node().shape[axis] - max(-after, 0))
    inner = between(input, axis, first, last)
    source = inner if mode == "circular" else input
    _check_width(mode, source.node().shape[axis], before, after)
    parts = [inner]
    if before > 0:
        parts.insert(0, _BORDERS[mode](source, axis, before, True))
    if after > 0:
        parts.append(_BORDERS[mode](source, axis, after, False))
    return cat(parts, axis) if len(parts) > 1 else inner


def _check_width(mode: str, size: int, before: int, after: int) -> None:
    limit = {"reflect": size - 1, "circular": size}.get(mode)
    if limit is not None and max(before, after) > limit:
        raise RuntimeError(f"pad: Padding size should be less than the corresponding input dimension, but got "
                           f"({before}, {after}): a '{mode}' border can be at most {limit} wide for a dimension of "
                           f"size {size}")  # fmt: skip


def _mirrored(source: Tensor, axis: int, width: int, at_start: bool) -> Tensor:
    start = 1 if at_start else source.node().shape[axis] - 1 - width
    return flip(between(source, axis, start, start + width), axis)


def _edge(source: Tensor, axis: int, width: int, at_start: bool) -> Tensor:
    shape = source.node().shape
    start = 0 if at_start else shape[axis] - 1
    return expand(between(source, axis, start, start + 1), (*shape[:axis], width, *shape[axis + 1 :]))


def _opposite_end(source: Tensor, axis: int, width: int, at_start: bool) -> Tensor:
    start = source.node().shape[axis] - width if at_start else 0
    return between(source, axis, start, start + width)


_BORDERS: dict[str, Border] = {"reflect": _mirrored, "replicate": _edge, "circular": _opposite_end}
