"""Adagrad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites.update_rules import adagrad as rules
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.indexing.brackets import index_put
from lazygrad.ops.layers.optimizer_steps import apply_rule, filled_state
from lazygrad.optim._gradients import assign_all, effective_gradient
from lazygrad.optim._options import as_number, check_implementation_options, check_learning_rate, check_not_negative
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class Adagrad(Optimizer):
    """Steps along the gradient, scaled by the root of the sum of its squares so far.

    Source: Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization",
    2011. Of a sparse gradient only the places that it has are updated.

    Args:
        params: see `Optimizer`.
        lr: learning rate.
        lr_decay: the rate of step t is lr / (1 + (t − 1)·lr_decay).
        weight_decay: factor of the L2 penalty.
        initial_accumulator_value: what the sum begins with.
        eps: added to the root.
        foreach: accepted; all parameters are updated in one plan anyway.
        maximize: step along the gradient.
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.
        fused: accepted, like ``foreach``.

    Raises:
        ValueError: a negative option.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("lr_decay value", lr_decay)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("initial_accumulator_value value", initial_accumulator_value)
        check_not_negative("epsilon value", eps)
        check_implementation_options(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                self._begin(parameter, self.state[parameter])

    def share_memory(self) -> None:
        """Moves the sums to memory that other processes see."""
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["sum"].share_memory_()

    def _begin(self, parameter: Tensor, state: dict[str, Any]) -> None:
        value = self.defaults["initial_accumulator_value"]
        state["step"] = 0
        state["sum"] = filled_state(
            tuple(parameter.shape),
            complex(value, value) if parameter.dtype.is_complex else value,
            parameter.dtype,
            parameter.device,
        )

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        if not state:
            self._begin(parameter, state)
        count_step(state)
        kept = as_pairs(parameter), as_pairs(state["sum"])
        numbers = step_numbers(_step_numbers, group, state, kept[0])
        if grad.is_sparse:
            if group["weight_decay"] != 0:
                raise RuntimeError("weight_decay option is not compatible with sparse gradients")
            updated = _updated_places(grad, kept, numbers, group["maximize"])
        else:
            updated = _updated(as_pairs(grad), kept, numbers, group["weight_decay"] != 0, group["maximize"])
        assign_all(kept, updated)


@traced
def _updated(
    grad: Tensor, kept: Sequence[Tensor], numbers: Sequence[Tensor], has_decay: bool, maximize: bool
) -> tuple[Tensor, Tensor]:
    """The parameter and the sum of squares after a step; ``kept`` is both before it."""
    parameter, total = kept
    negative_step_size, eps, weight_decay = numbers
    grad = effective_gradient(grad, parameter, weight_decay if has_decay else None, maximize)
    total = apply_rule(rules.adagrad_sum, total, grad)
    return apply_rule(rules.adagrad_update, parameter, grad, total, negative_step_size, eps), total


def _updated_places(
    grad: Any, kept: Sequence[Tensor], numbers: Sequence[Tensor], maximize: bool
) -> tuple[Tensor, Tensor]:
    """Like `_updated`, where a sparse gradient has elements."""
    grad = grad.coalesce()  # squares of values at one place must not be summed one by one
    places = tuple(grad.indices().unbind(0))
    parameter, total = _updated(grad.values(), [tensor[places] for tensor in kept], numbers, False, maximize)
    return index_put(kept[0], places, parameter), index_put(kept[1], places, total)


def _step_numbers(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    step_size = as_number(group["lr"]) / (1 + (state["step"] - 1) * group["lr_decay"])
    return -step_size, group["eps"], group["weight_decay"]
