"""Averaged stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites.update_rules import asgd as rules
from lazygrad.ir.dtype import float32
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, filled_state, replaced, zero_state
from lazygrad.optim._gradients import assign_all, effective_gradient, require_dense
from lazygrad.optim._options import as_number, check_implementation_options, check_learning_rate, check_not_negative
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class ASGD(Optimizer):
    """Stochastic gradient descent that also keeps the average of all parameters since step ``t0``.

    Source: Polyak and Juditsky, "Acceleration of stochastic approximation by averaging", 1992. The average is
    ``state["ax"]``; the step size falls as lr / (1 + lambd·lr·t)^alpha.

    Args:
        params: see `Optimizer`.
        lr: learning rate of the first step.
        lambd: how fast parameters and step sizes decay.
        alpha: power of the step sizes' decay.
        t0: the step at which averaging begins.
        weight_decay: factor of the L2 penalty.
        foreach: accepted; all parameters are updated in one plan anyway.
        maximize: step along the gradient.
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.
        capturable: accepted, like ``foreach``.

    Raises:
        ValueError: a negative learning rate or weight decay.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("weight_decay value", weight_decay)
        check_implementation_options(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
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
            state["eta"] = filled_state((), as_number(group["lr"]), float32, parameter.device)
            state["mu"] = filled_state((), 1.0, float32, parameter.device)
            state["ax"] = zero_state(parameter)
        count_step(state)
        kept = [as_pairs(tensor) for tensor in (parameter, state["ax"], state["eta"], state["mu"])]
        numbers = step_numbers(_options, group, state, kept[0])
        following = step_numbers(_next_sizes, group, state, state["eta"])
        decay = group["weight_decay"] != 0
        assign_all(kept, _updated(as_pairs(grad), kept, numbers, following, decay, group["maximize"]))


@traced
def _updated(
    grad: Tensor,
    kept: Sequence[Tensor],
    numbers: Sequence[Tensor],
    following: Sequence[Tensor],
    has_decay: bool,
    maximize: bool,
) -> tuple[Tensor, ...]:
    """The parameter after a step, the average, and the numbers of the next step.

    Args:
        grad: of the parameter's shape.
        kept: the same before the step.
        numbers: see `_options`; 0-dim.
        following: see `_next_sizes`; 0-dim. The next step uses them even if the learning rate has changed until then.
        has_decay: add the gradient of the L2 penalty.
        maximize: step along the gradient.
    """
    parameter, average, *sizes = kept
    eta, mu = (size.to(parameter.dtype) for size in sizes)
    lambd, weight_decay = numbers
    grad = effective_gradient(grad, parameter, weight_decay if has_decay else None, maximize)
    parameter = apply_rule(rules.asgd_update, parameter, grad, eta, lambd)
    average = apply_rule(rules.asgd_average, average, parameter, mu)
    return parameter, average, *(replaced(size, number) for size, number in zip(sizes, following, strict=True))


def _options(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    return group["lambd"], group["weight_decay"]


def _next_sizes(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    lr, step = as_number(group["lr"]), state["step"]
    return lr / (1 + group["lambd"] * lr * step) ** group["alpha"], 1 / max(1, step - group["t0"])
