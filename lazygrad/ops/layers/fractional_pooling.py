"""Max pooling into windows whose distances are random. Source: Graham, "Fractional Max-Pooling", 2014.

Along a dimension with samples u, window i of n begins at ⌊(i + u)·a⌋ − ⌊u·a⌋ with a = (size − window) / (n − 1); the
last one ends with the dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape, numel
from lazygrad.ops.arguments.spatial import Extent, batched, per_axis, unbatched
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.layers.adaptive_pooling import largest_at
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.pointwise.arithmetic import add
from lazygrad.ops.pointwise.relational import eq
from lazygrad.ops.pointwise.rounding import trunc
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.tensors import rand
from lazygrad.ops.shapes.reshaping import reshape, unsqueeze
from lazygrad.tensor import Tensor

Ratio = float | Sequence[float]

_AXES = {2: ("height", "width"), 3: ("time", "height", "width")}


def _output_extent(name: str, extent: Shape, output_size: Extent | None, output_ratio: Ratio | None) -> Shape:
    rank = len(extent)
    if output_size is not None:
        return per_axis(output_size, rank, name, "output_size")
    if output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    ratios = tuple(output_ratio) if isinstance(output_ratio, Sequence) else (output_ratio,) * rank
    if len(ratios) != rank:
        raise ValueError(f"{name} requires output_ratio to be a number or {rank} numbers, but got {output_ratio}")
    return tuple([int(size * ratio) for size, ratio in zip(extent, ratios, strict=True)])


def _check(name: str, extent: Shape, kernel: Shape, out: Shape, samples: Tensor, source: Node) -> None:
    for axis, size, window, count in zip(_AXES[len(extent)], extent, kernel, out, strict=True):
        if count < 1 or window < 1 or count + window - 1 > size:
            raise RuntimeError(f"{name}(): pool {axis} {window} too large relative to input {axis} {size}, for an "
                               f"output of {count}")  # fmt: skip
    if samples.dtype is not source.dtype:
        raise RuntimeError(f"{name}(): Expect _random_samples to have the same dtype as input, but got "
                           f"{samples.dtype.name} and {source.dtype.name}")  # fmt: skip
    wanted, given = [*source.type.shape[:2], len(extent)], list(samples.shape)
    if len(given) != 3 or given[0] < wanted[0] or given[1:] != wanted[1:]:
        raise RuntimeError(f"{name}(): Expect _random_samples of shape {wanted}, but got {given}")


def _starts(samples: Tensor, size: int, window: int, count: int) -> Tensor:
    """(N, C, count): where the windows of each plane begin along one dimension."""
    numbers = arange(count, dtype=samples.dtype, device=samples.device)
    step = (size - window) / (count - 1) if count > 1 else 0.0
    first = unsqueeze(samples, 2)
    starts = trunc((numbers + first) * step) - trunc(first * step)
    return where(eq(numbers, count - 1), size - window, starts.to(int64))


def _positions(samples: Tensor, extent: Shape, kernel: Shape, out: Shape) -> Node:
    """(N, C, *out, elements): the flat positions in a plane that each window reads."""
    rank, lead = len(extent), tuple(samples.shape[:2])
    # PyTorch's samples of images are in the order (width, height), those of volumes in that of the dimensions.
    order = [1, 0] if rank == 2 else [0, 1, 2]
    total: Tensor | None = None
    for axis in range(rank):
        starts = _starts(samples[:, :, order[axis]], extent[axis], kernel[axis], out[axis])
        along = unsqueeze(starts, 3) + arange(kernel[axis], device=samples.device)
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = out[axis], kernel[axis]
        part = reshape(along * numel(extent[axis + 1 :]), (*lead, *shape))
        total = part if total is None else add(total, part)
    assert total is not None
    return reshape(total, (*lead, *out, numel(kernel))).node()


def _fractional_max_pool(
    rank: int, input: Tensor, kernel_size: Extent, output_size: Extent | None, output_ratio: Ratio | None,
    random_samples: Tensor | None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    name = f"fractional_max_pool{rank}d"
    source, keep_batch = batched(float_argument(input, name), rank, name)
    extent = source.type.shape[2:]
    kernel = per_axis(kernel_size, rank, name, "kernel_size")
    out = _output_extent(name, extent, output_size, output_ratio)
    samples = random_samples
    if samples is None:
        samples = rand((*source.type.shape[:2], rank), dtype=source.dtype, device=source.device)
    _check(name, extent, kernel, out, samples, source)
    samples = samples[: source.type.shape[0]]  # there may be more, as in PyTorch
    values, winners = largest_at(source, _positions(samples, extent, kernel, out))
    return unbatched(values, keep_batch), unbatched(winners, keep_batch)


def fractional_max_pool2d_with_indices(
    input: Tensor, kernel_size: Extent, output_size: Extent | None = None, output_ratio: Ratio | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`fractional_max_pool2d` with ``return_indices``, whatever that is."""
    return _fractional_max_pool(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(
    input: Tensor, kernel_size: Extent, output_size: Extent | None = None, output_ratio: Ratio | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """The largest element of windows of an image that lie at random distances.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        kernel_size: extent of the window; here and below an int stands for every dimension.
        output_size: (H_out, W_out); or
        output_ratio: by how much to multiply (H, W), in (0, 1).
        return_indices: also return where each winner was, counted in row-major order over a plane.
        _random_samples: (N, C, 2), numbers from [0, 1); drawn where it is left out.

    Returns:
        (N, C, H_out, W_out), or without N; with ``return_indices`` a pair.

    Raises:
        ValueError: neither ``output_size`` nor ``output_ratio``.
        RuntimeError: a wrong rank, more windows than fit, or samples that do not fit.
        NotImplementedError: integers or bools.
    """
    pair = fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return pair if return_indices else pair[0]


def fractional_max_pool3d_with_indices(
    input: Tensor, kernel_size: Extent, output_size: Extent | None = None, output_ratio: Ratio | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`fractional_max_pool3d` with ``return_indices``, whatever that is."""
    return _fractional_max_pool(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d(
    input: Tensor, kernel_size: Extent, output_size: Extent | None = None, output_ratio: Ratio | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """The largest element of windows of a volume that lie at random distances; see `fractional_max_pool2d`."""
    pair = fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return pair if return_indices else pair[0]
