"""Layers that change the resolution of their input."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.nn import functional as F
from lazygrad.nn._types import IntOr2d
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"]


class Upsample(Module):
    """The input at another resolution.

    Args:
        size: the spatial sizes of the output; or
        scale_factor: by how much to multiply the input's; one number stands for every dimension.
        mode: nearest, nearest-exact, linear, bilinear, trilinear, bicubic or area, by the number of dimensions.
        align_corners: whether the centers of the corner elements stay in place, for the linear and cubic modes.
        recompute_scale_factor: compute positions from the sizes rather than from ``scale_factor``.

    Shapes:
        (N, C, *spatial) with one to three spatial dimensions → the same with the wanted ones.
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor: float | tuple[float, ...] | None
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        resolution = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{resolution}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """`Upsample` of images by the nearest element."""

    def __init__(self, size: IntOr2d | None = None, scale_factor: float | tuple[float, float] | None = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` of images by bilinear interpolation with aligned corners."""

    def __init__(self, size: IntOr2d | None = None, scale_factor: float | tuple[float, float] | None = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
