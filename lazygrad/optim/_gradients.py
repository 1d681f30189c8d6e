"""What most optimizers do with a gradient before they use it, and with new values in the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites.update_rules import gradient as rules
from lazygrad.ops.layers.optimizer_steps import apply_rule
from lazygrad.optim.optimizer import assign
from lazygrad.tensor import Tensor


def require_dense(optimizer: object, grad: Tensor) -> None:
    """Raises RuntimeError for a sparse gradient."""
    if grad.is_sparse:
        raise RuntimeError(f"{type(optimizer).__name__} does not support sparse gradients")


def assign_all(tensors: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    """Writes each value over its tensor."""
    for tensor, value in zip(tensors, values, strict=True):
        assign(tensor, value)


def effective_gradient(grad: Tensor, parameter: Tensor, weight_decay: Tensor | None, maximize: bool) -> Tensor:
    """The gradient with its sign turned for ``maximize``, plus that of the L2 penalty.

    Args:
        grad: the gradient of ``parameter``.
        parameter: of the same shape.
        weight_decay: factor of the penalty, 0-dim; None for none.
        maximize: step along the gradient.
    """
    if maximize:
        grad = -grad
    return grad if weight_decay is None else apply_rule(rules.decayed_gradient, grad, parameter, weight_decay)


def decayed(
    grad: Tensor, parameter: Tensor, decay: Tensor, has_decay: bool, is_decoupled: bool, maximize: bool
) -> tuple[Tensor, Tensor]:
    """The gradient and its parameter after either kind of weight decay, and ``maximize``.

    Args:
        grad: of the parameter's shape.
        parameter: its value.
        decay: `decay_number`, 0-dim.
        has_decay: whether there is weight decay.
        is_decoupled: shrink the parameter instead of changing the gradient.
        maximize: step along the gradient.
    """
    if not (has_decay and is_decoupled):
        return effective_gradient(grad, parameter, decay if has_decay else None, maximize), parameter
    return effective_gradient(grad, parameter, None, maximize), parameter * decay


def decay_number(group: dict[str, Any], lr: float) -> float:
    """What `decayed` multiplies the parameter by, or adds of it to the gradient."""
    weight_decay: float = group["weight_decay"]
    return 1 - lr * weight_decay if group["decoupled_weight_decay"] else weight_decay
