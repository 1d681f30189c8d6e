"""The default initialization that affine layers and convolutions share."""

from __future__ import annotations

import math

from lazygrad.nn import init
from lazygrad.tensor import Tensor


def draw_weight_and_bias(weight: Tensor, bias: Tensor | None) -> None:
    """Draws the weight, then the bias, uniform in ±1/√fan_in.

    Args:
        weight: shape (out, in, …).
        bias: shape (out); None for a layer without.
    """
    init.kaiming_uniform_(weight, a=math.sqrt(5))  # with this slope its bound is 1/√fan_in
    if bias is not None:
        fan_in, _ = init.fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)
