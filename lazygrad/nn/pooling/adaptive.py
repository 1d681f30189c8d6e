"""Pooling layers whose windows follow from the output's size."""

from __future__ import annotations

from typing import Any

from lazygrad.nn import functional as F
from lazygrad.nn._types import expand_to_tuple
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
]


class _AdaptiveAvgPool(Module):
    """What adaptive average pooling of all ranks shares."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Means of windows chosen so that the output has a given length.

    Shapes:
        (N, C, L) or (C, L) → (N, C, output_size) or (C, output_size).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Means of windows chosen so that the output has a given size.

    Args:
        output_size: (height, width), None keeping the input's; an int stands for both.

    Shapes:
        (N, C, H, W) or (C, H, W) → (N, C, *output_size) or (C, *output_size).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Means of windows of a volume, see `AdaptiveAvgPool2d`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → (N, C, *output_size) or (C, *output_size).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPool(Module):
    """What adaptive max pooling of all ranks shares."""

    _rank: int

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        pool: Any = (F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d)[self._rank - 1]
        return pool(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Maxima of windows chosen so that the output has a given length, see `AdaptiveMaxPool2d`.

    Shapes:
        (N, C, L) or (C, L) → (N, C, output_size) or (C, output_size).
    """

    _rank = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Maxima of windows chosen so that the output has a given size.

    Args:
        output_size: (height, width), None keeping the input's; an int stands for both.
        return_indices: also return where each maximum was.

    Shapes:
        (N, C, H, W) or (C, H, W) → (N, C, *output_size) or (C, *output_size).
    """

    _rank = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Maxima of windows of a volume, see `AdaptiveMaxPool2d`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → (N, C, *output_size) or (C, *output_size).
    """

    _rank = 3


class _FractionalMaxPool(Module):
    """What fractional max pooling of all ranks shares."""

    _rank: int

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = expand_to_tuple(kernel_size, self._rank)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else expand_to_tuple(output_size, self._rank)
        self.output_ratio = None if output_ratio is None else expand_to_tuple(output_ratio, self._rank)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        pool = (F.fractional_max_pool2d, F.fractional_max_pool3d)[self._rank - 2]
        return pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    """Maxima of windows that lie at random distances. Source: Graham, "Fractional Max-Pooling", 2014.

    Args:
        kernel_size: extent of the window; here and below an int stands for both dimensions.
        output_size: (height, width) of the output; or
        output_ratio: the output's size as shares of the input's, in (0, 1).
        return_indices: also return where each maximum was.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same with the output's size.

    Raises:
        ValueError: neither or both of ``output_size`` and ``output_ratio``, or a ratio out of range.
    """

    _rank = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """Maxima of windows of a volume that lie at random distances, see `FractionalMaxPool2d`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same with the output's extents.
    """

    _rank = 3
