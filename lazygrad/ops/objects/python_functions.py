"""Applying a Python function to each element: slow, for what no operation expresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.shapes.reshaping import broadcast_to
from lazygrad.tensor import Tensor


def _mapped(name: str, input: Tensor, others: tuple[Tensor, ...], function: Callable[..., Any]) -> Tensor:
    if any(operand.requires_grad for operand in (input, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    for other in others:
        if tensor_argument(other, name, "other").dtype is not input.dtype:
            raise TypeError(f"{name}(): expected a tensor of {input.dtype} but got {other.dtype}")
    columns = [broadcast_to(operand, input.shape).reshape(-1).tolist() for operand in (input, *others)]
    results = np.array([function(*row) for row in zip(*columns, strict=True)], to_numpy(input.dtype))
    values = Tensor.from_array(results.reshape(input.shape), input.device, shared=False)
    return input.assign(values.node(), name)


@method()
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace each element by ``callable`` of it. Computes the tensor now.

    Raises:
        RuntimeError: a tensor that requires gradients.
    """
    return _mapped("apply_", input, (), callable)


@method()
def map_(input: Tensor, other: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by ``callable`` of it and of the element of ``other``, broadcast. Computes both now.

    Raises:
        RuntimeError: tensors that require gradients. TypeError: another dtype.
    """
    return _mapped("map_", input, (other,), callable)


@method()
def map2_(input: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """`map_` with two further tensors."""
    return _mapped("map2_", input, (x, y), callable)
