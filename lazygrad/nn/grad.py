"""Gradients of convolutions, as functions: by their input and by their weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.autograd.backward import grad
from lazygrad.grad_mode import enable_grad, is_grad_enabled
from lazygrad.ops.layers.convolution import conv1d, conv2d, conv3d
from lazygrad.ops.public import zeros
from lazygrad.tensor import Tensor

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]

_Numbers = int | Sequence[int]


def conv1d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv1d` by its input.

    Args:
        input_size: [N, C, L], the shape of the input and of the result.
        weight: [O, C / groups, K].
        grad_output: [N, O, L'], the gradient of what the convolution returned.
        stride, padding, dilation, groups: of the convolution.

    Raises:
        RuntimeError: shapes that do not belong together.
    """
    return _by_input(conv1d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv1d` by its weight.

    Args:
        input: [N, C, L].
        weight_size: [O, C / groups, K], the shape of the weight and of the result.
        grad_output, stride, padding, dilation, groups: see `conv1d_input`.

    Raises:
        RuntimeError: shapes that do not belong together.
    """
    return _by_weight(conv1d, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv2d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv2d` by its input, [N, C, H, W]; see `conv1d_input`."""
    return _by_input(conv2d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv2d` by its weight, [O, C / groups, Kh, Kw]; see `conv1d_weight`."""
    return _by_weight(conv2d, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv3d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv3d` by its input, [N, C, D, H, W]; see `conv1d_input`."""
    return _by_input(conv3d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv3d` by its weight, [O, C / groups, Kd, Kh, Kw]; see `conv1d_weight`."""
    return _by_weight(conv3d, input, weight_size, grad_output, stride, padding, dilation, groups)


def _by_input(
    convolution: Callable[..., Tensor], size: Sequence[int], weight: Tensor, grad_output: Tensor, *options: Any
) -> Tensor:
    # A convolution is linear in each operand: its gradient by one does not depend on that one's values.
    operand = zeros(tuple(size), dtype=weight.dtype, device=weight.device, requires_grad=True)
    keeps = is_grad_enabled()
    with enable_grad():
        result = convolution(operand, weight if keeps else weight.detach(), None, *options)
    return grad(result, operand, grad_output, create_graph=keeps)[0]


def _by_weight(
    convolution: Callable[..., Tensor], input: Tensor, size: Sequence[int], grad_output: Tensor, *options: Any
) -> Tensor:
    operand = zeros(tuple(size), dtype=input.dtype, device=input.device, requires_grad=True)
    keeps = is_grad_enabled()
    with enable_grad():
        result = convolution(input if keeps else input.detach(), operand, None, *options)
    return grad(result, operand, grad_output, create_graph=keeps)[0]
