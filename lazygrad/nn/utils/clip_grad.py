"""Limiting gradients, in place, before an optimizer uses them.

``foreach`` is accepted wherever PyTorch accepts it; lazygrad fuses the loop over tensors by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import GeneratorType
from typing import TypeAlias

from lazygrad.grad_mode import no_grad
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.registering import write
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.shapes.joining import stack
from lazygrad.tensor import Tensor

TensorOrTensors: TypeAlias = Tensor | Iterable[Tensor]


def clip_grad_norm_(
    parameters: TensorOrTensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients by one factor so that their joint norm is at most ``max_norm``.

    Args:
        parameters: tensors whose ``.grad`` is scaled; those without are skipped.
        max_norm: the limit.
        norm_type: p of the norm, ``math.inf`` for the largest magnitude.
        error_if_nonfinite: raise when the norm is infinite or NaN.
        foreach: accepted.

    Returns:
        The norm before scaling, a 0-dim tensor.

    Raises:
        RuntimeError: the norm is not finite and ``error_if_nonfinite`` is set.
    """
    is_generator = isinstance(parameters, GeneratorType)
    parameters = _as_list(parameters)
    if is_generator and not parameters:
        warn_user("`parameters` is an empty generator, no gradient clipping will occur.")
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    total_norm = get_total_norm(gradients, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def clip_grad_norm(
    parameters: TensorOrTensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The name of `clip_grad_norm_` of before PyTorch 0.4; it warns."""
    warn_user(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def get_total_norm(
    tensors: TensorOrTensors,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors as if they were one vector; arguments and errors as for `clip_grad_norm_`."""
    norm_type = float(norm_type)
    with no_grad():
        listed = _as_list(tensors)
        if not listed:
            return tensor(0.0)
        total_norm = _joint_norm(listed, norm_type)
    if error_if_nonfinite and not math.isfinite(total_norm.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total_norm


def clip_grads_with_norm_(
    parameters: TensorOrTensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scales all gradients by ``max_norm / total_norm`` where that is below 1.

    Args:
        parameters: tensors whose ``.grad`` is scaled; those without are skipped.
        max_norm: the limit.
        total_norm: what `get_total_norm` returned for the gradients.
        foreach: accepted.
    """
    with no_grad():
        # The small term keeps a norm of zero from dividing by it.
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        gradients = [parameter.grad for parameter in _as_list(parameters) if parameter.grad is not None]
        for gradient, scaled in zip(gradients, _scaled(gradients, factor), strict=True):
            write(gradient, scaled, "mul_")


def clip_grad_value_(parameters: TensorOrTensors, clip_value: float, foreach: bool | None = None) -> None:
    """Limits every element of every gradient to ±``clip_value``.

    Args:
        parameters: tensors whose ``.grad`` is limited; those without are skipped.
        clip_value: the limit.
        foreach: accepted.
    """
    limit = float(clip_value)
    with no_grad():
        for parameter in _as_list(parameters):
            if parameter.grad is not None:
                parameter.grad.clamp_(min=-limit, max=limit)


def _as_list(tensors: TensorOrTensors) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


@traced
def _joint_norm(tensors: list[Tensor], order: float) -> Tensor:
    norms = [_vector_norm(each, order) for each in tensors]
    return _vector_norm(stack([norm.to(norms[0].device) for norm in norms]), order)


@traced
def _scaled(tensors: list[Tensor], factor: Tensor) -> tuple[Tensor, ...]:
    return tuple([each * factor.to(each.device) for each in tensors])


def _vector_norm(vector: Tensor, order: float) -> Tensor:
    """(Σ|x|ᵖ)^(1/p), with the limits for 0 and ±∞."""
    if order == 2.0:
        return (vector * vector).sum().sqrt()
    magnitudes = vector.abs()
    if order == math.inf:
        return magnitudes.max()
    if order == -math.inf:
        return magnitudes.min()
    if order == 0.0:
        return vector.ne(0).to(vector.dtype).sum()
    return (magnitudes**order).sum() ** (1.0 / order)
