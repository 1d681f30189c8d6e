"""Folding a batch normalization that follows a layer into the layer's weights, for evaluation."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.ops.creation.like import ones_like, zeros_like
from lazygrad.ops.pointwise.elementary import rsqrt
from lazygrad.tensor import Tensor

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

Layer = TypeVar("Layer", bound=Module)
Parameters = tuple[Parameter, Parameter]


def fuse_conv_bn_eval(conv: Layer, bn: Module, transpose: bool = False) -> Layer:
    """A convolution that computes what a convolution and a batch normalization compute one after the other.

    Args:
        conv: the convolution, in evaluation mode; it stays as it is.
        bn: the batch normalization, in evaluation mode, with running statistics.
        transpose: ``conv`` is a transposed convolution.

    Raises:
        AssertionError: one is in training mode, or there are no running statistics.
    """
    _check_modes(conv, bn)
    fused: Any = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, *_statistics(bn), bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> Parameters:
    """Weight and bias of `fuse_conv_bn_eval`.

    Args:
        conv_w: weight of the convolution, shape (out, in, *kernel), or (in, out, *kernel) for a transposed one.
        conv_b: its bias, shape (out), or None.
        bn_rm: running mean, shape (out).
        bn_rv: running variance, shape (out).
        bn_eps: added to the variance.
        bn_w: weight of the normalization, shape (out), or None.
        bn_b: its bias, shape (out), or None.
        transpose: see ``conv_w``.
    """
    bias = zeros_like(bn_rm) if conv_b is None else conv_b
    bias_dtype = conv_w.dtype if conv_b is None else conv_b.dtype
    bn_w = ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = zeros_like(bn_rm) if bn_b is None else bn_b
    scale = rsqrt(bn_rv + bn_eps)
    channels = (1, -1) if transpose else (-1, 1)
    shape = (*channels, *(1 for _ in range(conv_w.dim() - 2)))
    weight = (conv_w * (bn_w * scale).reshape(shape)).to(conv_w.dtype)
    new_bias = ((bias - bn_rm) * scale * bn_w + bn_b).to(bias_dtype)
    return _parameter(weight, conv_w.requires_grad), _parameter(new_bias, bias.requires_grad)


def fuse_linear_bn_eval(linear: Layer, bn: Module) -> Layer:
    """An affine layer that computes what an affine layer and a batch normalization compute one after the other.

    Args:
        linear: the layer, in evaluation mode; it stays as it is.
        bn: the batch normalization, in evaluation mode, of as many features or of one, with running statistics.

    Raises:
        AssertionError: one is in training mode, features differ, or there are no running statistics.
    """
    _check_modes(linear, bn)
    fused: Any = copy.deepcopy(linear)
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, *_statistics(bn), bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> Parameters:
    """Weight and bias of `fuse_linear_bn_eval`; arguments as for `fuse_conv_bn_weights`."""
    bias = zeros_like(bn_rm) if linear_b is None else linear_b
    bias_dtype = linear_w.dtype if linear_b is None else linear_b.dtype
    scale = bn_w * rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(linear_w.dtype)
    new_bias = ((bias - bn_rm) * scale + bn_b).to(bias_dtype)
    return _parameter(weight, linear_w.requires_grad), _parameter(new_bias, bias.requires_grad)


def _parameter(value: Tensor, requires_grad: bool) -> Parameter:
    return Parameter(value.detach(), requires_grad)


def _check_modes(layer: Module, bn: Module) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")


def _statistics(bn: Module) -> tuple[Tensor, Tensor]:
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    return bn.running_mean, bn.running_var
