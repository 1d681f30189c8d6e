"""Adafactor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from lazygrad.ir.composites.update_rules.adafactor import adafactor_moment, adafactor_update
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.optimizer_steps import apply_rule, filled_state
from lazygrad.optim._gradients import assign_all, effective_gradient, require_dense
from lazygrad.optim._options import as_number, check_implementation_options
from lazygrad.optim._step_numbers import count_step, step_numbers
from lazygrad.optim.optimizer import Group, Optimizer, Parameters
from lazygrad.tensor import Tensor


class Adafactor(Optimizer):
    """Adam's scaling with little memory: of a matrix's squared gradients only means of rows and columns are kept.

    Source: Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost", 2018, with PyTorch's
    learning rate: the step size is min(lr, 1/√t), relative to the parameter's own scale.

    Args:
        params: see `Optimizer`; real.
        lr: limit of the relative step size.
        beta2_decay: power of t by which the running means' weight of the present falls.
        eps: the smallest scale of a gradient, by default that of the dtype, and the smallest scale of a parameter.
        d: updates whose root mean square exceeds this are scaled down to it.
        weight_decay: share of the parameter that is taken away, times ``lr``.
        foreach: accepted; all parameters are updated in one plan anyway.
        maximize: step along the gradient.

    Raises:
        ValueError: an option that is out of its range.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not as_number(lr) >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        check_implementation_options(foreach, None, False)
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        if parameter.dtype.is_complex:
            raise RuntimeError("Adafactor does not support complex parameters")
        require_dense(self, grad)
        if not state:
            _begin(parameter, state)
        count_step(state)
        names = ("row_var", "col_var") if parameter.dim() > 1 else ("variance",)
        kept = [parameter, *(state[name] for name in names)]
        numbers = step_numbers(_numbers_with(finfo(parameter.dtype).eps), group, state, parameter)
        assign_all(kept, _updated(grad, kept, numbers, group["maximize"]))


@traced
def _updated(grad: Tensor, kept: Sequence[Tensor], numbers: Sequence[Tensor], maximize: bool) -> tuple[Tensor, ...]:
    """The parameter after a step, and its moments: of rows and columns, or of a vector's elements."""
    parameter, *moments = kept
    weight, *options = numbers
    grad = effective_gradient(grad, parameter, None, maximize)
    axes = (-1, -2) if len(moments) == 2 else (None,)
    moments = [
        apply_rule(adafactor_moment, moment, grad, weight, attrs=(axis,))
        for moment, axis in zip(moments, axes, strict=True)
    ]
    return apply_rule(adafactor_update, parameter, grad, *options, *moments), *moments


def _begin(parameter: Tensor, state: dict[str, Any]) -> None:
    shape = tuple(parameter.shape)
    shapes = {"variance": shape}
    if len(shape) > 1:
        shapes = {"row_var": (*shape[:-1], 1), "col_var": (*shape[:-2], 1, shape[-1])}
    state["step"] = 0
    for name, each in shapes.items():
        state[name] = filled_state(each, 0.0, parameter.dtype, parameter.device)


@cache
def _numbers_with(smallest: float) -> Callable[[Group, dict[str, Any]], tuple[float, ...]]:
    """What computes the numbers of a step for dtypes whose numbers differ by ``smallest`` around 1."""

    def step_numbers_of(group: Group, state: dict[str, Any]) -> tuple[float, ...]:
        lr, step, (eps1, eps2) = as_number(group["lr"]), state["step"], group["eps"]
        eps1 = smallest if eps1 is None else eps1
        rate, decay = min(lr, 1 / step**0.5), 1 - lr * group["weight_decay"]
        return step ** group["beta2_decay"], rate, decay, eps2, group["d"], eps1, eps1 * eps1

    return step_numbers_of
