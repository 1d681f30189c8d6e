"""einops' layers as modules: ``from lazygrad.einops_layers import Rearrange, Reduce, EinMix``.

They do to a tensor what ``einops.rearrange``, ``einops.reduce`` and an ``einsum`` with trained weights do, and stand in
an `nn.Sequential` like any other module. This file needs einops; nothing else of lazygrad imports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from einops.layers import RearrangeMixin, ReduceMixin
from einops.layers._einmix import _EinmixMixin

from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = ["EinMix", "Rearrange", "Reduce"]


class Rearrange(RearrangeMixin, Module):
    """``einops.rearrange`` with a pattern given once.

    Args:
        pattern: such as ``"b c h w -> b (c h w)"``.
        axes_lengths: sizes of axes that the input's shape leaves open.

    Raises:
        einops.EinopsError: the pattern is malformed, or (when called) the input's shape does not fit it.
    """

    def forward(self, input: Tensor) -> Tensor:
        rearranged: Tensor = self._apply_recipe(input)
        return rearranged


class Reduce(ReduceMixin, Module):
    """``einops.reduce`` with a pattern and a reduction given once.

    Args:
        pattern: such as ``"b c (h 2) (w 2) -> b c h w"``.
        reduction: ``"min"``, ``"max"``, ``"sum"``, ``"mean"``, ``"prod"``, ``"any"`` or ``"all"``.
        axes_lengths: sizes of axes that the input's shape leaves open.

    Raises:
        einops.EinopsError: the pattern is malformed, or (when called) the input's shape does not fit it.
    """

    def forward(self, input: Tensor) -> Tensor:
        reduced: Tensor = self._apply_recipe(input)
        return reduced


class EinMix(_EinmixMixin, Module):
    """An einsum of the input with trained weights, between the rearrangements that the pattern asks for.

    Args:
        pattern: such as ``"b t c -> b t out"``.
        weight_shape: the axes of the weights, such as ``"c out"``; they are drawn uniformly within ±√(3 / fan-in).
        bias_shape: the axes of the bias; without one for None.
        axes_lengths: the sizes of those axes.

    Raises:
        einops.EinopsError: the pattern, the shapes and the sizes do not fit.
    """

    weight: Parameter
    bias: Parameter | None
    pre_rearrange: Rearrange | None
    post_rearrange: Rearrange | None

    def _create_parameters(
        self, weight_shape: Sequence[int], weight_bound: float, bias_shape: Sequence[int] | None, bias_bound: float
    ) -> None:
        self.weight = Parameter(public.zeros(tuple(weight_shape)).uniform_(-weight_bound, weight_bound))
        self.bias = None
        if bias_shape is not None:
            self.bias = Parameter(public.zeros(tuple(bias_shape)).uniform_(-bias_bound, bias_bound))

    def _create_rearrange_layers(
        self,
        pre_reshape_pattern: str | None,
        pre_reshape_lengths: dict[str, Any] | None,
        post_reshape_pattern: str | None,
        post_reshape_lengths: dict[str, Any] | None,
    ) -> None:
        self.pre_rearrange = _rearrange(pre_reshape_pattern, pre_reshape_lengths)
        self.post_rearrange = _rearrange(post_reshape_pattern, post_reshape_lengths)

    def forward(self, input: Tensor) -> Tensor:
        x = input if self.pre_rearrange is None else self.pre_rearrange(input)
        mixed = public.einsum(self.einsum_pattern, x, self.weight)
        if self.bias is not None:
            mixed = mixed + self.bias
        return mixed if self.post_rearrange is None else self.post_rearrange(mixed)


def _rearrange(pattern: str | None, lengths: dict[str, Any] | None) -> Rearrange | None:
    return None if pattern is None else Rearrange(pattern, **(lengths or {}))
