"""Which functions there are for an image, and how large it is."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from PIL import Image

from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import pictures, tensors

__all__ = ["functions_of", "get_dimensions", "get_image_size", "get_image_num_channels"]


def functions_of(img: Any) -> ModuleType:
    """Those for this kind of image.

    Raises:
        TypeError: neither Pillow's image nor a tensor.
    """
    if isinstance(img, Tensor):
        return tensors
    if isinstance(img, Image.Image):
        return pictures
    raise TypeError(f"img should be PIL Image or Tensor. Got {type(img)}")


def get_dimensions(img: Any) -> list[int]:
    """Channels, height and width."""
    found: list[int] = functions_of(img).get_dimensions(img)
    return found


def get_image_size(img: Any) -> list[int]:
    """Width and height."""
    _, height, width = get_dimensions(img)
    return [width, height]


def get_image_num_channels(img: Any) -> int:
    """How many channels there are."""
    return get_dimensions(img)[0]
