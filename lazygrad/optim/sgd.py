"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import float32
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
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.
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
        dtype = float32 if parameter.dtype.itemsize == 2 else None  # as PyTorch's numbers, which are not rounded first
        numbers = step_numbers(_step_numbers, group, state, parameter, dtype)
        decay = as_number(group["weight_decay"]) != 0
        options = group["momentum"] != 0, group["dampening"], decay, group["nesterov"], group["maximize"]
        updated = sgd_update(grad, parameter, velocity, numbers, *options)
        assign(parameter, updated[0])
        if velocity is not None and len(updated) == 2:
            assign(velocity, updated[1])
        elif len(updated) == 2:
            state["momentum_buffer"] = updated[1]


def _step_numbers(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    return as_number(group["lr"]), group["momentum"], as_number(group["weight_decay"])


@traced
def sgd_update(
    grad: Tensor,
    parameter: Tensor,
    velocity: Tensor | None,
    numbers: Sequence[Tensor],
    has_momentum: bool,
    dampening: float,
    has_decay: bool,
    nesterov: bool,
    maximize: bool,
) -> tuple[Tensor, ...]:
    """The parameter after one step, and with momentum its velocity; nothing is changed in place.

    Args:
        grad: of the parameter's shape.
        parameter: its value.
        velocity: None before the first step and without momentum.
        numbers: the learning rate, the momentum and the weight decay; 0-dim.
        has_momentum, has_decay: whether these two are not 0.
        dampening, nesterov, maximize: see `SGD`.
    """
    lr, momentum, weight_decay = numbers
    if maximize:
        grad = -grad
    if has_decay:
        grad = grad + weight_decay * parameter
    if not has_momentum:
        return (parameter - lr * grad,)
    # The first velocity is the whole gradient, and a tensor of its own: the gradient may be cleared in place. As in
    # PyTorch no gradient flows through it.
    velocity = grad.detach().clone() if velocity is None else velocity * momentum + (1 - dampening) * grad
    direction = grad + momentum * velocity if nesterov else velocity
    return parameter - lr * direction, velocity
