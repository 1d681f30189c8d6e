"""Random calls of one kind, whose arrays have extents at and around the sizes of loops, tiles and blocks.

A kind is given a source of random numbers and says what it records; many calls are then computed by one plan.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random

import numpy as np

import lazygrad as lg
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import (
    ALL_DTYPES,
    DType,
    bfloat16,
    bool_,
    complex64,
    float16,
    float32,
    float64,
    int32,
    int64,
    uint8,
)
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor
from tests.fuzz.extents import drawn

FLOATS = (float32, float32, float64, float16, bfloat16)
NUMBERS = (*FLOATS, int32, int64, uint8, complex64)
ORDERED = tuple([dtype for dtype in ALL_DTYPES if not dtype.is_complex and dtype is not bool_])


class Source:
    """What a call is made of.

    Args:
        random: where the extents, dtypes and layouts come from.
        limit: the largest extent.
        elements: how many elements an array has at most.
    """

    def __init__(self, random: Random, limit: int, elements: int) -> None:
        self.random, self.limit, self.elements = random, limit, elements

    def extents(self, count: int, limit: int | None = None) -> tuple[int, ...]:
        return drawn(self.random, count, min(limit or self.limit, self.limit), self.elements)

    def array(self, dtype: DType, *shape: int, lowest: int = -3, highest: int = 3) -> Tensor:
        """Whole numbers, in memory in any order of the axes, so that sums of them lose no digit."""
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        order = list(range(len(shape)))
        if self.random.random() < 0.4:
            self.random.shuffle(order)
        numbers = rng.integers(
            lowest if dtype.is_signed else 0, highest, [shape[axis] for axis in order], endpoint=True
        )
        values = numbers + 1j * np.flip(numbers) if dtype.is_complex else numbers
        return lg.tensor(values.astype(to_numpy(dtype))).permute(*np.argsort(order).tolist())

    def axis(self, x: Tensor) -> int:
        return self.random.randrange(x.dim())


def products(s: Source) -> list[Tensor]:
    dtype = s.random.choice(NUMBERS)
    batch, rows, depth, columns = s.random.choice((1, 2, 3)), *s.extents(3)
    x, y = s.array(dtype, batch, rows, depth), s.array(dtype, batch, depth, columns)
    ways: list[Callable[[], list[Tensor]]] = [
        lambda: [x @ y],
        lambda: [x @ x.transpose(1, 2)],
        lambda: [x @ y[0]],
        lambda: [x[0] @ y[0, :, 0], x[0, 0] @ y[0]],
        lambda: [x.transpose(1, 2) @ s.array(dtype, batch, rows, columns)],
        lambda: [(x @ y) * 2 + s.array(dtype, columns)],
        lambda: [lg.einsum("bij,bjk->ik", x, y)],
    ]
    return s.random.choice(ways)()


def product_gradients(s: Source) -> list[Tensor]:
    batch, rows, depth = s.random.choice((1, 2, 3)), *s.extents(2)
    x = s.array(s.random.choice((float32, float64)), batch, rows, depth).requires_grad_()
    (x @ x.transpose(1, 2)).square().sum().backward()
    assert x.grad is not None
    return [x.grad]


def convolutions(s: Source) -> list[Tensor]:
    dtype, rank, groups = (
        s.random.choice((float32, float32, float64)),
        s.random.choice((1, 2)),
        s.random.choice((1, 1, 2)),
    )
    images, channels, filters = s.random.choice((1, 2, 3)), *s.extents(2, 33)
    channels, filters = -(-channels // groups) * groups, -(-filters // groups) * groups
    while True:
        spatial = s.extents(rank, 70 if rank == 1 else 35)
        if images * max(channels, filters) * prod(spatial) <= 4 * s.elements:
            break
    kernel = [s.random.choice((1, 2, 3, 5)) for _ in spatial]
    options = {"padding": s.random.choice((0, 1, 2)), "stride": s.random.choice((1, 1, 2)), "groups": groups}
    if any(size + 2 * options["padding"] < taps for size, taps in zip(spatial, kernel, strict=True)):
        return []
    x = s.array(dtype, images, channels, *spatial).requires_grad_()
    w = s.array(dtype, filters, channels // groups, *kernel).requires_grad_()
    y = (F.conv1d if rank == 1 else F.conv2d)(x, w, **options)
    (y * s.array(dtype, *y.shape)).sum().backward()
    assert x.grad is not None and w.grad is not None
    return [y.detach(), x.grad, w.grad]


def attention(s: Source) -> list[Tensor]:
    dtype = s.random.choice((float32, float32, float64, float16))
    lead, (queries, keys), width = (s.random.choice((1, 2)), s.random.choice((1, 3))), s.extents(2), s.extents(1, 65)[0]
    q, k, v = (s.array(dtype, *lead, length, width) / 4 for length in (queries, keys, keys))
    is_causal = s.random.random() < 0.3
    mask = s.array(dtype, queries, keys) if not is_causal and s.random.random() < 0.3 else None
    leaves = [x.detach().requires_grad_(dtype is not float16) for x in (q, k, v)]
    y = F.scaled_dot_product_attention(*leaves, attn_mask=mask, is_causal=is_causal)
    if dtype is float16:
        return [y]
    (y * s.array(dtype, *y.shape)).sum().backward()
    return [y.detach(), *[leaf.grad for leaf in leaves if leaf.grad is not None]]


def scans(s: Source) -> list[Tensor]:
    x = s.array(s.random.choice(ORDERED), *s.extents(s.random.choice((1, 2, 3))))
    axis = s.axis(x)
    ways: list[Callable[[], list[Tensor]]] = [
        lambda: [x.cumsum(axis)],
        lambda: [(x.clamp(0, 1) * 2 - 1).cumprod(axis) if x.dtype.is_signed else x.clamp(0, 1).cumprod(axis)],
        lambda: [*x.cummax(axis)],
        lambda: [*x.cummin(axis)],
        lambda: [lg.logcumsumexp(x.double(), axis)],
        lambda: [x.flip(axis).cumsum(axis) + x],
        lambda: [x.diff(dim=axis)],
    ]
    return s.random.choice(ways)()


def sorts(s: Source) -> list[Tensor]:
    x = s.array(s.random.choice(ORDERED), *s.extents(s.random.choice((1, 2, 3))), lowest=-40, highest=40)
    axis = s.axis(x)
    ways: list[Callable[[], list[Tensor]]] = [
        lambda: [*x.sort(axis, stable=True)],
        lambda: [*x.sort(axis, descending=True, stable=True)],
        lambda: [x.topk((x.shape[axis] + 1) // 2, axis)[0]],
        lambda: [x.kthvalue((x.shape[axis] + 1) // 2, axis)[0]],
        lambda: [x.unique()],
        lambda: [x.argmax(axis), x.argmin(axis)],
    ]
    return s.random.choice(ways)()


def reductions(s: Source) -> list[Tensor]:
    dtype = s.random.choice(ALL_DTYPES)
    x = s.array(dtype, *s.extents(s.random.choice((1, 2, 3))))
    axes = tuple(sorted(s.random.sample(range(x.dim()), s.random.randint(1, x.dim()))))
    real = x if not dtype.is_complex else x.real
    numbers = real.double() if real.dtype not in FLOATS else real
    ways: list[Callable[[], list[Tensor]]] = [
        lambda: [x.sum(axes), x * 2],
        lambda: [real.amax(axes), real.amin(axes, keepdim=True)],
        lambda: [(x != 0).all(axes), (x == 1).any(axes)],
        lambda: [numbers.mean(axes), numbers - numbers.mean(axes, keepdim=True)],
        lambda: [lg.softmax(numbers, axes[0]) * 2],
        lambda: [numbers.square().sum(axes).sqrt(), numbers.sum(axes[:1])],
        lambda: [lg.logsumexp(numbers, axes)],
        lambda: [numbers.transpose(0, -1).contiguous().sum(axes)],
        lambda: [(numbers * 2).sum(), numbers.abs().amax(axes)],
    ]
    return s.random.choice(ways)()


def moves(s: Source) -> list[Tensor]:
    x = s.array(s.random.choice(ALL_DTYPES), *s.extents(s.random.choice((2, 3))))
    axis, size = s.axis(x), x.shape
    other = s.axis(x)
    rng = np.random.default_rng(s.random.randrange(1 << 30))
    index = lg.tensor(rng.integers(0, size[axis], size[axis] + 1))
    places = lg.tensor(rng.integers(0, size[axis], size))
    ways: list[Callable[[], list[Tensor]]] = [
        lambda: [x.transpose(axis, other).contiguous()],
        lambda: [lg.cat([x, x.flip(axis)], other), lg.stack([x, x], axis)],
        lambda: [x.roll(size[axis] // 2 + 1, axis)],
        lambda: [F.pad(x, (1, 2, 0, 3)), F.pad(x.transpose(-1, -2), (2, 1))],
        lambda: [x.index_select(axis, index)],
        lambda: [x.gather(axis, places)],
        lambda: [x.scatter(axis, lg.tensor(np.argsort(rng.random(size), axis)), x)],
        lambda: [lg.zeros_like(x).index_add(axis, index[: size[axis]], x)],
        lambda: [x.tril(), x.triu(1).transpose(-1, -2).contiguous()],
        lambda: [x.unfold(axis, max(1, size[axis] // 3), 2).contiguous()],
        lambda: [x.repeat(*[2] * x.dim())],
        lambda: [x[..., ::2].contiguous(), x.transpose(0, -1)[1:].contiguous()],
    ]
    return s.random.choice(ways)()


KINDS = (products, product_gradients, convolutions, attention, scans, sorts, reductions, moves)


def results(
    kind: Callable[[Source], list[Tensor]], seed: object, calls: int, limit: int, elements: int
) -> list[np.ndarray]:
    """What some calls of a kind come to, all of it computed by one plan."""
    source = Source(Random(f"{kind.__name__} {seed}"), limit, elements)
    tensors = [tensor for _ in range(calls) for tensor in kind(source)]
    lg.realize_all(tensors)
    return [tensor.numpy(force=True) for tensor in tensors]
