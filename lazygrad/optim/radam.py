"""RAdam, the rectified Adam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites import optimizer as moments
from lazygrad.ir.composites.update_rules import radam as rules
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, zero_state
from lazygrad.optim._gradients import assign_all, decay_number, decayed, require_dense
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


class RAdam(Optimizer):
    """Adam whose scaling waits until its running mean of the square has settled.

    Source: Liu et al., "On the variance of the adaptive learning rate and beyond", 2019.

    Args:
        params: see `Optimizer`.
        lr: learning rate.
        betas: shares of the two running means that are kept in each step.
        eps: added to the root.
        weight_decay: factor of the L2 penalty.
        decoupled_weight_decay: shrink the parameter instead of changing the gradient.
        foreach: accepted; all parameters are updated in one plan anyway.
        maximize: step along the gradient.
        capturable: accepted, like ``foreach``.
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.

    Raises:
        ValueError: a negative option, or betas that are not in [0, 1).
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        require_dense(self, grad)
        if not state:
            state["step"] = 0
            state["exp_avg"] = zero_state(parameter)
            state["exp_avg_sq"] = zero_state(parameter)
        count_step(state)
        kept = [as_pairs(tensor) for tensor in (parameter, state["exp_avg"], state["exp_avg_sq"])]
        numbers = step_numbers(_step_numbers, group, state, kept[0])
        options = group["weight_decay"] != 0, group["decoupled_weight_decay"], group["maximize"]
        assign_all(kept, _updated(as_pairs(grad), kept, numbers, *options))


@traced
def _updated(
    grad: Tensor,
    kept: Sequence[Tensor],
    numbers: Sequence[Tensor],
    has_decay: bool,
    is_decoupled: bool,
    maximize: bool,
) -> tuple[Tensor, ...]:
    """The parameter after a step, and the running means of the gradient and of its square."""
    parameter, first, second = kept
    decay, weight, beta2, rest, *sizes = numbers
    grad, parameter = decayed(grad, parameter, decay, has_decay, is_decoupled, maximize)
    first = apply_rule(moments.adam_first_moment, first, grad, weight)
    second = apply_rule(moments.adam_second_moment, second, grad, beta2, rest)
    return apply_rule(rules.radam_update, parameter, first, second, *sizes), first, second


def _step_numbers(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    lr, (beta1, beta2), step = as_number(group["lr"]), group["betas"], state["step"]
    sizes = -lr / (1 - beta1**step), _rectification(beta2, step), group["eps"]
    return decay_number(group, lr), 1 - beta1, beta2, 1 - beta2, *sizes


def _rectification(beta2: float, step: int) -> float:
    """What the inverse root of the mean square is multiplied by; 0 as long as its variance is not known."""
    correction = 1 - beta2**step
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * beta2**step / correction
    if length <= 5:
        return 0.0
    share = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    return float(share * correction) ** 0.5
