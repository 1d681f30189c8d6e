"""`Linear` with as many inputs as its first input has features."""

from __future__ import annotations

from lazygrad.ir.dtype import DType
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.lazy import LazyModuleMixin
from lazygrad.nn.linear import Linear
from lazygrad.nn.parameter import UninitializedParameter
from lazygrad.tensor import Tensor

__all__ = ["LazyLinear"]


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose ``in_features`` is the size of the first input's last dimension; arguments as of `Linear`."""

    cls_to_become = Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: DeviceLike = None, dtype: DType | None = None
    ) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draws new weights, then a new bias, once their sizes are known."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Gives weight and bias shapes and values."""
        features = input.shape[-1]
        if self.has_uninitialized_params():
            self.in_features = features
            self._materialize(weight=(self.out_features, features), bias=(self.out_features,))
            self.reset_parameters()
        if self.in_features == 0:  # a state was loaded
            loaded = self.weight.shape[-1]
            if features != loaded:
                raise AssertionError(
                    f"The in_features inferred from input: {features} is not equal to in_features from self.weight: "
                    f"{loaded}"
                )
            self.in_features = features
