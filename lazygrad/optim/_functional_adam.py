"""Steps of Adam and its kin as functions of lists; see `lazygrad.optim._functional`."""

from __future__ import annotations

from lazygrad.optim._functional_steps import refuse_scale, step_all, update_one
from lazygrad.optim.adam import Adam
from lazygrad.optim.adamax import Adamax
from lazygrad.optim.nadam import NAdam
from lazygrad.optim.radam import RAdam
from lazygrad.optim.sparse_adam import SparseAdam
from lazygrad.tensor import Tensor

_Tensors = list[Tensor]


def adam(
    params: _Tensors,
    grads: _Tensors,
    exp_avgs: _Tensors,
    exp_avg_sqs: _Tensors,
    max_exp_avg_sqs: _Tensors,
    state_steps: _Tensors,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float | Tensor,
    beta2: float | Tensor,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """A step of `Adam`. AssertionError: ``grad_scale`` or ``found_inf`` is given.

    Args:
        max_exp_avg_sqs: read only where ``amsgrad`` is set.
    """
    refuse_scale(grad_scale, found_inf)
    group = {
        "amsgrad": amsgrad,
        "betas": (float(beta1), float(beta2)),
        "lr": lr,
        "weight_decay": weight_decay,
        "eps": eps,
        "maximize": maximize,
        "decoupled_weight_decay": decoupled_weight_decay,
    }
    kept = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs} | ({"max_exp_avg_sq": max_exp_avg_sqs} if amsgrad else {})
    step_all(Adam, params, grads, kept, state_steps, group, differentiable)


def adamw(
    params: _Tensors,
    grads: _Tensors,
    exp_avgs: _Tensors,
    exp_avg_sqs: _Tensors,
    max_exp_avg_sqs: _Tensors,
    state_steps: _Tensors,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    amsgrad: bool,
    beta1: float | Tensor,
    beta2: float | Tensor,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """A step of `AdamW`; arguments and errors as for `adam`."""
    adam(
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        max_exp_avg_sqs,
        state_steps,
        foreach,
        capturable,
        differentiable,
        fused,
        grad_scale,
        found_inf,
        has_complex,
        decoupled_weight_decay=True,
        amsgrad=amsgrad,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
    )


def adamax(
    params: _Tensors,
    grads: _Tensors,
    exp_avgs: _Tensors,
    exp_infs: _Tensors,
    state_steps: _Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
) -> None:
    """A step of `Adamax`."""
    group = {"eps": eps, "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "maximize": maximize}
    step_all(Adamax, params, grads, {"exp_avg": exp_avgs, "exp_inf": exp_infs}, state_steps, group, differentiable)


def nadam(
    params: _Tensors,
    grads: _Tensors,
    exp_avgs: _Tensors,
    exp_avg_sqs: _Tensors,
    mu_products: _Tensors,
    state_steps: _Tensors,
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """A step of `NAdam`."""
    group = {
        "betas": (beta1, beta2),
        "lr": lr,
        "weight_decay": weight_decay,
        "momentum_decay": momentum_decay,
        "eps": eps,
        "maximize": maximize,
        "decoupled_weight_decay": decoupled_weight_decay,
    }
    kept = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products}
    step_all(NAdam, params, grads, kept, state_steps, group, differentiable)


def radam(
    params: _Tensors,
    grads: _Tensors,
    exp_avgs: _Tensors,
    exp_avg_sqs: _Tensors,
    state_steps: _Tensors,
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    eps: float,
) -> None:
    """A step of `RAdam`."""
    group = {
        "betas": (beta1, beta2),
        "lr": lr,
        "weight_decay": weight_decay,
        "eps": eps,
        "maximize": maximize,
        "decoupled_weight_decay": decoupled_weight_decay,
    }
    step_all(RAdam, params, grads, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs}, state_steps, group, differentiable)


def sparse_adam(
    params: _Tensors,
    grads: _Tensors,
    exp_avgs: _Tensors,
    exp_avg_sqs: _Tensors,
    state_steps: list[int],
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    maximize: bool,
) -> None:
    """A step of `SparseAdam`.

    Args:
        state_steps: the number of this step for each parameter, which nothing changes.
    """
    group = {"eps": eps, "betas": (beta1, beta2), "lr": lr, "maximize": maximize}
    for number, parameter in enumerate(params):
        kept = {"exp_avg": exp_avgs[number], "exp_avg_sq": exp_avg_sqs[number]}
        update_one(SparseAdam, parameter, grads[number], {"step": state_steps[number] - 1} | kept, group, False)
