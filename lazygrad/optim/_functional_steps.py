"""Updates of parameters by the rules of optimizers' classes, without an object of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.grad_mode import is_grad_enabled, set_grad_enabled
from lazygrad.optim.optimizer import Optimizer
from lazygrad.tensor import Tensor

_Tensors = list[Tensor]


def step_all(
    optimizer: type[Optimizer],
    params: _Tensors,
    grads: _Tensors,
    kept: dict[str, _Tensors],
    state_steps: _Tensors,
    group: dict[str, Any],
    differentiable: bool,
) -> None:
    """One step of ``optimizer``'s rule for each parameter, with what ``kept`` has for it by the names of its state.

    Raises:
        RuntimeError: step counts that are no tensors.
    """
    if not all(isinstance(step, Tensor) for step in state_steps):
        raise RuntimeError("API has changed, `state_steps` argument must contain a list of singleton tensors")
    for number, parameter in enumerate(params):
        step = state_steps[number]
        state = {"step": int(step.item())} | {name: tensors[number] for name, tensors in kept.items()}
        update_one(optimizer, parameter, grads[number], state, group, differentiable)
        step.add_(1)


def update_one(
    optimizer: type[Optimizer],
    parameter: Tensor,
    grad: Tensor,
    state: dict[str, Any],
    group: dict[str, Any],
    differentiable: bool,
) -> None:
    """The update of one parameter by the rule of a class, which has no object here."""
    rule: Callable[..., None] = optimizer._update_parameter
    with set_grad_enabled(differentiable and is_grad_enabled()):
        rule(optimizer.__new__(optimizer), parameter, grad, state, group)


def refuse_scale(grad_scale: Tensor | None, found_inf: Tensor | None) -> None:
    """AssertionError: there is a scale, which belongs to PyTorch's fused kernels."""
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
