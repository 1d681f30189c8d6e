"""A transform that takes a part of an image away."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import float32
from lazygrad.nn.core.module import Module
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.creation.from_data import tensor
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import functional as F
from lazygrad.vision.transforms.arguments import check_ranges
from lazygrad.vision.transforms.draws import happens, integer
from lazygrad.vision.transforms.geometry import draw_shape

__all__ = ["RandomErasing"]


class RandomErasing(Module):
    """A tensor image of which, with probability ``p``, a rectangle is replaced.

    Args:
        p: how likely.
        scale: least and largest share of the image's area.
        ratio: least and largest height by width.
        value: of the new pixels: one number, one for each channel, or "random" for normally distributed ones.
        inplace: write to the image itself.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
    ) -> None:
        super().__init__()
        if not isinstance(value, (numbers.Number, str, tuple, list)):
            raise TypeError("Argument value should be either a number or str or a sequence")
        if isinstance(value, str) and value != "random":
            raise ValueError("If value is str, it should be 'random'")
        check_ranges(scale, ratio)
        if scale[0] < 0 or scale[1] > 1:
            raise ValueError("Scale should be between 0 and 1")
        if p < 0 or p > 1:
            raise ValueError("Random erasing probability should be between 0 and 1")
        self.p = p
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    @staticmethod
    def get_params(
        img: Tensor, scale: Sequence[float], ratio: Sequence[float], value: list[float] | None = None
    ) -> tuple[int, int, int, int, Tensor]:
        """Top, left, height and width, and the new pixels; all of the image itself where ten draws do not fit."""
        channels, rows, columns = img.shape[-3], img.shape[-2], img.shape[-1]
        for _ in range(10):
            area, shape = draw_shape(rows * columns, scale, ratio)
            height, width = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if height < rows and width < columns:
                if value is None:
                    new = empty(channels, height, width, dtype=float32).normal_()
                else:
                    new = tensor(value)[:, None, None]
                return integer(0, rows - height + 1), integer(0, columns - width + 1), height, width, new
        return 0, 0, rows, columns, img

    def forward(self, img: Tensor) -> Tensor:
        if not happens(self.p):
            return img
        value: list[float] | None = None
        if not isinstance(self.value, str):
            given: Any = self.value
            value = [float(each) for each in (given if isinstance(given, (list, tuple)) else [given])]
            if len(value) not in (1, img.shape[-3]):
                raise ValueError(
                    "If value is a sequence, it should have either a single value or "
                    f"{img.shape[-3]} (number of input channels)"
                )
        top, left, height, width, new = self.get_params(img, self.scale, self.ratio, value)
        return F.erase(img, top, left, height, width, new, self.inplace)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(p={self.p}, scale={self.scale}, ratio={self.ratio}, value={self.value}, "
            f"inplace={self.inplace})"
        )
