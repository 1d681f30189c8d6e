"""The recorded form of a derivative; the differentiate pass spells it out.

A backward pass in which Python code takes part is a chain of stages: `gradient_seeds`, and for each function that was
called a stage that says what it answered. The gradients that a function was given are `grad` nodes of the stage before
it, all others those of the last stage, and one sweep computes all of them.
"""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, float32
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape, ShapeError


def _infer(
    attrs: tuple[Any, ...], output: TensorType, cotangent: TensorType, target: TensorType
) -> tuple[Shape, DType]:
    if cotangent.shape != output.shape:
        raise ShapeError(
            f"grad: the gradient has shape {cotangent.shape}, but the output it belongs to has shape {output.shape}"
        )
    return target.shape, target.dtype


grad = CallableOp("grad", Kind.GRADIENT, _infer, doc="cotangentᵀ · ∂output/∂target")


def _stage(attrs: tuple[Any, ...], *_: TensorType) -> tuple[Shape, DType]:
    return (), float32  # nobody computes it


gradient_seeds = CallableOp(
    "gradient_seeds",
    Kind.CALLBACK,
    _stage,
    ("outputs",),
    doc="where a chain of stages begins: so many outputs, then their cotangents",
)
gradient_replaced = CallableOp(
    "gradient_replaced", Kind.CALLBACK, _stage, doc="the stage before, a node, and what hooks made of its gradient"
)
gradient_passed_on = CallableOp(
    "gradient_passed_on",
    Kind.CALLBACK,
    _stage,
    ("outputs", "given"),
    doc="the stage before, a custom function, so many of its outputs, and its gradients of the inputs that are `given`",
)
STAGES = frozenset([gradient_seeds, gradient_replaced, gradient_passed_on])


def gradient_path(node: Node) -> tuple[Node, ...]:
    """The inputs of ``node`` that gradients flow to, or through; of a stage not what was answered."""
    if node.op is gradient_seeds:
        return node.inputs[: node["outputs"]]
    return node.inputs[:2] if node.op in STAGES else node.inputs
