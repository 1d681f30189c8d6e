"""Gradients of softmax and its logarithm as functions of their own, which custom functions call with saved results."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.tensor import Tensor

__all__ = ["_log_softmax_backward_data", "_softmax_backward_data"]


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: DType) -> Tensor:
    """The gradient of softmax's input.

    Args:
        grad_output: of its result.
        output: the result.
        dim: along which it was taken.
        input_dtype: of the input, and of the gradient.
    """
    product: Any = grad_output * output
    found: Tensor = (product - output * product.sum(dim, keepdim=True)).to(input_dtype)
    return found


def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: DType) -> Tensor:
    """The gradient of log_softmax's input; see `_softmax_backward_data`."""
    total: Any = grad_output.sum(dim, keepdim=True)
    found: Tensor = (grad_output - output.exp() * total).to(input_dtype)
    return found
