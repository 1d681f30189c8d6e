"""The affine map of a dense layer."""

from __future__ import annotations

from math import prod
from typing import Any

from lazygrad.ir.build import linear_product
from lazygrad.ir.composites.define import Result, composite
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.shape import ShapeError


def _linear(x: Node, weight: Node, bias: Node | None = None) -> Node:
    product = linear_product(x, weight)
    return product if bias is None else product + bias


def _infer(attrs: tuple[Any, ...], x: TensorType, weight: TensorType, bias: TensorType | None = None) -> Result:
    if len(weight.shape) != 2 or not x.shape:
        raise ShapeError(f"linear: expected (…, in_features) and (out_features, in_features), but got {x} and {weight}")
    if x.shape[-1] != weight.shape[1]:
        raise ShapeError(
            f"linear: mat1 and mat2 shapes cannot be multiplied ({prod(x.shape[:-1])}x{x.shape[-1]} and "
            f"{weight.shape[1]}x{weight.shape[0]}): input {x} needs a weight of shape (out_features, {x.shape[-1]}), "
            f"not {weight}"
        )
    for operand in (weight,) if bias is None else (weight, bias):
        if operand.dtype is not x.dtype:
            raise RuntimeError(
                f"linear: mat1 and mat2 must have the same dtype, but got {x.dtype.scalar_type} and "
                f"{operand.dtype.scalar_type}: {x} and {operand}; cast one"
            )
    if bias is not None and bias.shape != (weight.shape[0],):
        raise ShapeError(f"linear: expected a bias of shape ({weight.shape[0]},), but got {bias}")
    return (*x.shape[:-1], weight.shape[0]), x.dtype


linear = composite("linear", _linear, _infer, doc="x · weightᵀ + bias over the last axis", widened=False)
