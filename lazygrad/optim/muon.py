"""Muon."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from lazygrad.ir.composites import optimizer as moments
from lazygrad.ir.composites.update_rules import gradient as descents
from lazygrad.ir.dtype import bfloat16, float32
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, zero_state
from lazygrad.ops.linalg.products import addmm, matmul
from lazygrad.optim._gradients import assign_all, require_dense
from lazygrad.optim._options import as_number
from lazygrad.optim._step_numbers import step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor

Coefficients = tuple[float, float, float]


class Muon(Optimizer):
    """Steps along the orthogonal matrix nearest to the velocity. For the weights of hidden layers.

    Source: Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024; ``"match_rms_adamw"``: Liu
    et al., "Muon is scalable for LLM training", 2025.

    Args:
        params: see `Optimizer`; real matrices.
        lr: learning rate.
        weight_decay: share of the parameter that is taken away, times ``lr``.
        momentum: share of the velocity that is kept.
        nesterov: look ahead along the velocity.
        ns_coefficients: of the polynomial of the Newton-Schulz iteration, for x, x³ and x⁵.
        eps: the smallest norm that the velocity is divided by.
        ns_steps: how many iterations.
        adjust_lr_fn: the rate is multiplied by √max(1, rows / columns) for ``"original"`` and None, by
            0.2·√max(rows, columns) for ``"match_rms_adamw"``.

    Raises:
        ValueError: a negative option, an unknown ``adjust_lr_fn``, or parameters that are no matrices.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: Coefficients = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not as_number(lr) >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not momentum >= 0.0:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.dim() != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {parameter.shape}"
                    )

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        if parameter.dtype.is_complex:
            raise RuntimeError("Muon does not support complex parameters")
        require_dense(self, grad)
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = zero_state(parameter)
        rows, columns = parameter.shape
        numbers = step_numbers(_numbers_for(rows, columns), group, state, parameter)
        kept = parameter, state["momentum_buffer"]
        options = group["nesterov"], group["ns_coefficients"], group["ns_steps"], group["eps"]
        assign_all(kept, _updated(grad, kept, numbers, *options))


@traced
def _updated(
    grad: Tensor,
    kept: Sequence[Tensor],
    numbers: Sequence[Tensor],
    nesterov: bool,
    coefficients: Coefficients,
    steps: int,
    eps: float,
) -> tuple[Tensor, Tensor]:
    """The parameter and the velocity after a step; ``kept`` is both before it."""
    parameter, velocity = kept
    weight, momentum, decay, step_size = numbers
    velocity = apply_rule(moments.adam_first_moment, velocity, grad, weight)
    direction = apply_rule(moments.adam_first_moment, grad, velocity, momentum) if nesterov else velocity
    direction = _orthogonalized(direction, coefficients, steps, eps).to(parameter.dtype)
    return apply_rule(descents.descend, parameter * decay, direction, step_size), velocity


def _orthogonalized(matrix: Tensor, coefficients: Coefficients, steps: int, eps: float) -> Tensor:
    """U·S·Vᵀ of a matrix U·Σ·Vᵀ, with singular values S between about 0.5 and 1.5.

    Each iteration is a·X + (b·A + c·A²)·X, with A = X·Xᵀ. Each of its three products is rounded to bfloat16, and
    nothing in between.

    Raises:
        ValueError: 100 steps or more, or another number of coefficients.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    is_tall = matrix.shape[0] > matrix.shape[1]
    x = _rounded(matrix.T if is_tall else matrix)
    x = _rounded(x / _rounded(x.norm()).clamp(min=eps))
    for _ in range(steps):
        gram = _rounded(matmul(x, x.T))
        x = _rounded(addmm(x, _rounded(addmm(gram, gram, gram, beta=b, alpha=c)), x, beta=a))
    return x.T if is_tall else x


def _rounded(x: Tensor) -> Tensor:
    """The nearest bfloat16 numbers, as float32."""
    return x.to(bfloat16).to(float32)


@cache
def _numbers_for(rows: int, columns: int) -> Callable[[Group, dict[str, Any]], tuple[float, ...]]:
    """What computes the numbers of a step for matrices of one shape."""
    factors = {
        None: math.sqrt(max(1, rows / columns)) if columns else 1.0,
        "match_rms_adamw": 0.2 * math.sqrt(max(rows, columns)),
    }
    factors["original"] = factors[None]

    def step_numbers_of(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
        lr, momentum = as_number(group["lr"]), group["momentum"]
        return 1 - momentum, momentum, 1 - lr * group["weight_decay"], lr * factors[group["adjust_lr_fn"]]

    return step_numbers_of
