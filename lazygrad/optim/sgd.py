"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from lazygrad.ops.arguments.tracing import traced
from lazygrad.optim._options import as_number, check_implementation_options, check_learning_rate, check_not_negative
from lazygrad.optim._step_numbers import step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters, assign
from lazygrad.tensor import Tensor


class SGD(Optimizer):
    """Steps against the gradient, optionally with momentum.

    Source of momentum: Sutskever et al., "On the importance of initialization and momentum in deep learning", 2013,
    with PyTorch's convention that the learning rate does not enter the velocity.

    Args:
        params: see `Optimizer`.
        lr: learning rate.
        momentum: share of the velocity that is kept; 0 for none.
        dampening: share of the gradient that does not enter the velocity.
        weight_decay: factor of the L2 penalty.
        nesterov: look ahead along the velocity.
        maximize: step along the gradient.
        foreach: accepted; all parameters are updated in one plan anyway.
        differentiable: only False.
        fused: accepted, like ``foreach``.

    Raises:
        ValueError: a negative rate, or ``nesterov`` without momentum or with dampening.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_implementation_options(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        grad = grad.to_dense() if grad.is_sparse else grad
        velocity = state.get("momentum_buffer")
        (lr,) = step_numbers(_learning_rate, group, state, parameter)
        updated = sgd_update(
            grad,
            parameter,
            velocity,
            lr,
            group["momentum"],
            group["dampening"],
            as_number(group["weight_decay"]),
            group["nesterov"],
            group["maximize"],
        )
        assign(parameter, updated[0])
        if velocity is not None and len(updated) == 2:
            assign(velocity, updated[1])
        elif len(updated) == 2:
            state["momentum_buffer"] = updated[1]


def _learning_rate(group: Group, state: dict[str, Any]) -> tuple[float]:
    return (as_number(group["lr"]),)


@traced
def sgd_update(
    grad: Tensor,
    parameter: Tensor,
    velocity: Tensor | None,
    lr: Tensor,
    momentum: float,
    dampening: float,
    weight_decay: float,
    nesterov: bool,
    maximize: bool,
) -> tuple[Tensor, ...]:
    """The parameter after one step, and with momentum its velocity; nothing is changed in place.

    Args:
        grad: of the parameter's shape.
        parameter: its value.
        velocity: None before the first step and without momentum.
        lr: 0-dim.
        momentum, dampening, weight_decay, nesterov, maximize: see `SGD`.
    """
    if maximize:
        grad = -grad
    if weight_decay != 0:
        grad = grad + weight_decay * parameter
    if momentum == 0:
        return (parameter - lr * grad,)
    # The first velocity is the whole gradient, and a tensor of its own: the gradient may be cleared in place.
    velocity = grad.clone() if velocity is None else velocity * momentum + (1 - dampening) * grad
    direction = grad + momentum * velocity if nesterov else velocity
    return parameter - lr * direction, velocity
