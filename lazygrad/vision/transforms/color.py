"""Transforms of what pixels look like."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.ops.random.tensors import randperm
from lazygrad.vision.transforms import functional as F
from lazygrad.vision.transforms.draws import between, happens

__all__ = [
    "ColorJitter",
    "GaussianBlur",
    "Grayscale",
    "RandomAdjustSharpness",
    "RandomAutocontrast",
    "RandomEqualize",
    "RandomGrayscale",
    "RandomInvert",
    "RandomPosterize",
    "RandomSolarize",
]

Range = tuple[float, ...] | None


class ColorJitter(Module):
    """An image whose brightness, contrast, saturation and hue are changed by random factors, in any order.

    Args:
        brightness, contrast, saturation: how far from 1 a factor may be, or its least and largest value.
        hue: how far it may be turned, at most 0.5, or the least and the largest turn.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0) -> None:
        super().__init__()
        self.brightness = _factors(brightness, "brightness")
        self.contrast = _factors(contrast, "contrast")
        self.saturation = _factors(saturation, "saturation")
        self.hue = _factors(hue, "hue", center=0.0, bounds=(-0.5, 0.5))

    @staticmethod
    def get_params(brightness: Range, contrast: Range, saturation: Range, hue: Range) -> tuple[Any, ...]:
        """The order of the four, and the factor of each; None of those that stay."""
        order = randperm(4)
        return order, *(None if ends is None else between(*ends) for ends in (brightness, contrast, saturation, hue))

    def forward(self, img: Any) -> Any:
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        functions = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for which in order.tolist():
            if factors[which] is not None:
                img = functions[which](img, factors[which])
        return img

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(brightness={self.brightness}, contrast={self.contrast}, "
            f"saturation={self.saturation}, hue={self.hue})"
        )


def _factors(given: Any, name: str, center: float = 1.0, bounds: tuple[float, float] = (0.0, float("inf"))) -> Range:
    if isinstance(given, numbers.Real):
        if given < 0:
            raise ValueError(f"If {name} is a single number, it must be non negative.")
        low, high = center - float(given), center + float(given)
        low = max(low, 0.0) if center else low
    elif isinstance(given, (tuple, list)) and len(given) == 2:
        low, high = float(given[0]), float(given[1])
    else:
        raise TypeError(f"{name} should be a single number or a list/tuple with length 2.")
    if not bounds[0] <= low <= high <= bounds[1]:
        raise ValueError(f"{name} values should be between {bounds}, but got {[low, high]}.")
    return None if low == high == center else (low, high)


class Grayscale(Module):
    """An image without colors, of one channel or of three equal ones."""

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Any) -> Any:
        return F.rgb_to_grayscale(img, self.num_output_channels)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(num_output_channels={self.num_output_channels})"


class RandomGrayscale(Module):
    """An image that loses its colors with probability ``p``, and keeps its number of channels."""

    def __init__(self, p: float = 0.1) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        channels = F.get_image_num_channels(img)
        return F.rgb_to_grayscale(img, channels) if happens(self.p) else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class GaussianBlur(Module):
    """An image in which each pixel is a mean of its neighbors.

    Args:
        kernel_size: how many of them: odd numbers.
        sigma: standard deviation of their weights, or the least and the largest.

    Raises:
        ValueError: other arguments.
    """

    def __init__(self, kernel_size: Any, sigma: Any = (0.1, 2.0)) -> None:
        super().__init__()
        is_one = isinstance(kernel_size, numbers.Number) or len(kernel_size) != 2
        message = "Kernel size should be a tuple/list of two integers"
        self.kernel_size = F.two_sizes(kernel_size, message) if is_one else kernel_size
        if any(size <= 0 or size % 2 == 0 for size in self.kernel_size):
            raise ValueError("Kernel size value should be an odd and positive number.")
        if isinstance(sigma, numbers.Real):
            if sigma <= 0:
                raise ValueError("If sigma is a single number, it must be positive.")
            sigma = (sigma, sigma)
        elif not (isinstance(sigma, Sequence) and len(sigma) == 2):
            raise ValueError("sigma should be a single number or a list/tuple with length 2.")
        elif not 0.0 < sigma[0] <= sigma[1]:
            raise ValueError("sigma values should be positive and of the form (min, max).")
        self.sigma = sigma

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """The standard deviation."""
        return between(sigma_min, sigma_max)

    def forward(self, img: Any) -> Any:
        sigma = self.get_params(self.sigma[0], self.sigma[1])
        return F.gaussian_blur(img, self.kernel_size, [sigma, sigma])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(kernel_size={self.kernel_size}, sigma={self.sigma})"


class _Sometimes(Module):
    """A function of an image, applied with some probability."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def change(self, img: Any) -> Any:
        raise NotImplementedError

    def forward(self, img: Any) -> Any:
        return self.change(img) if happens(self.p) else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomInvert(_Sometimes):
    """Black and white exchanged with probability ``p``."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)

    def change(self, img: Any) -> Any:
        return F.invert(img)


class RandomAutocontrast(_Sometimes):
    """Each channel stretched from black to white with probability ``p``."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)

    def change(self, img: Any) -> Any:
        return F.autocontrast(img)


class RandomEqualize(_Sometimes):
    """All levels made about equally frequent with probability ``p``."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)

    def change(self, img: Any) -> Any:
        return F.equalize(img)


class RandomPosterize(_Sometimes):
    """Only the highest ``bits`` bits left with probability ``p``."""

    def __init__(self, bits: int, p: float = 0.5) -> None:
        super().__init__(p)
        self.bits = bits

    def change(self, img: Any) -> Any:
        return F.posterize(img, self.bits)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(bits={self.bits},p={self.p})"


class RandomSolarize(_Sometimes):
    """Pixels from ``threshold`` on inverted with probability ``p``."""

    def __init__(self, threshold: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.threshold = threshold

    def change(self, img: Any) -> Any:
        return F.solarize(img, self.threshold)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(threshold={self.threshold},p={self.p})"


class RandomAdjustSharpness(_Sometimes):
    """Made sharper by ``sharpness_factor`` with probability ``p``."""

    def __init__(self, sharpness_factor: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.sharpness_factor = sharpness_factor

    def change(self, img: Any) -> Any:
        return F.adjust_sharpness(img, self.sharpness_factor)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(sharpness_factor={self.sharpness_factor},p={self.p})"
