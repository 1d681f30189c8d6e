"""What pixels look like."""

from __future__ import annotations

from typing import Any

from PIL import Image

from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import tensors
from lazygrad.vision.transforms.functional.conversion import pil_to_tensor, to_pil_image
from lazygrad.vision.transforms.functional.kinds import functions_of

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_saturation",
    "adjust_sharpness",
    "adjust_hue",
    "adjust_gamma",
    "to_grayscale",
    "rgb_to_grayscale",
    "invert",
    "posterize",
    "solarize",
    "autocontrast",
    "equalize",
    "erase",
    "gaussian_blur",
]


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """An image that is lighter: 0 is black, 1 the image itself.

    Raises:
        ValueError: a negative factor.
    """
    return functions_of(img).adjust_brightness(img, _not_negative("brightness_factor", brightness_factor, img))


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """An image of more contrast: 0 is gray, 1 the image itself.

    Raises:
        ValueError: a negative factor.
    """
    return functions_of(img).adjust_contrast(img, _not_negative("contrast_factor", contrast_factor, img))


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """An image of stronger colors: 0 has none, 1 is the image itself.

    Raises:
        ValueError: a negative factor.
    """
    return functions_of(img).adjust_saturation(img, _not_negative("saturation_factor", saturation_factor, img))


def adjust_sharpness(img: Any, sharpness_factor: float) -> Any:
    """A sharper image: 0 is blurred, 1 the image itself.

    Raises:
        ValueError: a negative factor.
    """
    return functions_of(img).adjust_sharpness(img, _not_negative("sharpness_factor", sharpness_factor, img))


def _not_negative(name: str, factor: float, img: Any) -> float:
    if factor < 0 and isinstance(img, Tensor):
        raise ValueError(f"{name} ({factor}) is not non-negative.")
    return factor


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """An image whose colors are turned: 0.5 is half a turn.

    Raises:
        ValueError: a factor outside of [-0.5, 0.5].
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    return functions_of(img).adjust_hue(img, hue_factor)


def adjust_gamma(img: Any, gamma: float, gain: float = 1) -> Any:
    """``gain * img ** gamma``, white being 1.

    Raises:
        ValueError: a negative gamma.
    """
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    return functions_of(img).adjust_gamma(img, gamma, gain)


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """A Pillow image without colors.

    Raises:
        TypeError: a tensor; see `rgb_to_grayscale`.
    """
    if not isinstance(img, Image.Image):
        raise TypeError("Input should be PIL Image")
    return rgb_to_grayscale(img, num_output_channels)


def rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """An image without colors, of one channel or of three equal ones.

    Raises:
        ValueError: another number of channels.
    """
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    return functions_of(img).rgb_to_grayscale(img, num_output_channels)


def invert(img: Any) -> Any:
    """Black and white exchanged."""
    return functions_of(img).invert(img)


def posterize(img: Any, bits: int) -> Any:
    """An image of bytes of which only the highest bits are left.

    Raises:
        ValueError: not 0 to 8 of them.
    """
    if not 0 <= bits <= 8:
        raise ValueError(f"The number if bits should be between 0 and 8. Got {bits}")
    return functions_of(img).posterize(img, bits)


def solarize(img: Any, threshold: float) -> Any:
    """An image whose pixels from a threshold on are inverted."""
    return functions_of(img).solarize(img, threshold)


def autocontrast(img: Any) -> Any:
    """An image in which each channel reaches from black to white."""
    return functions_of(img).autocontrast(img)


def equalize(img: Any) -> Any:
    """An image of bytes in which all levels are about equally frequent."""
    return functions_of(img).equalize(img)


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Tensor, inplace: bool = False) -> Tensor:
    """A tensor image with other values in a part of ``h`` rows from ``i`` on and ``w`` columns from ``j`` on.

    Raises:
        TypeError: no tensor.
    """
    if not isinstance(img, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(img)}")
    return tensors.erase(img, i, j, h, w, v, inplace)


def gaussian_blur(img: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """An image in which each pixel is a mean of its neighbors.

    Args:
        img: the image.
        kernel_size: how many, in each row and column: odd numbers.
        sigma: standard deviation of their weights.

    Raises:
        ValueError: even sizes, or deviations that are not positive.
    """
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    if len(sizes) != 2 or any(size % 2 == 0 or size < 0 for size in sizes):
        raise ValueError(f"kernel_size should have two odd and positive integers. Got {kernel_size}")
    if sigma is None:
        sigma = [size * 0.15 + 0.35 for size in sizes]
    sigmas = [float(sigma)] * 2 if isinstance(sigma, (int, float)) else [*sigma] * (2 // max(len(sigma), 1))
    if len(sigmas) != 2 or any(each <= 0 for each in sigmas):
        raise ValueError(f"sigma should have positive values, one or two. Got {sigma}")
    if isinstance(img, Tensor):
        return tensors.gaussian_blur(img, sizes, sigmas)
    functions_of(img)
    return to_pil_image(tensors.gaussian_blur(pil_to_tensor(img), sizes, sigmas), img.mode)
