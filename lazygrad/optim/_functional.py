"""Steps of optimizers as functions of lists: parameters, their gradients, and what an optimizer keeps for each.

All of them change parameters and state in place, and add one to each number of ``state_steps``; `sparse_adam` takes
numbers that its caller has counted. The rules are those of the optimizers' classes. The options ``foreach``,
``fused``, ``capturable``, ``has_complex`` and ``has_sparse_grad`` are accepted and change nothing.
"""

from __future__ import annotations

from lazygrad.optim._functional_adam import adam, adamax, adamw, nadam, radam, sparse_adam
from lazygrad.optim._functional_steps import refuse_scale, step_all, update_one
from lazygrad.optim.adadelta import Adadelta
from lazygrad.optim.adagrad import Adagrad
from lazygrad.optim.asgd import ASGD
from lazygrad.optim.rmsprop import RMSprop
from lazygrad.optim.rprop import Rprop
from lazygrad.optim.sgd import SGD
from lazygrad.tensor import Tensor

__all__ = [
    "adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop", "rprop", "sgd",
    "sparse_adam",
]  # fmt: skip

_Tensors = list[Tensor]


def adadelta(
    params: _Tensors,
    grads: _Tensors,
    square_avgs: _Tensors,
    acc_deltas: _Tensors,
    state_steps: _Tensors,
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """A step of `Adadelta`. ``differentiable``: gradients flow through it."""
    group = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
    kept = {"square_avg": square_avgs, "acc_delta": acc_deltas}
    step_all(Adadelta, params, grads, kept, state_steps, group, differentiable)


def adagrad(
    params: _Tensors,
    grads: _Tensors,
    state_sums: _Tensors,
    state_steps: _Tensors,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """A step of `Adagrad`. AssertionError: ``grad_scale`` or ``found_inf`` is given."""
    refuse_scale(grad_scale, found_inf)
    group = {"lr": lr, "weight_decay": weight_decay, "lr_decay": lr_decay, "eps": eps, "maximize": maximize}
    step_all(Adagrad, params, grads, {"sum": state_sums}, state_steps, group, differentiable)


def asgd(
    params: _Tensors,
    grads: _Tensors,
    axs: _Tensors,
    mus: _Tensors,
    etas: _Tensors,
    state_steps: _Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """A step of `ASGD`."""
    group = {
        "lambd": lambd,
        "lr": lr,
        "t0": t0,
        "alpha": alpha,
        "weight_decay": weight_decay,
        "maximize": maximize,
    }
    step_all(ASGD, params, grads, {"ax": axs, "mu": mus, "eta": etas}, state_steps, group, differentiable)


def rmsprop(
    params: _Tensors,
    grads: _Tensors,
    square_avgs: _Tensors,
    grad_avgs: _Tensors,
    momentum_buffer_list: _Tensors,
    state_steps: _Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """A step of `RMSprop`.

    Args:
        grad_avgs: read only where ``centered`` is set.
        momentum_buffer_list: read only where ``momentum`` is more than 0.
    """
    group = {
        "lr": lr,
        "alpha": alpha,
        "eps": eps,
        "weight_decay": weight_decay,
        "momentum": momentum,
        "centered": centered,
        "maximize": maximize,
    }
    kept = {"square_avg": square_avgs} | ({"grad_avg": grad_avgs} if centered else {})
    if momentum > 0:
        kept["momentum_buffer"] = momentum_buffer_list
    step_all(RMSprop, params, grads, kept, state_steps, group, differentiable)


def rprop(
    params: _Tensors,
    grads: _Tensors,
    prevs: _Tensors,
    step_sizes: _Tensors,
    state_steps: _Tensors,
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """A step of `Rprop`."""
    group = {"step_sizes": (step_size_min, step_size_max), "etas": (etaminus, etaplus), "maximize": maximize}
    step_all(Rprop, params, grads, {"prev": prevs, "step_size": step_sizes}, state_steps, group, differentiable)


def sgd(
    params: _Tensors,
    d_p_list: _Tensors,
    momentum_buffer_list: list[Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """A step of `SGD`. AssertionError: ``grad_scale`` or ``found_inf`` is given.

    Args:
        d_p_list: the gradients.
        momentum_buffer_list: None stands for a buffer that this step begins; it is put in its place.
    """
    refuse_scale(grad_scale, found_inf)
    group = {
        "weight_decay": weight_decay,
        "momentum": momentum,
        "lr": lr,
        "dampening": dampening,
        "nesterov": nesterov,
        "maximize": maximize,
    }
    for number, (parameter, grad) in enumerate(zip(params, d_p_list, strict=True)):
        buffer = momentum_buffer_list[number] if momentum != 0 else None
        state = {} if buffer is None else {"momentum_buffer": buffer}
        update_one(SGD, parameter, grad, state, group, False)
        if momentum != 0:
            momentum_buffer_list[number] = state["momentum_buffer"]
