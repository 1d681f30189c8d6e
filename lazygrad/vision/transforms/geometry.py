"""Transforms that move whole pixels, or make images larger and smaller."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.ops.creation.from_data import tensor
from lazygrad.vision.transforms import functional as F
from lazygrad.vision.transforms.arguments import check_ranges
from lazygrad.vision.transforms.draws import between, happens, integer
from lazygrad.vision.transforms.interpolation import InterpolationMode, interpolation_mode
from lazygrad.vision.transforms.padding import check_mode, padding_of

__all__ = [
    "CenterCrop",
    "FiveCrop",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomVerticalFlip",
    "Resize",
    "TenCrop",
]

Part = tuple[int, int, int, int]


class Resize(Module):
    """An image of another size; see `functional.resize`.

    Raises:
        TypeError, ValueError: no size.
    """

    def __init__(
        self,
        size: Any,
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        if not isinstance(size, (int, Sequence)):
            raise TypeError(f"Size should be int or sequence. Got {type(size)}")
        if isinstance(size, Sequence) and len(size) not in (1, 2):
            raise ValueError("If size is a sequence, it should have 1 or 2 values")
        self.size = size
        self.max_size = max_size
        self.interpolation = interpolation_mode(interpolation)
        self.antialias = antialias

    def forward(self, img: Any) -> Any:
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(size={self.size}, interpolation={self.interpolation.value}, "
            f"max_size={self.max_size}, antialias={self.antialias})"
        )


class _OfSize(Module):
    """A transform whose results have one size.

    Raises:
        ValueError: more than two numbers.
    """

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = F.two_sizes(size) if isinstance(size, numbers.Number) or len(size) != 2 else size

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size})"


class CenterCrop(_OfSize):
    """The middle of an image, padded with black where it is smaller."""

    def forward(self, img: Any) -> Any:
        return F.center_crop(img, self.size)


class FiveCrop(_OfSize):
    """The corners and the middle of an image, as a tuple."""

    def forward(self, img: Any) -> tuple[Any, ...]:
        return F.five_crop(img, self.size)


class TenCrop(_OfSize):
    """The corners and the middle of an image and of the flipped one, as a tuple."""

    def __init__(self, size: Any, vertical_flip: bool = False) -> None:
        super().__init__(size)
        self.vertical_flip = vertical_flip

    def forward(self, img: Any) -> tuple[Any, ...]:
        return F.ten_crop(img, self.size, self.vertical_flip)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size}, vertical_flip={self.vertical_flip})"


class Pad(Module):
    """An image with more pixels around it; see `functional.pad`.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> None:
        super().__init__()
        if not isinstance(fill, (numbers.Number, tuple, list)):
            raise TypeError("Got inappropriate fill arg")
        padding_of(padding)
        check_mode(padding_mode)
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Any) -> Any:
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(padding={self.padding}, fill={self.fill}, padding_mode={self.padding_mode})"


class RandomCrop(Module):
    """A part of an image, from anywhere.

    Args:
        size: height and width.
        padding: is added before; see `functional.pad`.
        pad_if_needed: pad images that are smaller; they are refused otherwise.
        fill, padding_mode: of the padding.
    """

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.size = F.two_sizes(size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> Part:
        """Top, left, height and width.

        Raises:
            ValueError: the image is smaller.
        """
        _, rows, columns = F.get_dimensions(img)
        height, width = output_size
        if rows < height or columns < width:
            raise ValueError(f"Required crop size {(height, width)} is larger than input image size {(rows, columns)}")
        if (rows, columns) == (height, width):
            return 0, 0, height, width
        return integer(0, rows - height + 1), integer(0, columns - width + 1), height, width

    def forward(self, img: Any) -> Any:
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            _, rows, columns = F.get_dimensions(img)
            if columns < self.size[1]:
                img = F.pad(img, [self.size[1] - columns, 0], self.fill, self.padding_mode)
            if rows < self.size[0]:
                img = F.pad(img, [0, self.size[0] - rows], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size}, padding={self.padding})"


class RandomHorizontalFlip(Module):
    """Left and right exchanged with probability ``p``."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return F.hflip(img) if happens(self.p) else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomVerticalFlip(Module):
    """Top and bottom exchanged with probability ``p``."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return F.vflip(img) if happens(self.p) else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


def draw_shape(area: float, scale: Sequence[float], ratio: Sequence[float]) -> tuple[float, float]:
    """The area of a part of an image, and how much wider than high it is: its logarithm is as likely in any part."""
    low, high = tensor(list(ratio)).log().tolist()
    part = area * between(scale[0], scale[1])
    return part, float(tensor(between(low, high)).exp().item())


class RandomResizedCrop(Module):
    """A part of an image, of any size and shape in some ranges, in one size.

    Args:
        size: height and width of the results.
        scale: least and largest share of the image's area.
        ratio: least and largest width by height.
        interpolation, antialias: see `functional.resize`.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(
        self,
        size: Any,
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.size = F.two_sizes(size) if isinstance(size, numbers.Number) or len(size) != 2 else size
        check_ranges(scale, ratio)
        self.interpolation = interpolation_mode(interpolation)
        self.antialias = antialias
        self.scale = scale
        self.ratio = ratio

    @staticmethod
    def get_params(img: Any, scale: Sequence[float], ratio: Sequence[float]) -> Part:
        """Top, left, height and width; the middle, of the nearest shape, where ten draws do not fit."""
        _, rows, columns = F.get_dimensions(img)
        for _ in range(10):
            area, shape = draw_shape(rows * columns, scale, ratio)
            width, height = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if 0 < width <= columns and 0 < height <= rows:
                return integer(0, rows - height + 1), integer(0, columns - width + 1), height, width
        height, width = rows, columns
        if columns / rows < min(ratio):
            height = round(columns / min(ratio))
        elif columns / rows > max(ratio):
            width = round(rows * max(ratio))
        return (rows - height) // 2, (columns - width) // 2, height, width

    def forward(self, img: Any) -> Any:
        part = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *part, self.size, self.interpolation, antialias=self.antialias)

    def __repr__(self) -> str:
        scale, ratio = (tuple(round(end, 4) for end in ends) for ends in (self.scale, self.ratio))
        return (
            f"{type(self).__name__}(size={self.size}, scale={scale}, ratio={ratio}, "
            f"interpolation={self.interpolation.value}, antialias={self.antialias})"
        )
