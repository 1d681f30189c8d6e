"""Max pooling layers, and those that put maxima back where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.nn import functional as F
from lazygrad.nn._types import IntOr1d, IntOr2d, IntOr3d, expand_to_tuple
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _MaxPool(Module):
    """What max pooling of all ranks shares."""

    _rank: int

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[self._rank - 1]
        return pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest element of every window of a signal, see `MaxPool2d`.

    Shapes:
        (N, C, L) or (C, L) → the same with the output length.
    """

    _rank = 1


class MaxPool2d(_MaxPool):
    """The largest element of every window of an image.

    Args:
        kernel_size: extent of the window; here and below an int stands for both dimensions.
        stride: step between windows, the window's extent when left out.
        padding: negative infinities around the input.
        dilation: step between the input elements a window looks at.
        return_indices: also return where each maximum was.
        ceil_mode: round the output's size up instead of down.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same with
        ⌊(size + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1 along the last two dimensions.
    """

    _rank = 2


class MaxPool3d(_MaxPool):
    """The largest element of every window of a volume, see `MaxPool2d`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same with the output's extents.
    """

    _rank = 3


class _MaxUnpool(Module):
    """What the inverses of max pooling of all ranks share."""

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]

    def _keep(self, rank: int, kernel_size: Any, stride: Any, padding: Any) -> None:
        self.kernel_size = expand_to_tuple(kernel_size, rank)
        self.stride = expand_to_tuple(kernel_size if stride is None else stride, rank)
        self.padding = expand_to_tuple(padding, rank)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        unpool = (F.max_unpool1d, F.max_unpool2d, F.max_unpool3d)[len(self.kernel_size) - 1]
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """The maxima of a signal where `MaxPool1d` found them, zeros elsewhere; see `MaxUnpool2d`.

    Shapes:
        maxima and indices (N, C, L) or (C, L) → the same with the length before pooling.
    """

    def __init__(self, kernel_size: IntOr1d, stride: IntOr1d | None = None, padding: IntOr1d = 0) -> None:
        super().__init__()
        self._keep(1, kernel_size, stride, padding)


class MaxUnpool2d(_MaxUnpool):
    """The maxima of an image where `MaxPool2d` found them, zeros elsewhere.

    Called with the maxima, their indices and, where pooling gives several sizes the same result, ``output_size``.

    Args:
        kernel_size, stride, padding: as they were for `MaxPool2d`.

    Shapes:
        maxima and indices (N, C, H, W) or (C, H, W) → the same with the size before pooling.
    """

    def __init__(self, kernel_size: IntOr2d, stride: IntOr2d | None = None, padding: IntOr2d = 0) -> None:
        super().__init__()
        self._keep(2, kernel_size, stride, padding)


class MaxUnpool3d(_MaxUnpool):
    """The maxima of a volume where `MaxPool3d` found them, zeros elsewhere; see `MaxUnpool2d`.

    Shapes:
        maxima and indices (N, C, D, H, W) or (C, D, H, W) → the same with the extents before pooling.
    """

    def __init__(self, kernel_size: IntOr3d, stride: IntOr3d | None = None, padding: IntOr3d = 0) -> None:
        super().__init__()
        self._keep(3, kernel_size, stride, padding)
