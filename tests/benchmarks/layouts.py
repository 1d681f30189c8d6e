"""Between torch's layouts of images and filters and those with channels last, for numpy and JAX arrays."""

from __future__ import annotations

from typing import Any


def channels_last(images: Any) -> Any:
    """[images, channels, height, width] → [images, height, width, channels]"""
    return images.transpose(0, 2, 3, 1)


def channels_first(images: Any) -> Any:
    """[images, height, width, channels] → [images, channels, height, width]"""
    return images.transpose(0, 3, 1, 2)


def filters_last(filters: Any) -> Any:
    """[out, in, height, width] → [height, width, in, out]"""
    return filters.transpose(2, 3, 1, 0)


def filters_first(filters: Any) -> Any:
    """[height, width, in, out] → [out, in, height, width]"""
    return filters.transpose(3, 2, 0, 1)
