"""RMSprop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites import optimizer as moments
from lazygrad.ir.composites.update_rules import gradient as descents
from lazygrad.ir.composites.update_rules import rmsprop as rules
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, zero_state
from lazygrad.optim._gradients import assign_all, effective_gradient, require_dense
from lazygrad.optim._options import as_number, check_implementation_options, check_learning_rate, check_not_negative
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class RMSprop(Optimizer):
    """Steps along the gradient, scaled by the root of the running mean of its square.

    Source: Tieleman and Hinton, "Neural networks for machine learning, lecture 6.5", 2012; ``centered``: Graves,
    "Generating sequences with recurrent neural networks", 2013. As in PyTorch, ``eps`` is added to the root.

    Args:
        params: see `Optimizer`.
        lr: learning rate.
        alpha: share of the running means that is kept in each step.
        eps: added to the root.
        weight_decay: factor of the L2 penalty.
        momentum: share of the velocity that is kept; 0 for none.
        centered: scale by the running variance instead.
        capturable: accepted; all parameters are updated in one plan anyway.
        foreach: accepted, like ``capturable``.
        maximize: step along the gradient.
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.

    Raises:
        ValueError: a negative option.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("epsilon value", eps)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("alpha value", alpha)
        check_implementation_options(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        require_dense(self, grad)
        if not state:
            state["step"] = 0
            state["square_avg"] = zero_state(parameter)
            if group["momentum"] > 0:
                state["momentum_buffer"] = zero_state(parameter)
            if group["centered"]:
                state["grad_avg"] = zero_state(parameter)
        count_step(state)
        names = [name for name in ("square_avg", "grad_avg", "momentum_buffer") if name in state]
        kept = [as_pairs(tensor) for tensor in (parameter, *(state[name] for name in names))]
        numbers = step_numbers(_step_numbers, group, state, kept[0])
        options = group["centered"], group["momentum"] > 0, group["weight_decay"] != 0, group["maximize"]
        assign_all(kept, _updated(as_pairs(grad), kept, numbers, *options))


@traced
def _updated(
    grad: Tensor,
    kept: Sequence[Tensor],
    numbers: Sequence[Tensor],
    centered: bool,
    has_momentum: bool,
    has_decay: bool,
    maximize: bool,
) -> tuple[Tensor, ...]:
    """The parameter after a step, the running means of the square and of the gradient, and the velocity.

    Args:
        grad: of the parameter's shape.
        kept: the same before the step; the last two if there are such.
        numbers: see `_step_numbers`; 0-dim.
        centered, has_momentum, has_decay, maximize: see `RMSprop`.
    """
    parameter, square, *others = kept
    lr, alpha, rest, eps, momentum, weight_decay = numbers
    grad = effective_gradient(grad, parameter, weight_decay if has_decay else None, maximize)
    square = apply_rule(moments.adam_second_moment, square, grad, alpha, rest)
    mean = [apply_rule(moments.adam_first_moment, others[0], grad, rest)] if centered else []
    if not has_momentum:
        return apply_rule(rules.rmsprop_update, parameter, grad, square, lr, eps, *mean), square, *mean
    velocity = apply_rule(rules.rmsprop_velocity, others[-1], grad, square, momentum, eps, *mean)
    return apply_rule(descents.descend, parameter, velocity, lr), square, *mean, velocity


def _step_numbers(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    alpha = group["alpha"]
    return as_number(group["lr"]), alpha, 1 - alpha, group["eps"], group["momentum"], group["weight_decay"]
