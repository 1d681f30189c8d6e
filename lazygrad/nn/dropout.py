"""Dropout layers. Each is the identity in evaluation mode."""

from __future__ import annotations

from lazygrad.nn import functional as F
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"]


class _Dropout(Module):
    """What dropout of elements and of channels share."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zeroes elements at random in training and divides the others by 1 − p.

    Source: Srivastava et al., "Dropout", 2014.

    Args:
        p: probability of an element to be zeroed.
        inplace: change the input itself.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """Zeroes whole channels of signals at random, see `Dropout`.

    Shapes:
        (N, C, L) or (C, L) → the same.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """Zeroes whole channels of images at random, see `Dropout`.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """Zeroes whole channels of volumes at random, see `Dropout`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Dropout for networks of `SELU`: elements set to its lower limit, then all rescaled to mean 0 and variance 1.

    Source: Klambauer et al., "Self-Normalizing Neural Networks", 2017.

    Args:
        p: probability of an element to be dropped.
        inplace: kept as an attribute; the input is not changed.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_Dropout):
    """`AlphaDropout` of whole channels.

    Shapes:
        (N, C, …) → the same.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
