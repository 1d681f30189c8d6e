"""Calls of the C library with degenerate operands: sizes 0, 1 and odd, strides and windows beyond the input, negative
padding, broadcast, reversed and transposed operands, equal and unordered elements.

`DRAWS` has one function per call, which draws its operands at random; a test fails while a call has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any

import numpy as np

from lazygrad.host.calls import calls
from lazygrad.ir.view import window_counts
from tests.runtime.numpy_inputs import ALL, FLOATS, INTEGERS, LAYOUTS, MOVED, random_array

from .calls import REDUCE, Attributes, Extent, special

SIZES = (0, 1, 1, 2, 3, 5, 7, 8, 17, 33)
LENGTHS = (*SIZES, 64, 97, 131, 600)  # of the one long axis that a call may have
MOST_ELEMENTS = 30_000
MOST_PRODUCTS = 200_000


@dataclass(frozen=True)
class Call:
    """What `drive` and the numpy call of the same name are given.

    Attributes:
        in_place: the first input is the output.
        defined: whether the result is the same however it is computed.
        slack: how many times the tolerance of the dtype the results may differ.
    """

    name: str
    shape: Extent
    dtype: np.dtype
    inputs: tuple[np.ndarray, ...]
    attrs: Attributes
    in_place: bool = False
    slack: float = 8.0
    defined: bool = True


def arranged(x: np.ndarray, random: Random) -> np.ndarray:
    """``x`` in one of many layouts: any order of axes, reversed, with gaps, or one slice repeated with stride 0."""
    layout = random.choice([*LAYOUTS, "permuted", "repeated"]) if x.ndim else "row_major"
    if layout == "permuted":
        order = random.sample(range(x.ndim), x.ndim)
        return x.transpose(order).copy().transpose(np.argsort(order).tolist())
    if layout == "repeated":
        axes = [axis for axis, size in enumerate(x.shape) if size and random.random() < 0.5]
        return np.broadcast_to(x[tuple(slice(0, 1) if a in axes else slice(None) for a in range(x.ndim))], x.shape)
    return LAYOUTS[layout](x)


def values(shape: Extent, dtype: np.dtype, random: Random) -> np.ndarray:
    """Ordinary numbers, or all equal, or in descending order."""
    x = random_array(shape, dtype, random.randrange(1000))
    pattern = random.randrange(6)
    if pattern == 0:
        return np.ones(shape, dtype)
    if pattern == 1 and dtype.kind != "b":
        return np.arange(x.size)[::-1].reshape(shape).astype(dtype) if x.size < 100 else x
    return x


def extents(random: Random, rank: int, most: int = MOST_ELEMENTS) -> Extent:
    """Sizes of at most that many elements, of which one may be longer than the others."""
    sizes = [random.choice(SIZES) for _ in range(rank)]
    if rank and random.random() < 0.3:
        sizes[random.randrange(rank)] = random.choice(LENGTHS)
    while prod(sizes) > most:
        sizes[sizes.index(max(sizes))] //= 2
    return tuple(sizes)


def _attributes(**attrs: Any) -> Attributes:
    return attrs


# Products


def draw_matmul(random: Random) -> Call:
    dtype = random.choice([*FLOATS, *INTEGERS])
    rows, depth, columns = (random.choice(LENGTHS) for _ in range(3))
    batch = [random.choice((0, 1, 2, 3)) for _ in range(random.randrange(3))]
    while prod(batch) * rows * depth * columns > MOST_PRODUCTS:
        rows, depth, columns = rows // 2, depth // 2, columns // 2

    def own_batch() -> list[int]:
        return [1 if random.random() < 0.3 else size for size in batch][random.randrange(len(batch) + 1) :]

    a, b = (*own_batch(), rows, depth), (*own_batch(), depth, columns)
    shape = (*np.broadcast_shapes(a[:-2], b[:-2]), rows, columns)
    inputs = tuple([arranged(random_array(size, dtype, seed), random) for seed, size in enumerate((a, b))])
    return Call("matmul", shape, dtype, inputs, {})


def _attention(random: Random) -> tuple[list[np.ndarray], Extent, Attributes]:
    """Query, key, value, scale and what masks, in any layout; the leading axes of the result; attributes."""
    dtype = random.choice((np.dtype(np.float32), np.dtype(np.float64)))
    queries, keys, width, values = (random.choice(LENGTHS) for _ in range(4))
    batch = [random.choice((0, 1, 2, 3)) for _ in range(random.randrange(3))]
    while prod(batch) * queries * keys * (width + values) > MOST_PRODUCTS:
        queries, keys, width, values = queries // 2, keys // 2, width // 2, values // 2

    def own(*sizes: int) -> Extent:
        return (*[1 if random.random() < 0.3 else n for n in batch][random.randrange(len(batch) + 1) :], *sizes)

    shapes = [own(queries, width), own(keys, width), own(keys, values)]
    inputs = [random_array(shape, dtype, seed) for seed, shape in enumerate(shapes)]
    inputs = [arranged(x, random) for x in inputs] + [np.array(random.choice((1.0, 0.3, -2.0)), dtype)]
    masking = random.choice(("", "added", "shown", "hidden"))
    if masking:
        shapes.append(own(*[1 if random.random() < 0.2 else n for n in (queries, keys)]))
        kind = dtype if masking == "added" else np.dtype(random.choice(("bool", "uint8", "int32", "int64", "float32")))
        shown = np.random.default_rng(random.randrange(1000)).random(shapes[-1]) < random.choice((0, 0.5, 0.9))
        mask = np.where(shown, 0, -np.inf).astype(dtype) if masking == "added" else shown.astype(kind)
        inputs.append(arranged(mask, random))
    if masking in ("shown", "hidden"):
        inputs.append(np.array(random.choice((-np.inf, -1e9, -2.0)), dtype))
    lead = np.broadcast_shapes(*[shape[:-2] for shape in shapes])
    attrs = _attributes(
        is_causal=not masking and random.random() < 0.6, masking=masking, nothing_is_zero=random.random() < 0.5
    )
    return inputs, lead, attrs


def draw_attend(random: Random) -> Call:
    inputs, lead, attrs = _attention(random)
    shape = (*lead, inputs[0].shape[-2], inputs[2].shape[-1])
    return Call("attend", shape, inputs[0].dtype, tuple(inputs), attrs, slack=64)


def draw_attend_gradients(random: Random) -> Call:
    inputs, lead, attrs = _attention(random)
    result = (*lead, inputs[0].shape[-2], inputs[2].shape[-1])
    cotangent = arranged(random_array(result, inputs[0].dtype, 5), random)
    shape = (*lead, sum(prod(x.shape[-2:]) for x in inputs[:3]))
    return Call("attend_gradients", shape, inputs[0].dtype, (cotangent, *inputs), attrs, slack=256)


def _recurrence(random: Random) -> tuple[list[np.ndarray], Attributes]:
    """Operands of a recurrent layer in any layout, and its attributes."""
    dtype = random.choice((np.dtype(np.float32), np.dtype(np.float64)))
    cell, gates = random.choice((("lstm", 4), ("gru", 3), ("tanh", 1), ("relu", 1)))
    steps, batch, size = random.choice((1, 2, 5)), random.choice((0, 1, 3, 4, 9, 37)), random.choice((1, 3, 16, 33))
    shapes: list[Extent] = [(steps, batch, gates * size), (batch, size), (gates * size, size)]
    shapes += [(batch, size)] if cell == "lstm" else [(gates * size,)] if cell == "gru" else []
    inputs = [arranged(random_array(shape, dtype, seed) / 2, random) for seed, shape in enumerate(shapes)]
    if random.random() < 0.5:
        lengths = np.random.default_rng(random.randrange(1000)).integers(1, steps + 1, batch)
        inputs.append(np.sort(lengths)[::-1] if random.random() < 0.5 else lengths)
    return inputs, _attributes(cell=cell, is_reversed=random.random() < 0.5, is_projected=False)


_KEPT_COLUMNS = {"lstm": 6, "gru": 5, "tanh": 1, "relu": 1}


def draw_recur(random: Random) -> Call:
    inputs, attrs = _recurrence(random)
    steps, batch, size = *inputs[0].shape[:2], inputs[1].shape[1]
    shape = (steps, batch, _KEPT_COLUMNS[attrs["cell"]] * size)
    return Call("recur", shape, inputs[0].dtype, tuple(inputs), attrs, slack=16)


def draw_recur_gradients(random: Random) -> Call:
    inputs, attrs = _recurrence(random)
    (steps, batch, gates), size, dtype = inputs[0].shape, inputs[1].shape[1], inputs[0].dtype
    result = np.empty((steps, batch, _KEPT_COLUMNS[attrs["cell"]] * size), dtype)
    calls["recur"](result, *inputs, **attrs)
    cotangents = [random_array((steps, batch, size), dtype, 7)]
    cotangents += [random_array((batch, size), dtype, 8)] if attrs["cell"] == "lstm" else []
    given = [arranged(x, random) for x in (*cotangents, result)]
    return Call("recur_gradients", (steps + 1, batch, gates), dtype, (*given, *inputs), attrs, slack=64)


def _alignment(random: Random) -> tuple[list[np.ndarray], Attributes]:
    """Logarithms of probabilities, some of them of nothing, targets and lengths in any layout; the class of blanks."""
    dtype = random.choice((np.dtype(np.float32), np.dtype(np.float64)))
    steps, batch, classes, longest = [random.choice(sizes) for sizes in ((0, 1, 2, 9), (0, 1, 5), (1, 2, 7), (0, 1, 4))]
    scores, draw = random_array((steps, batch, classes), dtype, 1), np.random.default_rng(random.randrange(1000))
    scores[draw.random(scores.shape) < random.choice((0, 0.1))] = -np.inf
    lengths = draw.integers(0, steps + 1, batch), draw.integers(0, longest + 1, batch)
    targets = draw.integers(0, classes + (random.random() < 0.1), (batch, longest))
    inputs = [arranged(x, random) for x in (scores, targets, *lengths)]
    return inputs, _attributes(blank=random.randrange(classes))


def draw_ctc(random: Random) -> Call:
    inputs, attrs = _alignment(random)
    (steps, batch, _), longest = inputs[0].shape, inputs[1].shape[1]
    return Call("ctc", (batch, steps + 1, 2 * longest + 1), inputs[0].dtype, tuple(inputs), attrs, slack=16)


def draw_ctc_gradients(random: Random) -> Call:
    inputs, attrs = _alignment(random)
    (steps, batch, _), longest, dtype = inputs[0].shape, inputs[1].shape[1], inputs[0].dtype
    result = np.zeros((batch, steps + 1, 2 * longest + 1), dtype)
    with suppress(IndexError):
        calls["ctc"](result, *inputs, **attrs)
    given = [arranged(random_array((batch,), dtype, 7), random), random.choice(list(LAYOUTS.values()))(result)]
    return Call("ctc_gradients", inputs[0].shape, dtype, (*given, *inputs), attrs, slack=64)


@dataclass(frozen=True)
class _Windows:
    """The spatial part of a convolution or pooling."""

    extent: Extent
    size: Extent
    stride: Extent
    padding: tuple[tuple[int, int], ...]
    dilation: Extent
    counts: Extent

    @property
    def all_read_something(self) -> bool:
        """Whether no window lies in the padding alone."""
        axes = zip(self.extent, self.size, self.stride, self.padding, self.dilation, self.counts, strict=True)
        return all(
            any(0 <= window * stride - low + tap * dilation < extent for tap in range(size))
            for extent, size, stride, (low, _), dilation, count in axes
            for window in range(count)
        )


def _windows(random: Random, *, crops: bool) -> _Windows:
    while True:
        rank = random.choice((1, 2, 2, 3))
        extent = tuple(random.choice((1, 2, 3, 7, 13, 40)) for _ in range(rank))
        size = tuple(random.choice((1, 1, 2, 3, 7)) for _ in range(rank))
        stride = tuple(random.choice((1, 1, 2, 3, 50)) for _ in range(rank))
        dilation = tuple(random.choice((1, 1, 2, 5)) for _ in range(rank))
        amounts = (-2, -1, 0, 0, 1, 6) if crops else (0, 0, 1, 6)
        padding = tuple((random.choice(amounts), random.choice(amounts)) for _ in range(rank))
        padded = tuple(n + low + high for n, (low, high) in zip(extent, padding, strict=True))
        counts = window_counts(padded, size, stride, dilation)
        if min(padded) > 0 and min(counts) > 0 and prod(counts) * prod(size) < MOST_ELEMENTS:
            return _Windows(extent, size, stride, padding, dilation, counts)


def _draw_convolution(name: str, random: Random) -> Call:
    dtype = random.choice([*FLOATS, np.dtype(np.int32), np.dtype(np.int64)])
    groups, images = random.choice((1, 1, 2, 3)), random.choice((0, 1, 2, 5))
    ins, outs = random.choice((0, 1, 2, 5, 17)), random.choice((0, 1, 2, 5, 17))
    windows = _windows(random, crops=True)
    while images * groups * ins * outs * prod(windows.counts) * prod(windows.size) > MOST_PRODUCTS:
        windows, ins, outs = _windows(random, crops=True), ins // 2, outs // 2
    x, weight = (images, groups * ins, *windows.extent), (groups * outs, ins, *windows.size)
    out = (images, groups * outs, *windows.counts)
    shape, operands = {
        "conv": (out, (x, weight)),
        "conv_input_grad": (x, (out, weight)),
        "conv_weight_grad": (weight, (out, x)),
    }[name]
    attrs = _attributes(
        stride=windows.stride, padding=windows.padding, dilation=windows.dilation, groups=groups
    ) | ({} if name == "conv" else {"shape": shape})  # fmt: skip
    inputs = tuple([arranged(random_array(size, dtype, seed), random) for seed, size in enumerate(operands)])
    return Call(name, shape, dtype, inputs, attrs)


def draw_conv(random: Random) -> Call:
    return _draw_convolution("conv", random)


def draw_conv_input_grad(random: Random) -> Call:
    return _draw_convolution("conv_input_grad", random)


def draw_conv_weight_grad(random: Random) -> Call:
    return _draw_convolution("conv_weight_grad", random)


def draw_pool_argmax(random: Random) -> Call:
    windows, dtype = _windows(random, crops=False), random.choice(ALL)
    lead = extents(random, random.randrange(3), most=20)
    x = arranged(special(values((*lead, *windows.extent), dtype, random)), random)
    attrs = _attributes(size=windows.size, stride=windows.stride, padding=windows.padding, dilation=windows.dilation)
    defined = windows.all_read_something
    return Call("pool_argmax", (*lead, *windows.counts), np.dtype(np.int64), (x,), attrs, defined=defined)


def draw_windows_adjoint(random: Random) -> Call:
    windows, dtype = _windows(random, crops=False), random.choice([*FLOATS, *INTEGERS])
    extent = tuple(n + low + high for n, (low, high) in zip(windows.extent, windows.padding, strict=True))
    lead = extents(random, random.randrange(3), most=20)
    g = arranged(random_array((*lead, *windows.counts, *windows.size), dtype), random)
    attrs = _attributes(
        shape=(*lead, *extent), size=windows.size, stride=windows.stride, dilation=windows.dilation
    )  # fmt: skip
    return Call("windows_adjoint", (*lead, *extent), dtype, (g,), attrs)


# Rows and elements that an index names


def _index(size: int, shape: Extent, random: Random) -> np.ndarray:
    """Indices into an axis: at random, all equal, or in descending order; some calls get one out of range."""
    pattern = random.randrange(4)
    if size == 0 or pattern == 0:
        index = np.zeros(shape, np.int64)
    elif pattern == 1:
        index = (np.arange(prod(shape))[::-1] % size).reshape(shape)
    else:
        index = np.random.default_rng(random.randrange(1000)).integers(-size, size, shape)
    if index.size and random.random() < 0.1:
        index = index.copy()
        index[tuple(random.randrange(n) for n in shape)] = random.choice([size, -size - 1, 2**62, -(2**63)])
    return arranged(index, random)


def _rows(random: Random) -> tuple[Extent, Extent, list[np.ndarray]]:
    """A shape, the shape of some of its rows, and the indices that name these."""
    shape = extents(random, random.randrange(4))
    indexed = shape[: random.randrange(len(shape) + 1)]
    broadcast = extents(random, random.randrange(3), most=300)
    indices = []
    for size in indexed:
        own = tuple(1 if random.random() < 0.3 else n for n in broadcast)[random.randrange(len(broadcast) + 1) :]
        indices.append(_index(size, own, random))
    rows = (*np.broadcast_shapes(*[index.shape for index in indices]), *shape[len(indexed) :])
    return (shape, rows, indices) if prod(rows) <= MOST_ELEMENTS else _rows(random)


def draw_take(random: Random) -> Call:
    shape, rows, indices = _rows(random)
    dtype = random.choice(MOVED)
    return Call("take", rows, dtype, (arranged(random_array(shape, dtype), random), *indices), {})


def draw_put(random: Random) -> Call:
    shape, rows, indices = _rows(random)
    accumulate, dtype = random.random() < 0.6, random.choice(ALL)
    x, rest = random_array(shape, dtype), arranged(random_array(rows, dtype, 1), random)
    x = np.broadcast_to(np.zeros((), dtype), shape) if random.random() < 0.3 else arranged(x, random)
    in_place = x.flags.c_contiguous and x.flags.writeable and random.random() < 0.5
    return Call("put", shape, dtype, (x, rest, *indices), _attributes(accumulate=accumulate), in_place)


def _along(random: Random, shape: Extent, axis: int) -> np.ndarray:
    """An index along an axis, for the elements of a part of the shape."""
    extent = tuple(random.choice(SIZES) if a == axis else random.choice((n, n, n // 2)) for a, n in enumerate(shape))
    return _index(shape[axis] if shape else 1, extent, random)


def draw_gather(random: Random) -> Call:
    shape, dtype = extents(random, random.randrange(4), most=3000), random.choice(MOVED)
    axis = random.randrange(max(len(shape), 1))
    index = _along(random, shape, axis)
    x = arranged(random_array(shape, dtype), random)
    return Call("gather", index.shape, dtype, (x, index), _attributes(axis=axis, wraps=random.random() < 0.5))


def draw_scatter(random: Random) -> Call:
    shape, dtype = extents(random, random.randrange(4), most=3000), random.choice(ALL)
    axis = random.randrange(max(len(shape), 1))
    index = _along(random, shape, axis)
    source = random_array(tuple(n + random.randrange(2) for n in index.shape), dtype, 1)
    x = arranged(random_array(shape, dtype), random)
    in_place = x.flags.c_contiguous and x.flags.writeable and random.random() < 0.5
    attrs = _attributes(axis=axis, reduce=random.choice(REDUCE))
    return Call("scatter", shape, dtype, (x, arranged(source, random), index), attrs, in_place, slack=64)


# Layout


def draw_concat(random: Random) -> Call:
    shape, dtype = extents(random, random.randrange(1, 4)), random.choice(MOVED)
    axis = random.randrange(len(shape))
    parts = [
        arranged(random_array((*shape[:axis], random.choice(SIZES), *shape[axis + 1 :]), dtype, seed), random)
        for seed in range(random.choice((1, 2, 3, 5)))
    ]
    return Call("concat", np.concatenate(parts, axis).shape, dtype, tuple(parts), _attributes(axis=axis))


def draw_roll(random: Random) -> Call:
    shape, dtype = extents(random, random.randrange(1, 4)), random.choice(MOVED)
    axis = random.randrange(len(shape))
    x, distance = arranged(random_array(shape, dtype), random), np.array(random.randrange(max(shape[axis], 1)))
    return Call("roll", shape, dtype, (x, distance), _attributes(axis=axis, backward=random.random() < 0.5))


def _view(random: Random, elements: int, *, repeats: bool) -> Attributes:
    """A strided view of that many elements, counted in row-major order."""
    rank, shape, strides, low, high = random.randrange(4), [], [], 0, 0
    step = 1
    for _ in range(rank):
        size = random.choice(SIZES)
        stride = 0 if repeats and random.random() < 0.2 else step * random.choice((1, 1, 2, -1))
        if high - low + (size - 1) * abs(stride) >= elements:
            size = 1
        low, high = low + min((size - 1) * stride, 0), high + max((size - 1) * stride, 0)
        shape.append(size)
        strides.append(stride)
        step = max(step * size * abs(stride or 1), 1)
    order = random.sample(range(rank), rank)
    view = {"shape": tuple(shape[a] for a in order), "strides": tuple(strides[a] for a in order)}
    return _attributes(**view, offset=-low + random.randrange(max(elements - (high - low), 1)) if elements else 0)


def _base(random: Random) -> tuple[np.ndarray, np.dtype]:
    dtype = random.choice(MOVED)
    shape = extents(random, random.randrange(4), most=3000)
    return random_array(shape if prod(shape) else (1, 1), dtype), dtype


def draw_read_view(random: Random) -> Call:
    base, dtype = _base(random)
    view = _view(random, base.size, repeats=True)
    return Call("read_view", view["shape"], dtype, (arranged(base, random),), view)


def draw_update_view(random: Random) -> Call:
    base, dtype = _base(random)
    view = _view(random, base.size, repeats=False)
    x, rest = arranged(base, random), arranged(random_array(view["shape"], dtype, 1), random)
    in_place = x.flags.c_contiguous and x.flags.writeable and random.random() < 0.5
    return Call("update_view", base.shape, dtype, (x, rest), view, in_place)


def draw_reinterpret(random: Random) -> Call:
    shape = extents(random, random.randrange(3))
    source, target, change = random.choice(
        [("complex64", "float32", (2,)), ("complex128", "float64", (2,)), ("float32", "int32", ()),
         ("float16", "int16", ()), ("int64", "uint8", (8,)), ("float64", "int16", (4,)), ("int32", "int8", (4,))]
    )  # fmt: skip
    x = arranged(random_array(shape, source), random)
    return Call("reinterpret", (*shape, *change), np.dtype(target), (x,), _attributes(dtype=target))


def draw_iota(random: Random) -> Call:
    length, dtype = random.choice(LENGTHS), random.choice(ALL)
    return Call("iota", (length,), dtype, (), _attributes(length=length, dtype=dtype.name))


def draw_philox(random: Random) -> Call:
    shape = extents(random, random.randrange(3))
    seed, counter = (random.choice((0, 1, -1, -(2**63), 2**63 - 1)) for _ in range(2))
    inputs = (np.array(seed), np.array(counter))
    return Call("philox", shape, np.dtype(np.uint32), inputs, _attributes(shape=shape))


# Lines along an axis


def _line(random: Random, dtypes: Sequence[np.dtype], *, empty: bool = True) -> tuple[np.ndarray, int]:
    """An array with an axis along which a call works; NaNs and infinities among its floats."""
    dtype = random.choice(dtypes)
    while True:
        shape = extents(random, random.randrange(1, 4), most=6000)
        axis = random.randrange(len(shape))
        if shape[axis] or empty:
            x = values(shape, dtype, random)
            return arranged(special(x) if random.random() < 0.3 else x, random), axis


def _draw_extreme(name: str, random: Random) -> Call:
    x, axis = _line(random, ALL, empty=False)
    kept = tuple(1 if a == axis else size for a, size in enumerate(x.shape))
    return Call(name, kept, np.dtype(np.int64), (x,), _attributes(axis=axis))


def _draw_scan(name: str, random: Random) -> Call:
    x, axis = _line(random, [*FLOATS, *INTEGERS])
    if name == "cumprod" and x.dtype.kind in "fV":
        x = np.sign(x)  # no product overflows
    return Call(name, x.shape, x.dtype, (x,), _attributes(axis=axis))


def draw_argmax(random: Random) -> Call:
    return _draw_extreme("argmax", random)


def draw_argmin(random: Random) -> Call:
    return _draw_extreme("argmin", random)


def draw_cumsum(random: Random) -> Call:
    return _draw_scan("cumsum", random)


def draw_cumprod(random: Random) -> Call:
    return _draw_scan("cumprod", random)


def draw_argsort(random: Random) -> Call:
    x, axis = _line(random, ALL)
    attrs = _attributes(axis=axis, descending=random.random() < 0.5)
    return Call("argsort", x.shape, np.dtype(np.int64), (x,), attrs)


def draw_cummax_index(random: Random) -> Call:
    x, axis = _line(random, ALL)
    return Call("cummax_index", x.shape, np.dtype(np.int64), (x,), _attributes(axis=axis))


DRAWS: dict[str, Callable[[Random], Call]] = {
    function.__name__.removeprefix("draw_"): function
    for function in (
        draw_matmul, draw_attend, draw_attend_gradients, draw_conv, draw_conv_input_grad, draw_conv_weight_grad,
        draw_recur, draw_recur_gradients, draw_ctc, draw_ctc_gradients, draw_pool_argmax, draw_windows_adjoint,
        draw_take, draw_put, draw_gather, draw_scatter, draw_concat, draw_roll, draw_update_view, draw_read_view,
        draw_iota,
        draw_reinterpret, draw_argmax, draw_argmin, draw_argsort, draw_cumsum, draw_cumprod, draw_cummax_index,
        draw_philox,
    )
}  # fmt: skip
