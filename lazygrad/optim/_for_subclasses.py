"""Names of ``torch.optim.optimizer`` that optimizers of others import: what marks an option, hooks of all steps."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from lazygrad.autograd.hooks import HookRegistry, RemovableHandle
from lazygrad.grad_mode import set_grad_enabled
from lazygrad.ops.pointwise.complex_numbers import view_as_real
from lazygrad.tensor import Tensor

Parameters = Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[dict[str, Any]]
"""What an optimizer takes: tensors, pairs of name and tensor, or groups."""
ParamsT = Parameters
StateDict = dict[str, Any]


class _RequiredParameter:
    """The default of an option that each group must set."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


class _AllSteps:
    """Hooks of all optimizers."""

    before: HookRegistry[Callable[..., Any]] = HookRegistry()
    after: HookRegistry[Callable[..., Any]] = HookRegistry()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before each step of any optimizer; it may return other arguments."""
    return _AllSteps.before.add(hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after each step of any optimizer."""
    return _AllSteps.after.add(hook)


def hooks_before(optimizer: Any) -> list[Callable[..., Any]]:
    """Those of all optimizers, then its own."""
    return [*_AllSteps.before.values(), *optimizer._step_pre_hooks.values()]


def hooks_after(optimizer: Any) -> list[Callable[..., Any]]:
    """Its own, then those of all optimizers."""
    return [*optimizer._step_post_hooks.values(), *_AllSteps.after.values()]


def _use_grad_for_differentiable(step: Callable[..., Any]) -> Callable[..., Any]:
    """A ``step`` that records gradients only if the optimizer is differentiable."""

    @functools.wraps(step)
    def recorded_step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(bool(self.defaults["differentiable"])):
            return step(self, *args, **kwargs)

    return recorded_step


def _get_value(x: Any) -> Any:
    """A number of Python for a tensor of one element; anything else as it is."""
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    """``x``: numbers are arguments of a plan here."""
    return x


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex parameters, and what belongs to them, by views as pairs of real numbers."""
    for number, parameter in enumerate(params):
        if parameter.is_complex():
            for values in (params, *state_and_grads):
                values[number] = view_as_real(values[number])


def _default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Neither: steps are fused whichever form is chosen."""
    return False, False
