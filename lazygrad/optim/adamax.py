"""Adamax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites import optimizer as moments
from lazygrad.ir.composites.update_rules import adamax as rules
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, zero_state
from lazygrad.optim._gradients import assign_all, effective_gradient, require_dense
from lazygrad.optim._options import (
    as_number,
    check_betas,
    check_implementation_options,
    check_learning_rate,
    check_not_negative,
)
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class Adamax(Optimizer):
    """Adam with the largest recent gradient in place of the root of the mean square.

    Source: Kingma and Ba, "Adam", 2014, section 7.

    Args:
        params: see `Optimizer`.
        lr: learning rate.
        betas: shares of the running mean and of the running maximum that are kept in each step.
        eps: added to the gradient's magnitude.
        weight_decay: factor of the L2 penalty.
        foreach: accepted; all parameters are updated in one plan anyway.
        maximize: step along the gradient.
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.
        capturable: accepted, like ``foreach``.

    Raises:
        ValueError: a negative option, or betas that are not in [0, 1).
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("epsilon value", eps)
        check_betas(betas)
        check_not_negative("weight_decay value", weight_decay)
        check_implementation_options(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        require_dense(self, grad)
        if not state:
            state["step"] = 0
            state["exp_avg"] = zero_state(parameter)
            state["exp_inf"] = zero_state(parameter)
        count_step(state)
        kept = [as_pairs(tensor) for tensor in (parameter, state["exp_avg"], state["exp_inf"])]
        numbers = step_numbers(_step_numbers, group, state, kept[0])
        assign_all(kept, _updated(as_pairs(grad), kept, numbers, group["weight_decay"] != 0, group["maximize"]))


@traced
def _updated(
    grad: Tensor, kept: Sequence[Tensor], numbers: Sequence[Tensor], has_decay: bool, maximize: bool
) -> tuple[Tensor, ...]:
    """The parameter after a step, the running mean and the running maximum."""
    parameter, mean, norm = kept
    negative_step_size, weight, beta2, eps, weight_decay = numbers
    grad = effective_gradient(grad, parameter, weight_decay if has_decay else None, maximize)
    mean = apply_rule(moments.adam_first_moment, mean, grad, weight)
    norm = apply_rule(rules.adamax_norm, norm, grad, beta2, eps)
    return apply_rule(rules.adamax_update, parameter, mean, norm, negative_step_size), mean, norm


def _step_numbers(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    beta1, beta2 = group["betas"]
    step_size = as_number(group["lr"]) / (1 - beta1 ** state["step"])
    return -step_size, 1 - beta1, beta2, group["eps"], group["weight_decay"]
