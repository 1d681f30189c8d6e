"""Convolutions in which every channel has a kernel of its own: too little for a product, so one tap after another.

A tap is an offset in the kernel. What all windows have there is the image, shifted: with the channels' numbers it is
multiplied as a whole. All images and channels of a position lie side by side, so that numpy's loops are long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

import numpy as np

from lazygrad.host.calls._precision import product_dtype, store
from lazygrad.host.calls.conv_geometry import Extent, Geometry, every, strided_range
from lazygrad.host.calls.conv_panels import reads_of_rows
from lazygrad.host.threads import parallel_for

_PIECE = 1 << 16  # elements of a result; three arrays as long lie in a core's second-level cache
# Elements side by side from which one tap after another takes less time than panels; than to add windows to images.
_LONG, _LONG_FOR_WINDOWS = 512, 64
_GRAIN = 1 << 18  # multiplications that are worth a thread


def goes_by_taps(x_shape: Extent, weight_shape: Extent, geometry: Geometry, adds_windows: bool = False) -> bool:
    """Whether there is one kernel, and one output, for each of several channels, and images are small.

    Args:
        x_shape: (images, channels, *spatial).
        weight_shape: (channels, 1, *kernel), or of another convolution.
        geometry: of the convolution.
        adds_windows: whether the other way is to add windows to images.
    """
    images, channels = x_shape[:2]
    if not geometry.groups == channels == weight_shape[0] > 1:
        return False
    side_by_side = min(images * channels, _PIECE // max(prod(geometry.out_extent), 1))
    return side_by_side >= (_LONG_FOR_WINDOWS if adds_windows else _LONG)


def depthwise(out: np.ndarray, x: np.ndarray, weight: np.ndarray, geometry: Geometry) -> None:
    """`correlate` of channels that have a kernel each, (channels, 1, *kernel)."""
    dtype = product_dtype(x, weight, prod(geometry.kernel))

    def run(channels: slice) -> None:
        image = _padded(x[:, channels], geometry, dtype)
        numbers = _numbers(weight[channels], x.shape[0], dtype)
        total = np.zeros((*geometry.out_extent, *image.shape[-2:]), dtype)
        product = np.empty_like(total)
        for offset, window in _windows(image, geometry):
            np.multiply(window, numbers[offset], out=product)
            np.add(total, product, out=total)
        store(out[:, channels], _by_image(total))

    _by_channels(run, x.shape[:2], geometry)


def depthwise_weight_gradient(out: np.ndarray, g: np.ndarray, x: np.ndarray, geometry: Geometry) -> None:
    """The adjoint of `depthwise` in the weight."""
    dtype = product_dtype(g, x, g.shape[0] * prod(geometry.out_extent))
    positions = tuple(range(len(geometry.kernel)))

    def run(channels: slice) -> None:
        image = _padded(x[:, channels], geometry, dtype)
        seen = _by_position(g[:, channels]).astype(dtype, order="C")
        product = np.empty_like(seen)
        sums = np.empty((*geometry.kernel, *image.shape[-2:]), dtype)
        for offset, window in _windows(image, geometry):
            np.multiply(window, seen, out=product)
            np.add.reduce(product, axis=positions, out=sums[offset])
        store(out[channels, 0], np.moveaxis(sums.sum(axis=-2), -1, 0))

    _by_channels(run, x.shape[:2], geometry)


def depthwise_input_gradient(out: np.ndarray, g: np.ndarray, weight: np.ndarray, geometry: Geometry) -> None:
    """The adjoint of `depthwise` in the input."""
    dtype = product_dtype(g, weight, prod(geometry.kernel))
    extent, source, interior = reads_of_rows(geometry, slice(0, geometry.out_extent[0]), out.shape[2:])

    def run(channels: slice) -> None:
        seen = _by_position(g[:, channels]).astype(dtype, order="C")
        numbers = _numbers(weight[channels], g.shape[0], dtype)
        image = np.zeros((*extent, *seen.shape[-2:]), dtype)
        product = np.empty_like(seen)
        for offset, window in _windows(image, geometry):
            np.multiply(seen, numbers[offset], out=product)
            np.add(window, product, out=window)
        result = out[:, channels]
        result[...] = 0  # what no window reads
        store(result[(*every(2), *source)], _by_image(image[interior]))

    _by_channels(run, out.shape[:2], geometry)


# Memory.


def _by_position(x: np.ndarray) -> np.ndarray:
    """(images, channels, *spatial) as (*spatial, images, channels)."""
    return np.moveaxis(x, (0, 1), (-2, -1))


def _by_image(x: np.ndarray) -> np.ndarray:
    return np.moveaxis(x, (-2, -1), (0, 1))


def _padded(x: np.ndarray, geometry: Geometry, dtype: np.dtype) -> np.ndarray:
    """What all windows read of ``x``, (images, channels, *spatial), with zeros around it, by position."""
    extent, source, interior = reads_of_rows(geometry, slice(0, geometry.out_extent[0]), x.shape[2:])
    image = np.zeros((*extent, *x.shape[:2]), dtype)
    np.copyto(image[interior], _by_position(x)[source], casting="unsafe")
    return image


def _numbers(weight: np.ndarray, images: int, dtype: np.dtype) -> np.ndarray:
    """The kernels, (channels, 1, *kernel), as (*kernel, images, channels), the same for every image."""
    kernels = np.moveaxis(weight[:, 0], 0, -1)[..., None, :]
    numbers = np.empty((*kernels.shape[:-2], images, kernels.shape[-1]), dtype)
    np.copyto(numbers, kernels, casting="unsafe")
    return numbers


# Taps.


def _windows(image: np.ndarray, geometry: Geometry) -> Iterator[tuple[Extent, np.ndarray]]:
    """Each offset in the kernel, and what the windows have there."""
    for offset in np.ndindex(*geometry.kernel):
        positions = [
            strided_range(k * dilation, stride, count)
            for k, dilation, stride, count in zip(
                offset, geometry.dilation, geometry.stride, geometry.out_extent, strict=True
            )
        ]
        yield offset, image[tuple(positions)]


def _by_channels(run: Callable[[slice], None], shape: Extent, geometry: Geometry) -> None:
    """Call ``run`` on ranges of channels, on several threads if there is enough to multiply."""
    images, channels = shape
    positions = images * prod(geometry.out_extent)
    step = max(1, _PIECE // positions)

    def run_range(first: int, last: int) -> None:
        for start in range(first, last, step):
            run(slice(start, min(start + step, last)))

    parallel_for(run_range, channels, -(-_GRAIN // (positions * prod(geometry.kernel))))
