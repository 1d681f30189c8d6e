"""Convolution as products of matrices: windows are gathered into columns, or sums of columns into the image.

Columns lie as (channels · kernel) × images × positions. So the columns of one image are a matrix, those of all images
are one too, and the weight's gradient is one product. As many images are done at a time as fit `_COLUMN_BYTES`. A
depthwise convolution and its gradients are computed directly (see `depthwise`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import contiguous_strides
from lazygrad.targets.cuda.library import depthwise
from lazygrad.targets.cuda.library.arrays import (
    Array,
    contiguous,
    copy,
    each_element,
    names,
    opaque,
    operand,
    result,
    scratch_array,
)
from lazygrad.targets.cuda.library.geometry import Geometry, geometry_of
from lazygrad.targets.cuda.library.matmul import multiply
from lazygrad.targets.cuda.library.pooling import covering, gather_windows
from lazygrad.targets.cuda.writer import Writer

_COLUMN_BYTES = 1 << 28


def conv(writer: Writer, node: Node) -> None:
    """Cross-correlation of (N, C, …) with a weight (O, C / groups, …)."""
    x, weight = operand(writer, node.inputs[0]), operand(writer, node.inputs[1])
    out = result(writer, node)
    geometry = geometry_of(node, weight.shape[2:], node.shape[2:])
    if depthwise.serves(x, weight, geometry):
        depthwise.conv(writer, x, weight, out, geometry)
        return
    matrices = _weight_matrices(writer, weight, geometry)
    for first, last in _images(writer, x, geometry):
        columns = _columns(writer, x.narrowed(0, first, last), geometry)
        for group in range(geometry.groups):
            channels = out.shape[1] // geometry.groups
            target = out.narrowed(0, first, last).narrowed(1, group * channels, (group + 1) * channels)
            multiply(writer, _at(matrices, group), _per_image(_at(columns, group)), _flat(target))


def conv_weight_grad(writer: Writer, node: Node) -> None:
    """The adjoint in the weight, from the output's gradient and the input."""
    g, x = operand(writer, node.inputs[0]), operand(writer, node.inputs[1])
    out = result(writer, node)
    geometry = geometry_of(node, node.shape[2:], g.shape[2:])
    if not prod(g.shape) or not prod(x.shape):
        multiply(writer, _empty(g, out.shape[0]), _empty(g, prod(out.shape[1:]), turned=True), _as_matrix(out))
        return
    if depthwise.serves(x, out, geometry):
        depthwise.weight_grad(writer, g, x, out, geometry)
        return
    for first, last in _images(writer, x, geometry):
        columns = _columns(writer, x.narrowed(0, first, last), geometry)
        rows = _channels_first(writer, g.narrowed(0, first, last), geometry)
        for group in range(geometry.groups):
            channels = out.shape[0] // geometry.groups
            target = _as_matrix(out.narrowed(0, group * channels, (group + 1) * channels))
            own = _at(columns, group)
            joined = _viewed(own, (own.shape[0], prod(own.shape[1:])))
            multiply(writer, _at(rows, group), _turned(joined), target, beta=float(first > 0))


def conv_input_grad(writer: Writer, node: Node) -> None:
    """The adjoint in the input, from the output's gradient and the weight."""
    g, weight = operand(writer, node.inputs[0]), operand(writer, node.inputs[1])
    out = result(writer, node)
    geometry = geometry_of(node, weight.shape[2:], g.shape[2:])
    if depthwise.serves(out, weight, geometry):
        depthwise.input_grad(writer, g, weight, out, geometry)
        return
    g = contiguous(writer, g)
    matrices = _weight_matrices(writer, weight, geometry)
    inner, positions = matrices.shape[-1], prod(geometry.extent)
    for first, last in _images(writer, out, geometry):
        images = last - first
        columns = scratch_array(writer, g.dtype, (geometry.groups, inner, images, positions))
        for group in range(geometry.groups):
            channels = g.shape[1] // geometry.groups
            rows = g.narrowed(0, first, last).narrowed(1, group * channels, (group + 1) * channels)
            multiply(writer, _turned(_at(matrices, group)), _flat(rows), _per_image(_at(columns, group)))
        _sum_columns(writer, columns, out.narrowed(0, first, last), geometry)


# Parts of arrays.


def _viewed(array: Array, shape: Shape) -> Array:
    """A row-major array with another shape."""
    return replace(array, shape=shape, strides=contiguous_strides(shape))


def _at(array: Array, index: int) -> Array:
    """One part along the first axis."""
    part = array.narrowed(0, index, index + 1)
    return replace(part, shape=part.shape[1:], strides=part.strides[1:])


def _turned(array: Array) -> Array:
    return replace(array, shape=array.shape[::-1], strides=array.strides[::-1])


def _per_image(columns: Array) -> Array:
    """(kernel, images, positions) as a matrix for each image."""
    return replace(
        columns,
        shape=(columns.shape[1], columns.shape[0], columns.shape[2]),
        strides=(columns.strides[1], columns.strides[0], columns.strides[2]),
    )


def _flat(images: Array) -> Array:
    """(N, C, …) as N matrices of channels × positions."""
    positions = prod(images.shape[2:])
    return replace(images, shape=(*images.shape[:2], positions), strides=(*images.strides[:2], 1))


def _as_matrix(weight: Array) -> Array:
    return _viewed(weight, (weight.shape[0], prod(weight.shape[1:])))


def _empty(array: Array, rows: int, turned: bool = False) -> Array:
    return replace(array, shape=(0, rows) if turned else (rows, 0), strides=(1, 1))


def _weight_matrices(writer: Writer, weight: Array, geometry: Geometry) -> Array:
    """(groups, outputs of a group, channels of a group · kernel)"""
    outputs = weight.shape[0] // geometry.groups
    return _viewed(contiguous(writer, weight), (geometry.groups, outputs, prod(weight.shape[1:])))


def _images(writer: Writer, x: Array, geometry: Geometry) -> Iterator[tuple[int, int]]:
    """Ranges of images whose columns fit; scratch memory is used again."""
    per_image = x.shape[1] * prod(geometry.kernel) * prod(geometry.extent) * x.dtype.itemsize
    step, mark = max(1, min(x.shape[0], _COLUMN_BYTES // max(per_image, 1))), writer.scratch_mark()
    for first in range(0, x.shape[0], step):
        writer.free_scratch(mark)
        yield first, min(first + step, x.shape[0])


# Columns.


def _columns(writer: Writer, x: Array, geometry: Geometry) -> Array:
    """The windows of images as (groups, channels of a group · kernel, images, positions)."""
    images, channels = x.shape[:2]
    shape = (geometry.groups, channels // geometry.groups * prod(geometry.kernel), images, prod(geometry.extent))
    if geometry.is_pointwise and images == 1 and x.is_contiguous:
        return _viewed(x, shape)
    made, rank = scratch_array(writer, x.dtype, shape), len(geometry.kernel)
    sizes = (channels, *geometry.kernel, images, *geometry.extent)
    spots, lines, bounds = [], [], []
    for axis in range(rank):
        window, kernel = f"i{2 + rank + axis}", f"i{1 + axis}"
        place = f"{window} * {geometry.stride[axis]} + {kernel} * {geometry.dilation[axis]} - {geometry.low[axis]}"
        lines.append(f"const i64 s{axis} = {place};")
        spots.append(f"s{axis}")
        bounds.append(f"s{axis} >= 0 && s{axis} < {x.shape[2 + axis]}")
    kind = opaque(x.dtype)
    each_element(
        writer,
        "columns",
        "columns",
        sizes,
        [(f"const {kind} *x", x.start), (f"{kind} *out", made.start)],
        lines=code_lines(lines),
        inside=Code(" && ".join(bounds) or "true"),
        source=x.place([f"i{1 + rank}", "i0", *spots]),
        kind=kind,
    )
    return made


def _channels_first(writer: Writer, g: Array, geometry: Geometry) -> Array:
    """Images as (groups, channels of a group, images · positions)."""
    images, channels, positions = g.shape[0], g.shape[1], prod(g.shape[2:])
    swapped = replace(g, shape=(channels, images, *g.shape[2:]), strides=(g.strides[1], g.strides[0], *g.strides[2:]))
    made = swapped
    if not swapped.is_contiguous:
        made = scratch_array(writer, g.dtype, swapped.shape)
        copy(writer, swapped, made)
    return _viewed(made, (geometry.groups, channels // geometry.groups, images * positions))


def _sum_columns(writer: Writer, columns: Array, out: Array, geometry: Geometry) -> None:
    """Each element of the images as the sum of what columns have of it."""
    images, channels, rank = out.shape[0], out.shape[1], len(geometry.kernel)
    seen = _viewed(columns, (channels, *geometry.kernel, images, *geometry.extent))
    loops: list[str] = []
    for axis in range(rank):
        place = f"i{2 + axis} + {geometry.low[axis]}"
        loops += covering(axis, place, geometry.kernel, geometry.stride, geometry.dilation, geometry.extent)
    at = ["i1", *names("w", rank), "i0", *names("c", rank)]
    gather_windows(writer, "sum_columns", seen, out, loops, rank, at)
