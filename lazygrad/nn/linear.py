"""Affine layers."""

from __future__ import annotations

import math
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.nn import functional as F
from lazygrad.nn import init
from lazygrad.nn._initialization import draw_weight_and_bias
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.ops.creation.filled import empty
from lazygrad.tensor import Tensor

__all__ = ["Identity", "Linear", "Bilinear"]


class Identity(Module):
    """Returns its input. Takes any arguments, so that it can stand in for any layer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """``y = x Wᵀ + b``.

    Weight and bias start uniform in ±1/√in_features.

    Args:
        in_features: size of the input's last dimension.
        out_features: size of the output's last dimension.
        bias: whether ``b`` is learned; without it, it is left out.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Shapes:
        ``weight`` (out_features, in_features), ``bias`` (out_features), (…, in_features) → (…, out_features).
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new weights, then a new bias."""
        draw_weight_and_bias(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """``y = x₁ᵀ A x₂ + b``.

    Weight and bias start uniform in ±1/√in1_features.

    Args:
        in1_features: size of the first input's last dimension.
        in2_features: size of the second input's last dimension.
        out_features: size of the output's last dimension.
        bias: whether ``b`` is learned; without it, it is left out.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Shapes:
        ``weight`` (out, in1, in2), ``bias`` (out), (…, in1) and (…, in2) → (…, out).

    Raises:
        ValueError: ``in1_features`` is not positive.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new weights, then a new bias."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
