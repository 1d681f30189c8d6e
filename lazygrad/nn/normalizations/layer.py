"""Normalization layers."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.ir.dtype import DType
from lazygrad.nn import functional as F
from lazygrad.nn import init
from lazygrad.nn._types import DeviceLike, expand_to_tuple
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.ops.creation.filled import empty
from lazygrad.tensor import Tensor

__all__ = ["LayerNorm", "GroupNorm", "RMSNorm", "LocalResponseNorm"]


class AffineModule(Module):
    """What normalizations share: a learned scale ``weight``, at first 1, and a learned offset ``bias``, at first 0."""

    def _register_affine(
        self, shape: tuple[int, ...], weight: bool, bias: bool, device: DeviceLike, dtype: DType | None
    ) -> None:
        for name, wanted in (("weight", weight), ("bias", bias)):
            parameter = Parameter(empty(shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, parameter)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the scale to 1 and the offset to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class LayerNorm(AffineModule):
    """Normalizes the last dimensions to mean 0 and variance 1, then scales and offsets every element.

    Source: Ba, Kiros and Hinton, "Layer Normalization", 2016.

    Args:
        normalized_shape: sizes of the dimensions that are normalized, or the size of the last one.
        eps: added to the (biased) variance.
        elementwise_affine: whether scale and offset are learned.
        bias: whether the offset is learned.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Shapes:
        ``weight``, ``bias`` normalized_shape, (…, *normalized_shape) → the same.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = expand_to_tuple(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._register_affine(self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(AffineModule):
    """Normalizes groups of channels of each sample to mean 0 and variance 1, then scales and offsets every channel.

    Source: Wu and He, "Group Normalization", 2018.

    Args:
        num_groups: number of groups.
        num_channels: number of channels C.
        eps: added to the (biased) variance.
        affine: whether scale and offset are learned.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.
        bias: whether the offset is learned.

    Shapes:
        ``weight``, ``bias`` (C), (N, C, …) → the same.

    Raises:
        ValueError: the channels cannot be divided into the groups.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._register_affine((num_channels,), affine, affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides the last dimensions by their root mean square, then scales every element.

    Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.

    Args:
        normalized_shape: sizes of the dimensions that are normalized, or the size of the last one.
        eps: added to the mean square; the dtype's machine epsilon when left out.
        elementwise_affine: whether the scale is learned.
        device: where the parameter lives.
        dtype: its dtype, the default one when left out.

    Shapes:
        ``weight`` normalized_shape, (…, *normalized_shape) → the same.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = expand_to_tuple(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = Parameter(empty(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the scale to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """x / (k + alpha · mean of x² over ``size`` neighbouring channels)^beta. Source: Krizhevsky et al., 2012.

    Args:
        size: how many channels a mean is taken over; channels beyond the ends count as 0.
        alpha, beta, k: as in the formula.

    Shapes:
        (N, C, *spatial) → the same.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
