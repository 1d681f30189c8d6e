"""Softmax and its kin as layers. All keep their input's shape."""

from __future__ import annotations

from lazygrad.nn import functional as F
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["Softmax", "LogSoftmax", "Softmin", "Softmax2d"]

# A warning about a dimension that is left out names the line that calls the layer.
_CALLER = 5


class _AlongDimension(Module):
    """A function along ``dim``; where it is left out, 0 or 1 by the input's rank, with a warning."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDimension):
    """eˣ divided by its sum along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=_CALLER)


class LogSoftmax(_AlongDimension):
    """Logarithm of the softmax along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=_CALLER)


class Softmin(_AlongDimension):
    """The softmax of −x along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=_CALLER)


class Softmax2d(Module):
    """The softmax over the channels at every place of an image.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same.

    Raises:
        ValueError: the input has another rank.
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=_CALLER)
