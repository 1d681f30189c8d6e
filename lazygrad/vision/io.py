"""Image files as tensors [channels, height, width] of bytes, read and written by Pillow."""

from __future__ import annotations

import os
from enum import Enum
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from lazygrad.ir.dtype import uint8
from lazygrad.ops.creation.sharing import from_numpy
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms.functional import pil_to_tensor, to_pil_image

__all__ = """
ImageReadMode decode_image decode_jpeg decode_png decode_webp encode_jpeg encode_png read_file read_image write_file
write_jpeg write_png
""".split()


class ImageReadMode(Enum):
    """Which channels an image is read with."""

    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4
    RGBA = RGB_ALPHA


_MODES = {
    ImageReadMode.GRAY: "L",
    ImageReadMode.GRAY_ALPHA: "LA",
    ImageReadMode.RGB: "RGB",
    ImageReadMode.RGB_ALPHA: "RGBA",
}


def read_file(path: str | os.PathLike[str]) -> Tensor:
    """The bytes of a file."""
    return from_numpy(np.fromfile(path, np.uint8))


def write_file(filename: str | os.PathLike[str], data: Tensor) -> None:
    """Writes bytes to a file."""
    Path(filename).write_bytes(data.numpy().tobytes())


def decode_image(
    input: Tensor | str | os.PathLike[str],
    mode: ImageReadMode | str = ImageReadMode.UNCHANGED,
    apply_exif_orientation: bool = False,
) -> Tensor:
    """The image that bytes hold in a format that Pillow knows.

    Args:
        input: the bytes of a file, or its path.
        mode: its channels; colors of a palette are looked up.
        apply_exif_orientation: turn it as its camera was held.

    Raises:
        RuntimeError: they hold no image.
    """
    file = BytesIO(input.numpy().tobytes()) if isinstance(input, Tensor) else input
    mode = ImageReadMode[mode.upper()] if isinstance(mode, str) else mode
    try:
        with Image.open(file) as opened:
            turned = ImageOps.exif_transpose(opened) if apply_exif_orientation else opened
            kind = _MODES.get(mode, {"P": "RGB", "1": "L"}.get(turned.mode, turned.mode))
            return pil_to_tensor(turned if turned.mode == kind else turned.convert(kind))
    except Image.UnidentifiedImageError as error:
        raise RuntimeError(f"no image in a format that Pillow knows: {error}") from error


def read_image(
    path: str | os.PathLike[str],
    mode: ImageReadMode | str = ImageReadMode.UNCHANGED,
    apply_exif_orientation: bool = False,
) -> Tensor:
    """The image in a file; see `decode_image`."""
    return decode_image(path, mode, apply_exif_orientation)


decode_png = decode_jpeg = decode_webp = decode_image


def _encoded(image: Tensor, format: str, **options: Any) -> Tensor:
    if image.dtype is not uint8 or image.ndim != 3 or image.shape[0] not in (1, 3):
        raise RuntimeError(
            f"Input tensor dtype should be uint8, of one or three channels [C, H, W], got {image.dtype} {image.shape}"
        )
    file = BytesIO()
    to_pil_image(image).save(file, format, **options)
    return from_numpy(np.frombuffer(file.getvalue(), np.uint8).copy())


def encode_png(input: Tensor, compression_level: int = 6) -> Tensor:
    """The bytes of a PNG file of an image.

    Raises:
        RuntimeError: not bytes of one or three channels, or a level that is not 0 to 9.
    """
    if not 0 <= compression_level <= 9:
        raise RuntimeError("Compression level should be between 0 and 9")
    return _encoded(input, "PNG", compress_level=compression_level)


def encode_jpeg(input: Tensor, quality: int = 75) -> Tensor:
    """The bytes of a JPEG file of an image.

    Raises:
        ValueError: a quality that is not 1 to 100.
        RuntimeError: not bytes of one or three channels.
    """
    if quality < 1 or quality > 100:
        raise ValueError("Image quality should be a positive number between 1 and 100")
    return _encoded(input, "JPEG", quality=quality)


def write_png(input: Tensor, filename: str | os.PathLike[str], compression_level: int = 6) -> None:
    """Writes an image as a PNG file; see `encode_png`."""
    write_file(filename, encode_png(input, compression_level))


def write_jpeg(input: Tensor, filename: str | os.PathLike[str], quality: int = 75) -> None:
    """Writes an image as a JPEG file; see `encode_jpeg`."""
    write_file(filename, encode_jpeg(input, quality))
