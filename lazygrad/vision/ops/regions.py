"""Features of regions of images, all brought to one size."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad.nn.core.module import Module
from lazygrad.ops.linalg.einsum import sum_of_products
from lazygrad.ops.public import arange, cat, full_like, where
from lazygrad.tensor import Tensor

__all__ = ["RoIAlign", "RoIPool", "roi_align", "roi_pool"]


def _regions(boxes: Tensor | Sequence[Tensor]) -> Tensor:
    """Rows of the image's number and the corners, [K, 5].

    Raises:
        AssertionError: other shapes.
    """
    if isinstance(boxes, Tensor):
        assert boxes.shape[1] == 5, "The boxes tensor shape is not correct as Tensor[K, 5]"
        return boxes.detach()
    for each in boxes:
        assert each.shape[1] == 4, "The shape of the tensor in the boxes list is not correct as List[Tensor[L, 4]]"
    return cat([cat([full_like(each[:, :1], number), each], 1) for number, each in enumerate(boxes)], 0).detach()


def _pair(size: int | Sequence[int]) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[-1])


def roi_align(
    input: Tensor,
    boxes: Tensor | Sequence[Tensor],
    output_size: int | Sequence[int],
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = False,
) -> Tensor:
    """Means of interpolated samples in the cells of each region: He et al., arXiv:1703.06870, section 3.

    Args:
        input: features, [batch, channels, height, width].
        boxes: corners of regions: a tensor [L, 4] for each image, or one [K, 5] with the image's number first.
        output_size: rows and columns of cells.
        spatial_scale: of features, in terms of what the boxes are given in.
        sampling_ratio: samples in each direction of a cell; as many as there are features if it is not positive, for
            which the boxes are read.
        aligned: pixels are places and not areas: everything half a pixel to the left and up.

    Returns:
        [K, channels, rows, columns].

    Raises:
        AssertionError: boxes of other shapes.
    """
    regions, (rows, columns) = _regions(boxes), _pair(output_size)
    corners = regions[:, 1:].to(input.dtype) * spatial_scale - (0.5 if aligned else 0.0)
    least = None if aligned else 1.0
    down = _sampling(corners[:, 1], corners[:, 3], rows, input.shape[2], sampling_ratio, least)
    across = _sampling(corners[:, 0], corners[:, 2], columns, input.shape[3], sampling_ratio, least)
    # A sample's weights of rows and columns are independent of each other, and so are the means of them.
    return sum_of_products("kiy,kcyx,kjx->kcij", (down, input[regions[:, 0].long()], across))


def _sampling(start: Tensor, end: Tensor, cells: int, size: int, samples: int, least: float | None) -> Tensor:
    """[K, cells, size]: how much each row of features counts in each cell."""
    length = end - start if least is None else (end - start).clamp(min=least)
    cell = length / cells
    counts = full_like(cell, samples) if samples > 0 else cell.ceil()
    most = samples if samples > 0 else max(int(counts.max().item()) if counts.numel() else 1, 1)
    numbers = arange(most, dtype=cell.dtype, device=cell.device)
    within = (numbers + 0.5) / counts.clamp(min=1)[:, None]
    places = arange(cells, dtype=cell.dtype, device=cell.device)[None, :, None] + within[:, None, :]
    position = start[:, None, None] + places * cell[:, None, None]
    is_sample = (numbers < counts[:, None])[:, None, :] & (position >= -1.0) & (position <= size)
    rows = arange(size, dtype=cell.dtype, device=cell.device)
    weights = (1.0 - (position.clamp(0, size - 1)[..., None] - rows).abs()).clamp(min=0)
    return (weights * is_sample[..., None]).sum(2) / counts.clamp(min=1)[:, None, None]


def roi_pool(
    input: Tensor, boxes: Tensor | Sequence[Tensor], output_size: int | Sequence[int], spatial_scale: float = 1.0
) -> Tensor:
    """The largest features in the cells of each region: Girshick, arXiv:1504.08083, section 2.1.

    Args:
        input, boxes, output_size, spatial_scale: see `roi_align`; corners are rounded to places.

    Returns:
        [K, channels, rows, columns]; zeros for cells without a place.

    Raises:
        AssertionError: boxes of other shapes.
    """
    regions, (rows, columns) = _regions(boxes), _pair(output_size)
    corners = (regions[:, 1:].to(input.dtype) * spatial_scale + 0.5).floor()
    features = input[regions[:, 0].long()]
    across = _cells(corners[:, 0], corners[:, 2], columns, input.shape[3])[:, None, None]
    down = _cells(corners[:, 1], corners[:, 3], rows, input.shape[2])[:, None, :, None]
    widest = where(across, features[:, :, :, None, :], -math.inf).amax(-1)  # [K, channels, height, columns]
    largest = where(down, widest.transpose(2, 3)[:, :, None], -math.inf).amax(-1)
    return where(largest == -math.inf, 0.0, largest)


def _cells(start: Tensor, end: Tensor, cells: int, size: int) -> Tensor:
    """[K, cells, size]: which places are in which cell."""
    cell = ((end - start + 1).clamp(min=1) / cells)[:, None]
    numbers = arange(cells, dtype=cell.dtype, device=cell.device)
    first, last = (numbers * cell).floor() + start[:, None], ((numbers + 1) * cell).ceil() + start[:, None]
    places = arange(size, dtype=cell.dtype, device=cell.device)
    return (places >= first[..., None]) & (places < last[..., None])


class RoIAlign(Module):
    """`roi_align` as a module."""

    def __init__(
        self, output_size: int | Sequence[int], spatial_scale: float, sampling_ratio: int, aligned: bool = False
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale
        self.sampling_ratio = sampling_ratio
        self.aligned = aligned

    def forward(self, input: Tensor, rois: Tensor | Sequence[Tensor]) -> Tensor:
        return roi_align(input, rois, self.output_size, self.spatial_scale, self.sampling_ratio, self.aligned)

    def __repr__(self) -> str:
        names = ("output_size", "spatial_scale", "sampling_ratio", "aligned")
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)}' for name in names)})"


class RoIPool(Module):
    """`roi_pool` as a module."""

    def __init__(self, output_size: int | Sequence[int], spatial_scale: float) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale

    def forward(self, input: Tensor, rois: Tensor | Sequence[Tensor]) -> Tensor:
        return roi_pool(input, rois, self.output_size, self.spatial_scale)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(output_size={self.output_size}, spatial_scale={self.spatial_scale})"
