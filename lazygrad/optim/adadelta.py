"""Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites import optimizer as moments
from lazygrad.ir.composites.update_rules import adadelta as rules
from lazygrad.ir.composites.update_rules import gradient as descents
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, zero_state
from lazygrad.optim._gradients import assign_all, effective_gradient, require_dense
from lazygrad.optim._options import as_number, check_implementation_options, check_learning_rate, check_not_negative
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class Adadelta(Optimizer):
    """Steps along the gradient, scaled by the ratio of running means: of squared steps and of squared gradients.

    Source: Zeiler, "ADADELTA: an adaptive learning rate method", 2012.

    Args:
        params: see `Optimizer`.
        lr: factor of the step.
        rho: share of the running means that is kept in each step.
        eps: added to both means.
        weight_decay: factor of the L2 penalty.
        foreach: accepted; all parameters are updated in one plan anyway.
        capturable: accepted, like ``foreach``.
        maximize: step along the gradient.
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.

    Raises:
        ValueError: a negative option, or ``rho`` above 1.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative("epsilon value", eps)
        check_not_negative("weight_decay value", weight_decay)
        check_implementation_options(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        require_dense(self, grad)
        if not state:
            state["step"] = 0
            state["square_avg"] = zero_state(parameter)
            state["acc_delta"] = zero_state(parameter)
        count_step(state)
        kept = [as_pairs(tensor) for tensor in (parameter, state["square_avg"], state["acc_delta"])]
        numbers = step_numbers(_step_numbers, group, state, kept[0])
        assign_all(kept, _updated(as_pairs(grad), kept, numbers, group["weight_decay"] != 0, group["maximize"]))


@traced
def _updated(
    grad: Tensor, kept: Sequence[Tensor], numbers: Sequence[Tensor], has_decay: bool, maximize: bool
) -> tuple[Tensor, ...]:
    """The parameter after a step, and the running means of squared gradients and of squared steps."""
    parameter, square, accumulated = kept
    lr, rho, rest, eps, weight_decay = numbers
    grad = effective_gradient(grad, parameter, weight_decay if has_decay else None, maximize)
    square = apply_rule(moments.adam_second_moment, square, grad, rho, rest)
    direction = apply_rule(rules.adadelta_direction, accumulated, square, grad, eps)
    accumulated = apply_rule(moments.adam_second_moment, accumulated, direction, rho, rest)
    return apply_rule(descents.descend, parameter, direction, lr), square, accumulated


def _step_numbers(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    rho = group["rho"]
    return as_number(group["lr"]), rho, 1 - rho, group["eps"], group["weight_decay"]
