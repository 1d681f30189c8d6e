"""What most optimizers do with a gradient before they use it."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.composites.update_rules import gradient as rules
from lazygrad.ops.layers.optimizer_steps import apply_rule
from lazygrad.tensor import Tensor


def require_dense(optimizer: object, grad: Tensor) -> None:
    """Raises RuntimeError for a sparse gradient."""
    if grad.is_sparse:
        raise RuntimeError(f"{type(optimizer).__name__} does not support sparse gradients")


def effective_gradient(grad: Tensor, parameter: Tensor, weight_decay: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient with its sign turned for ``maximize``, plus that of the L2 penalty.

    Args:
        grad: the gradient of ``parameter``.
        parameter: of the same shape.
        weight_decay: ``group["weight_decay"]`` as a 0-dim tensor.
        group: the options.
    """
    if group["maximize"]:
        grad = -grad
    return apply_rule(rules.decayed_gradient, grad, parameter, weight_decay) if group["weight_decay"] != 0 else grad


def decayed(parameter: Tensor, grad: Tensor, decay: Tensor, group: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """The parameter and its gradient after either kind of weight decay, and ``maximize``.

    Args:
        parameter: its value.
        grad: its gradient, of the same shape.
        decay: `decay_number` as a 0-dim tensor.
        group: the options, among them ``decoupled_weight_decay``.
    """
    if not group["decoupled_weight_decay"]:
        return parameter, effective_gradient(grad, parameter, decay, group)
    grad = -grad if group["maximize"] else grad
    return parameter * decay if group["weight_decay"] != 0 else parameter, grad


def decay_number(group: dict[str, Any], lr: float) -> float:
    """What `decayed` multiplies the parameter by, or adds of it to the gradient."""
    weight_decay: float = group["weight_decay"]
    return 1 - lr * weight_decay if group["decoupled_weight_decay"] else weight_decay
