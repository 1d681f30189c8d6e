"""The pointwise parts of Adam (Kingma and Ba, 2015), in PyTorch's order of operations.

The hyper-parameters are 0-dim inputs, not attributes, so that a changing learning rate does not make a new program.
"""

from __future__ import annotations

from lazygrad.ir.composites.define import composite, float_like_first
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _first_moment(moment: Node, gradient: Node, weight: Node) -> Node:
    return moment + weight * (gradient - moment)


def _second_moment(moment: Node, gradient: Node, beta: Node, one_minus_beta: Node) -> Node:
    return moment * beta + one_minus_beta * gradient * gradient


def _update(
    parameter: Node, first: Node, second: Node, bias_correction2_sqrt: Node, eps: Node, negative_step_size: Node
) -> Node:
    return parameter + negative_step_size * (first / (ew.sqrt(second) / bias_correction2_sqrt + eps))


adam_first_moment = composite(
    "adam_first_moment", _first_moment, float_like_first("adam_first_moment"), doc="m + weight · (g - m)"
)
adam_second_moment = composite(
    "adam_second_moment", _second_moment, float_like_first("adam_second_moment"), doc="v · β₂ + (1 - β₂) · g²"
)
adam_update = composite(
    "adam_update",
    _update,
    float_like_first("adam_update"),
    doc="p + negative_step_size · m / (sqrt(v) / bias_correction2_sqrt + eps)",
)
