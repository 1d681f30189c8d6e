"""Adam for sparse gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites import optimizer as moments
from lazygrad.ir.composites.update_rules.adagrad import adagrad_update
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.indexing.brackets import index_put
from lazygrad.ops.layers.optimizer_steps import apply_rule, zero_state
from lazygrad.optim._gradients import assign_all, effective_gradient
from lazygrad.optim._options import as_number, check_betas
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class SparseAdam(Optimizer):
    """Adam whose means and parameters change only where a sparse gradient has elements.

    Args:
        params: see `Optimizer`; dense and real, with sparse gradients.
        lr: learning rate.
        betas: shares of the two running means that are kept in each step.
        eps: added to the root.
        maximize: step along the gradient.

    Raises:
        ValueError: a rate or ``eps`` that is not positive, betas that are not in [0, 1), sparse or complex parameters.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not as_number(lr) > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [
            (parameter, [number, position])
            for number, group in enumerate(self.param_groups)
            for position, parameter in enumerate(group["params"])
        ]
        sparse = [place for parameter, place in places if parameter.is_sparse]
        if sparse:
            raise ValueError(f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        complex_ = [place for parameter, place in places if parameter.dtype.is_complex]
        if complex_:
            raise ValueError(f"Complex params at indices {complex_}: SparseAdam does not support complex parameters")

    def state_dict(self) -> dict[str, Any]:
        """See `Optimizer.state_dict`; step counts are Python numbers in it, as in PyTorch's."""
        state_dict = super().state_dict()
        packed = {key: {**state, "step": int(state["step"])} for key, state in state_dict["state"].items()}
        return {**state_dict, "state": packed}

    def _update_parameter(self, parameter: Tensor, grad: Any, state: dict[str, Any], group: Group) -> None:
        if not grad.is_sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        if not state:
            state["step"] = 0
            state["exp_avg"] = zero_state(parameter)
            state["exp_avg_sq"] = zero_state(parameter)
        count_step(state)
        grad = grad.coalesce()  # squares of values at one place must not be averaged one by one
        places, values = tuple(grad.indices().unbind(0)), grad.values()
        if values.numel() == 0:
            return
        kept = parameter, state["exp_avg"], state["exp_avg_sq"]
        numbers = step_numbers(_step_numbers, group, state, parameter)
        updated = _updated(values, [tensor[places] for tensor in kept], numbers, group["maximize"])
        assign_all(kept, [index_put(tensor, places, new) for tensor, new in zip(kept, updated, strict=True)])


@traced
def _updated(grad: Tensor, kept: Sequence[Tensor], numbers: Sequence[Tensor], maximize: bool) -> tuple[Tensor, ...]:
    """Elements of the parameter and of both running means after a step; ``kept`` are those before it."""
    parameter, first, second = kept
    negative_step_size, weight, beta2, rest, eps = numbers
    grad = effective_gradient(grad, parameter, None, maximize)
    first = apply_rule(moments.adam_first_moment, first, grad, weight)
    second = apply_rule(moments.adam_second_moment, second, grad, beta2, rest)
    return apply_rule(adagrad_update, parameter, first, second, negative_step_size, eps), first, second


def _step_numbers(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    (beta1, beta2), step = group["betas"], state["step"]
    step_size = as_number(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
    return -step_size, 1 - beta1, beta2, 1 - beta2, group["eps"]
