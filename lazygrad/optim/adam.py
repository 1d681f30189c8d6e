"""Adam, and AdamW with its decoupled weight decay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.composites import optimizer as moments
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, zero_state
from lazygrad.optim._gradients import assign_all, decay_number, decayed
from lazygrad.optim._options import as_number, check_implementation_options, check_learning_rate, check_not_negative
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class Adam(Optimizer):
    """Steps along the running mean of the gradient, scaled by the root of the running mean of its square.

    Source: Kingma and Ba, "Adam", 2014; ``amsgrad``: Reddi, Kale and Kumar, "On the convergence of Adam", 2018.

    Args:
        params: see `Optimizer`.
        lr: learning rate.
        betas: shares of the two running means that are kept in each step.
        eps: added to the root.
        weight_decay: factor of the L2 penalty.
        amsgrad: scale by the largest running mean of the square so far.
        foreach: accepted; all parameters are updated in one plan anyway.
        maximize: step along the gradient.
        capturable: accepted, like ``foreach``.
        differentiable: record the step with gradients, and compute nothing; parameters may be results then.
        fused: accepted, like ``foreach``.
        decoupled_weight_decay: shrink the parameter instead of changing the gradient, see `AdamW`.

    Raises:
        ValueError: a negative rate, or betas that are not in [0, 1).
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("epsilon value", eps)
        for index, beta in enumerate(betas):
            if not 0.0 <= as_number(beta) < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        check_not_negative("weight_decay value", weight_decay)
        check_implementation_options(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "betas": tuple(as_number(beta) for beta in betas),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        if not state:
            state["step"] = 0
            state["exp_avg"] = zero_state(parameter)
            state["exp_avg_sq"] = zero_state(parameter)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zero_state(parameter)
        count_step(state)
        tensors = [parameter, state["exp_avg"], state["exp_avg_sq"]]
        if group["amsgrad"]:
            tensors.append(state["max_exp_avg_sq"])
        kept = [as_pairs(tensor) for tensor in tensors]
        numbers = step_numbers(_step_numbers, group, state, kept[0])
        options = group["weight_decay"] != 0, group["decoupled_weight_decay"], group["maximize"]
        assign_all(kept, adam_update(as_pairs(grad), kept, numbers, *options))


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters and stays out of the running means.

    Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2017. Arguments as for `Adam`.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True  # also in groups loaded from an Adam


def _step_numbers(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
    """For `decayed`, for both running means, and for the update of the parameter in step t."""
    lr, (beta1, beta2), step = as_number(group["lr"]), group["betas"], state["step"]
    sizes = (1 - beta2**step) ** 0.5, group["eps"], -lr / (1 - beta1**step)
    return decay_number(group, lr), 1 - beta1, beta2, 1 - beta2, *sizes


@traced
def adam_update(
    grad: Tensor,
    kept: Sequence[Tensor],
    numbers: Sequence[Tensor],
    has_decay: bool,
    is_decoupled: bool,
    maximize: bool,
) -> tuple[Tensor, ...]:
    """The parameter and its moments after one step; nothing is changed in place.

    Args:
        grad: of the parameter's shape, as are all moments.
        kept: the parameter, the running means of the gradient and of its square, and for ``amsgrad`` the largest of the
            latter so far.
        numbers: see `_step_numbers`; 0-dim.
        has_decay: whether there is weight decay.
        is_decoupled: shrink the parameter instead of changing the gradient.
        maximize: step along the gradient.

    Returns:
        What ``kept`` is to be.
    """
    parameter, first, second, *largest = kept
    decay, weight, beta2, rest, *sizes = numbers
    grad, parameter = decayed(grad, parameter, decay, has_decay, is_decoupled, maximize)
    first = apply_rule(moments.adam_first_moment, first, grad, weight)
    second = apply_rule(moments.adam_second_moment, second, grad, beta2, rest)
    largest = [maximum.maximum(second) for maximum in largest]
    scale = largest[0] if largest else second
    return apply_rule(moments.adam_update, parameter, first, scale, *sizes), first, second, *largest
