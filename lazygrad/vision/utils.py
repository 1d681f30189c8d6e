"""Many images as one, images as files, and what is drawn on them."""

from __future__ import annotations

from typing import Any

from PIL import Image

from lazygrad.grad_mode import no_grad
from lazygrad.ir.dtype import uint8
from lazygrad.ops.public import cat, stack
from lazygrad.tensor import Tensor
from lazygrad.vision.drawing import draw_bounding_boxes, draw_segmentation_masks

__all__ = ["draw_bounding_boxes", "draw_segmentation_masks", "make_grid", "save_image"]


@no_grad()
def make_grid(
    tensor: Tensor | list[Tensor],
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    value_range: tuple[float, float] | None = None,
    scale_each: bool = False,
    pad_value: float = 0.0,
) -> Tensor:
    """Images in rows, as one image [channels, height, width].

    Args:
        tensor: images [count, channels, height, width], or a list of images of one shape.
        nrow: how many in a row.
        padding: pixels between them.
        normalize: bring the values to [0, 1].
        value_range: which values become 0 and 1; the least and the largest that there are if None.
        scale_each: look for those in each image by itself.
        pad_value: of the pixels between.

    Raises:
        TypeError: no tensors.
    """
    for each in tensor if isinstance(tensor, list) else [tensor]:
        if not isinstance(each, Tensor):
            raise TypeError(f"tensor or list of tensors expected, got {type(each)}")
    images = _as_batch(stack(tensor, 0) if isinstance(tensor, list) else tensor)
    if normalize:
        if value_range is not None and not isinstance(value_range, tuple):
            raise TypeError("value_range has to be a tuple (min, max) if specified. min and max are numbers")
        if scale_each:
            images = stack([_normalized(image, value_range) for image in images])
        else:
            images = _normalized(images, value_range)
    return images.squeeze(0) if images.shape[0] == 1 else _arranged(images, nrow, padding, pad_value)


def _as_batch(images: Tensor) -> Tensor:
    if images.ndim == 2:
        images = images.unsqueeze(0)
    if images.ndim == 3:
        images = images.unsqueeze(0)
    return cat([images] * 3, 1) if images.ndim == 4 and images.shape[1] == 1 else images


def _normalized(images: Tensor, value_range: tuple[float, float] | None) -> Tensor:
    low, high = value_range or (float(images.min()), float(images.max()))
    return images.clamp(low, high).sub(low).div(max(high - low, 1e-5))


def _arranged(images: Tensor, in_row: int, padding: int, pad_value: float) -> Tensor:
    count, channels, height, width = images.shape
    columns = min(in_row, count)
    rows = -(-count // columns)
    down, across = height + padding, width + padding
    grid = images.new_full((channels, down * rows + padding, across * columns + padding), pad_value)
    for position, image in enumerate(images):
        top, left = position // columns * down + padding, position % columns * across + padding
        grid[:, top : top + height, left : left + width] = image
    return grid


@no_grad()
def save_image(tensor: Tensor | list[Tensor], fp: Any, format: str | None = None, **kwargs: Any) -> None:
    """Writes images of values in [0, 1] as one image file.

    Args:
        tensor, kwargs: see `make_grid`.
        fp: a path or an open file.
        format: Pillow's name of the format; by the path's suffix if None.
    """
    grid = make_grid(tensor, **kwargs)
    array = grid.mul(255).add(0.5).clamp(0, 255).permute(1, 2, 0).to(uint8).numpy()
    Image.fromarray(array).save(fp, format=format)
