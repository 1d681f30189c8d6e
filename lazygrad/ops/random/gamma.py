"""Gamma and Dirichlet numbers, drawn at once on the host. Gradients flow to their parameters.

How a number moves with its parameter is a function of both (`host/calls/quantile_slopes.py`): it is recorded beside the
number, and computed where a gradient is. That function's own derivative is not known: a second derivative is refused.
"""

from __future__ import annotations

import numpy as np

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.dtype import float32, float64
from lazygrad.ir.primitives.leaf import moving_with, straight_through
from lazygrad.ir.primitives.pointwise import pointwise
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.options import placed
from lazygrad.ops.random.generator import Generator, stream_of
from lazygrad.runtime import random_gamma
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["_dirichlet_grad", "_sample_dirichlet", "_standard_gamma", "_standard_gamma_grad"]


def _shapes(name: str, input: Tensor) -> np.ndarray:
    if tensor_argument(input, name).dtype not in (float32, float64):
        raise NotImplementedError(f"{name} takes float32 and float64, not {input.dtype.name}")
    return input.detach().array()


def _moving_with(parameter: Tensor, drawn: Tensor, *operands: Tensor, function: str) -> Tensor:
    """The drawn numbers, which move with a parameter by a slope that is a function of operands."""
    slope = record_node(pointwise, tuple([operand.node() for operand in operands]), (function,))
    return record(moving_with, (drawn.node(), parameter.node(), slope))


def standard_gamma(concentration: Tensor, generator: Generator | None = None) -> Tensor:
    """A gamma number of rate 1 for each concentration, in its shape and dtype.

    Raises:
        NotImplementedError: not float32 or float64.
    """
    shapes = _shapes("standard_gamma", concentration)
    numbers = random_gamma.standard_gamma(stream_of(generator), shapes.reshape(-1)).reshape(shapes.shape)
    drawn = placed(numbers, concentration.device)
    if not (concentration.requires_grad and is_grad_enabled()):
        return drawn
    return _moving_with(concentration, drawn, concentration, drawn, function="gamma_slope")


def dirichlet(concentration: Tensor, generator: Generator | None = None) -> Tensor:
    """A point of the simplex for each row of concentrations, in their shape and dtype.

    Raises:
        NotImplementedError: not float32 or float64.
    """
    rows = _shapes("dirichlet", concentration)
    points = random_gamma.dirichlet(stream_of(generator), rows.reshape(-1, rows.shape[-1])).reshape(rows.shape)
    drawn = placed(points, concentration.device)
    if not (concentration.requires_grad and is_grad_enabled()):
        return drawn
    total = concentration.sum(-1, keepdim=True).expand(concentration.shape)
    moving = _moving_with(concentration, drawn, drawn, concentration, total, function="dirichlet_slope")
    # Where one component grows, the others shrink in proportion.
    others = (moving - drawn).sum(-1, keepdim=True)
    return record(straight_through, (drawn.node(), (moving - drawn * others).node()))


# PyTorch's private names, by which distributions of other libraries draw.
_standard_gamma, _sample_dirichlet = standard_gamma, dirichlet


def _standard_gamma_grad(input: Tensor, output: Tensor) -> Tensor:
    """How a gamma number moves with its concentration.

    Args:
        input: concentrations.
        output: the numbers that were drawn.
    """
    return record(pointwise, (input.node(), output.node()), ("gamma_slope",))


def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """How a component of a point moves with its concentration, the others keeping their proportions.

    Args:
        x: the components that were drawn.
        alpha: their concentrations.
        total: the sum of all concentrations, of their shape.
    """
    return record(pointwise, (x.node(), alpha.node(), total.node()), ("dirichlet_slope",))
