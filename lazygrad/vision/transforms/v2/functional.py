"""The operations of the transforms as functions: those of ``transforms.functional`` and a few more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from lazygrad.ir.dtype import DType, float32, int16, uint8
from lazygrad.ops.creation.sharing import from_numpy
from lazygrad.ops.public import randn_like, randperm
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms.functional import *
from lazygrad.vision.transforms.functional import convert_image_dtype, pil_to_tensor, to_pil_image

horizontal_flip = hflip
vertical_flip = vflip
get_size = get_image_size


def to_image(inpt: Any) -> Tensor:
    """Pillow's image or an array [height, width, channels] as a tensor [channels, height, width] of the same numbers.

    Raises:
        TypeError: something else.
    """
    if isinstance(inpt, np.ndarray):
        array = inpt if inpt.ndim == 3 else inpt[:, :, None]
        return from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))
    if isinstance(inpt, Image.Image):
        return pil_to_tensor(inpt)
    if isinstance(inpt, Tensor):
        return inpt if inpt.ndim > 2 else inpt.unsqueeze(0)
    raise TypeError(f"Input can either be a pure Tensor, a numpy array, or a PIL image, but got {type(inpt)} instead.")


def to_dtype(inpt: Tensor, dtype: DType = float32, scale: bool = False) -> Tensor:
    """A tensor of another dtype, white staying white where ``scale`` says so, otherwise of the same numbers."""
    return convert_image_dtype(inpt, dtype) if scale else inpt.to(dtype)


def grayscale_to_rgb(inpt: Any) -> Any:
    """An image of one channel as three equal ones; others as they are."""
    if isinstance(inpt, Image.Image):
        return inpt.convert("RGB")
    return inpt.expand(*inpt.shape[:-3], 3, *inpt.shape[-2:]) if inpt.shape[-3] == 1 else inpt


def permute_channels(inpt: Any, permutation: Sequence[int]) -> Any:
    """The channels in another order."""
    if isinstance(inpt, Image.Image):
        return to_pil_image(pil_to_tensor(inpt)[list(permutation)], inpt.mode)
    return inpt[..., list(permutation), :, :]


def draw_order(count: int) -> list[int]:
    """Numbers from 0 on in a random order."""
    order: list[int] = randperm(count).tolist()
    return order


def gaussian_noise(inpt: Tensor, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> Tensor:
    """A tensor of floats in [0, 1] or of bytes, with normal numbers added, white being 1.

    Raises:
        ValueError: a negative ``sigma``, or another dtype.
        TypeError: no tensor.
    """
    if not isinstance(inpt, Tensor):
        raise TypeError(f"gaussian_noise takes a tensor, got {type(inpt)}")
    if sigma < 0:
        raise ValueError(f"sigma shouldn't be negative. Got {sigma}")
    if inpt.is_floating_point():
        noisy = inpt + (mean + randn_like(inpt) * sigma)
        return noisy.clamp(0, 1) if clip else noisy
    if inpt.dtype is not uint8:
        raise ValueError(f"Input tensor is expected to be in uint8 or float dtype, got dtype={inpt.dtype}")
    noisy = inpt + (mean * 255 + randn_like(inpt, dtype=float32) * (sigma * 255)).to(int16)
    return (noisy.clamp(0, 255) if clip else noisy).to(uint8)
