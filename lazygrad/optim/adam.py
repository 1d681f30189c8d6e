"""Adam, and AdamW with its decoupled weight decay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import adam_first_moment, adam_second_moment, zero_state
from lazygrad.ops.layers.optimizer_steps import adam_update as adam_step
from lazygrad.optim._options import as_number, check_implementation_options, check_learning_rate, check_not_negative
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters, assign
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
        differentiable: only False.
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
        updated = adam_update(
            as_pairs(grad),
            kept,
            step_numbers(_step_numbers, group, state, kept[0]),
            group["betas"],
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
            group["maximize"],
        )
        for tensor, value in zip(kept, updated, strict=True):
            assign(tensor, value)


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
    """√(1 − beta₂ᵗ) in step t, −lr / (1 − beta₁ᵗ), and 1 − lr · weight_decay, the factor of decoupled weight decay."""
    lr, (beta1, beta2), step = as_number(group["lr"]), group["betas"], state["step"]
    return (1 - beta2**step) ** 0.5, -lr / (1 - beta1**step), 1 - lr * group["weight_decay"]


@traced
def adam_update(
    grad: Tensor,
    kept: Sequence[Tensor],
    numbers: Sequence[Tensor],
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
    decoupled_weight_decay: bool,
    maximize: bool,
) -> tuple[Tensor, ...]:
    """The parameter and its moments after one step; nothing is changed in place.

    Args:
        grad: of the parameter's shape, as are all moments.
        kept: the parameter, the running means of the gradient and of its square, and for ``amsgrad`` the largest of the
            latter so far.
        numbers: see `_step_numbers`; 0-dim.
        betas, eps, weight_decay, decoupled_weight_decay, maximize: see `Adam`.

    Returns:
        What ``kept`` is to be.
    """
    parameter, exp_avg, exp_avg_sq, *largest = kept
    root_correction, negative_step_size, decay = numbers
    beta1, beta2 = betas
    if maximize:
        grad = -grad
    if weight_decay != 0:
        if decoupled_weight_decay:
            parameter = parameter * decay
        else:
            grad = grad + weight_decay * parameter
    exp_avg = adam_first_moment(exp_avg, grad, 1 - beta1)
    exp_avg_sq = adam_second_moment(exp_avg_sq, grad, beta2)
    largest = [maximum.maximum(exp_avg_sq) for maximum in largest]
    new_parameter = adam_step(
        parameter,
        exp_avg,
        largest[0] if largest else exp_avg_sq,
        root_correction=root_correction,
        eps=eps,
        negative_step_size=negative_step_size,
    )
    return new_parameter, exp_avg, exp_avg_sq, *largest
