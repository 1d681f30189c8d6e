"""Boxes and masks drawn on images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PIL import ImageColor, ImageDraw, ImageFont

from lazygrad.grad_mode import no_grad
from lazygrad.ir.dtype import bool_, int64, uint8
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.public import tensor as new_tensor
from lazygrad.ops.public import where
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms.functional import convert_image_dtype, pil_to_tensor, to_pil_image

Color = str | tuple[int, int, int]
Colors = Color | Sequence[Color] | None


def _check_image(image: Any, channels: Sequence[int]) -> None:
    if not isinstance(image, Tensor):
        raise TypeError(f"Tensor expected, got {type(image)}")
    if image.dtype is not uint8 and not image.is_floating_point():
        raise ValueError(f"The image dtype must be uint8 or float, got {image.dtype}")
    if image.ndim != 3:
        raise ValueError("Pass individual images, not batches")
    if image.shape[0] not in channels:
        raise ValueError(f"Only images of {' or '.join(map(str, channels))} channels are supported")


def _colors(colors: Colors, count: int) -> list[tuple[int, int, int]]:
    """A color for each thing; by default far from those of its neighbors."""
    if colors is None:
        found: list[Any] = [
            tuple(number * part % 255 for part in (2**25 - 1, 2**15 - 1, 2**21 - 1)) for number in range(count)
        ]
    elif isinstance(colors, list):
        if len(colors) < count:
            raise ValueError(
                f"Number of colors must be equal or larger than the number of objects, but got {len(colors)} < {count}."
            )
        found = list(colors)
    elif isinstance(colors, (str, tuple)):
        found = [colors] * count
    else:
        raise ValueError("colors must be a tuple or a string, or a list thereof")
    return [ImageColor.getrgb(color)[:3] if isinstance(color, str) else color for color in found]


@no_grad()
def draw_bounding_boxes(
    image: Tensor,
    boxes: Tensor,
    labels: Sequence[str | None] | None = None,
    colors: Colors = None,
    fill: bool = False,
    width: int = 1,
    font: str | None = None,
    font_size: int | None = None,
) -> Tensor:
    """An image [1 or 3, height, width] in colors, with boxes [N, 4] given by their corners.

    Args:
        image: of bytes, or of floats in [0, 1].
        boxes: left, top, right and bottom.
        labels: written into the boxes.
        colors: of each box, or one for all: Pillow's names or three numbers.
        fill: color the inside, too.
        width: of the lines.
        font, font_size: a TrueType font for the labels.

    Raises:
        TypeError, ValueError: other images, boxes, labels or colors.
    """
    _check_image(image, (1, 3))
    count = boxes.shape[0]
    if count == 0:
        warn_user("boxes doesn't contain any box. No box was drawn")
        return image
    if bool((boxes[:, :2] > boxes[:, 2:]).any()):
        raise ValueError(
            "Boxes need to be in (xmin, ymin, xmax, ymax) format. Use torchvision.ops.box_convert to convert them"
        )
    if labels is not None and len(labels) != count:
        raise ValueError(
            f"Number of boxes ({count}) and labels ({len(labels)}) mismatch. Please specify labels for each box."
        )
    text_font = ImageFont.truetype(font, font_size or 10) if font else ImageFont.load_default()
    picture = to_pil_image(convert_image_dtype(image, uint8).expand(3, -1, -1))
    draw = ImageDraw.Draw(picture, "RGBA" if fill else None)
    written = labels or [None] * count
    for box, color, label in zip(boxes.to(int64).tolist(), _colors(colors, count), written, strict=False):
        draw.rectangle(box, width=width, outline=color, fill=(*color, 100) if fill else None)
        if label is not None:
            draw.text((box[0] + width + 1, box[1] + width + 1), label, fill=color, font=text_font)
    return convert_image_dtype(pil_to_tensor(picture), image.dtype)


@no_grad()
def draw_segmentation_masks(image: Tensor, masks: Tensor, alpha: float = 0.8, colors: Colors = None) -> Tensor:
    """An image [3, height, width] with colors where masks [N, height, width] are true, and black where several are.

    Args:
        image: of bytes, or of floats in [0, 1].
        masks: of bool; one may be given as [height, width].
        alpha: how much colors cover the image.
        colors: of each mask, or one for all: Pillow's names or three numbers.

    Raises:
        TypeError, ValueError: other images, masks or colors.
    """
    _check_image(image, (3,))
    masks = masks[None] if masks.ndim == 2 else masks
    if masks.ndim != 3:
        raise ValueError("masks must be of shape (H, W) or (batch_size, H, W)")
    if masks.dtype is not bool_:
        raise ValueError(f"The masks must be of dtype bool. Got {masks.dtype}")
    if masks.shape[-2:] != image.shape[-2:]:
        raise ValueError("The image and the masks must have the same height and width")
    if masks.shape[0] == 0:
        warn_user("masks doesn't contain any mask. No mask was drawn")
        return image
    white = 255 if image.is_floating_point() else 1
    drawn = image
    for mask, color in zip(masks, _colors(colors, masks.shape[0]), strict=False):
        drawn = where(mask, (new_tensor(color) / white).to(image.dtype)[:, None, None], drawn)
    drawn = where(masks.sum(0) > 1, 0, drawn)
    return (image * (1 - alpha) + drawn * alpha).to(image.dtype)
