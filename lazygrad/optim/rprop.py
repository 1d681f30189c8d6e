"""Resilient backpropagation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites.update_rules import rprop as rules
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, filled_state, zero_state
from lazygrad.optim._gradients import assign_all, effective_gradient, require_dense
from lazygrad.optim._options import as_number, check_implementation_options, check_learning_rate
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class Rprop(Optimizer):
    """Steps by sizes of their own for each element, of which only the gradient's sign decides.

    Source: Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning", 1993.

    Args:
        params: see `Optimizer`.
        lr: the first step size.
        etas: what a step size is multiplied by where the sign has changed, and where it has not.
        step_sizes: the smallest and the largest step size.
        capturable: accepted; all parameters are updated in one plan anyway.
        foreach: accepted, like ``capturable``.
        maximize: step along the gradient.
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.

    Raises:
        ValueError: a negative learning rate, or etas on the same side of 1.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        check_implementation_options(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _begin(self, parameter: Tensor, state: dict[str, Any], group: Group) -> None:
        lr = as_number(group["lr"])
        value = complex(lr, lr) if parameter.dtype.is_complex else lr
        state["step"] = 0
        state["prev"] = zero_state(parameter)
        state["step_size"] = filled_state(tuple(parameter.shape), value, parameter.dtype, parameter.device)

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        require_dense(self, grad)
        if not state:
            self._begin(parameter, state, group)
        count_step(state)
        kept = [as_pairs(tensor) for tensor in (parameter, state["prev"], state["step_size"])]
        numbers = step_numbers(_options, group, state, kept[0])
        assign_all(kept, _updated(as_pairs(grad), kept, numbers, group["maximize"]))


@traced
def _updated(grad: Tensor, kept: Sequence[Tensor], numbers: Sequence[Tensor], maximize: bool) -> tuple[Tensor, ...]:
    """The parameter after a step, the gradient that it used, and the step sizes."""
    parameter, previous, size = kept
    grad = effective_gradient(grad, parameter, None, maximize)
    size = apply_rule(rules.rprop_size, size, grad, previous, *numbers)
    used = apply_rule(rules.rprop_gradient, grad, previous)
    return apply_rule(rules.rprop_update, parameter, used, size), used, size


def _options(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    return *group["etas"], *group["step_sizes"]
