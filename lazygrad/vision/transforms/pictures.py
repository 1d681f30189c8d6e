"""What is done to Pillow's images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from lazygrad.vision.transforms.interpolation import InterpolationMode
from lazygrad.vision.transforms.padding import Padding

Picture = Image.Image


def get_dimensions(img: Picture) -> list[int]:
    """Channels, height and width."""
    return [len(img.getbands()), img.height, img.width]


def hflip(img: Picture) -> Picture:
    return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def vflip(img: Picture) -> Picture:
    return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def crop(img: Picture, top: int, left: int, height: int, width: int) -> Picture:
    return img.crop((left, top, left + width, top + height))


def resize(img: Picture, size: Sequence[int], interpolation: InterpolationMode, antialias: bool) -> Picture:
    """Pillow always smooths what it makes smaller."""
    height, width = size
    return img.resize((width, height), interpolation.pillow)


def pad(img: Picture, padding: Padding, fill: Any, mode: str) -> Picture:
    if mode == "constant":
        return _with_palette_of(img, ImageOps.expand(img, (*padding,), fill=_fill(img, fill)))
    cropped = [max(-side, 0) for side in padding]
    if any(cropped):
        img = img.crop((cropped[0], cropped[1], img.width - cropped[2], img.height - cropped[3]))
    left, top, right, bottom = (max(side, 0) for side in padding)
    array = np.asarray(img)
    widths = [(top, bottom), (left, right), (0, 0)][: array.ndim]
    return _with_palette_of(img, Image.fromarray(np.pad(array, widths, mode)))  # type: ignore[call-overload]


def rotate(
    img: Picture,
    angle: float,
    interpolation: InterpolationMode,
    expand: bool,
    center: Sequence[int] | None,
    fill: Any,
) -> Picture:
    return img.rotate(
        angle,
        interpolation.pillow,  # type: ignore[arg-type]
        expand,
        None if center is None else (center[0], center[1]),
        fillcolor=_fill(img, fill),
    )


def affine(img: Picture, matrix: Sequence[float], interpolation: InterpolationMode, fill: Any) -> Picture:
    return _warped(img, Image.Transform.AFFINE, matrix, interpolation, fill)


def perspective(img: Picture, coefficients: Sequence[float], interpolation: InterpolationMode, fill: Any) -> Picture:
    return _warped(img, Image.Transform.PERSPECTIVE, coefficients, interpolation, fill)


def _warped(img: Picture, how: Any, numbers: Sequence[float], interpolation: InterpolationMode, fill: Any) -> Picture:
    pillow: Any = interpolation.pillow
    return img.transform(img.size, how, list(numbers), pillow, fillcolor=_fill(img, fill))


def adjust_brightness(img: Picture, factor: float) -> Picture:
    return ImageEnhance.Brightness(img).enhance(factor)


def adjust_contrast(img: Picture, factor: float) -> Picture:
    return ImageEnhance.Contrast(img).enhance(factor)


def adjust_saturation(img: Picture, factor: float) -> Picture:
    return ImageEnhance.Color(img).enhance(factor)


def adjust_sharpness(img: Picture, factor: float) -> Picture:
    return ImageEnhance.Sharpness(img).enhance(factor)


def adjust_hue(img: Picture, factor: float) -> Picture:
    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    turned = np.array(hue, np.uint8) + np.int32(factor * 255).astype(np.uint8)  # a turn is 256, and wraps around
    return Image.merge("HSV", (Image.fromarray(turned), saturation, value)).convert(img.mode)


def adjust_gamma(img: Picture, gamma: float, gain: float) -> Picture:
    table = [int((255 + 1 - 1e-3) * gain * (level / 255.0) ** gamma) for level in range(256)]
    return img.convert("RGB").point(table * 3).convert(img.mode)


def rgb_to_grayscale(img: Picture, channels: int) -> Picture:
    gray = img.convert("L")
    return gray if channels == 1 else Image.merge("RGB", (gray, gray, gray))


def invert(img: Picture) -> Picture:
    return ImageOps.invert(img)


def posterize(img: Picture, bits: int) -> Picture:
    return ImageOps.posterize(img, bits)


def solarize(img: Picture, threshold: float) -> Picture:
    return ImageOps.solarize(img, threshold)  # type: ignore[arg-type]


def autocontrast(img: Picture) -> Picture:
    return ImageOps.autocontrast(img)


def equalize(img: Picture) -> Picture:
    return ImageOps.equalize(img)


def _with_palette_of(original: Picture, made: Picture) -> Picture:
    palette = original.getpalette() if original.mode == "P" else None
    if palette is not None:
        made.putpalette(palette)
    return made


def _fill(img: Picture, fill: Any) -> Any:
    """A color as Pillow wants it for this image.

    Raises:
        ValueError: more or fewer numbers than the image has channels.
    """
    channels = len(img.getbands())
    values = list(fill) if isinstance(fill, (list, tuple)) else [0 if fill is None else fill]
    if len(values) == 1:
        values *= channels
    if len(values) != channels:
        raise ValueError(
            "The number of elements in 'fill' does not match the number of channels of the image "
            f"({len(values)} != {channels})"
        )
    if img.mode != "F":
        values = [int(value) for value in values]
    return tuple(values) if channels > 1 or isinstance(fill, (list, tuple)) else values[0]
