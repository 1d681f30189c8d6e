"""Entries of the ops without inputs, and of the markers that only differentiation reads."""

from __future__ import annotations

from lazygrad.autodiff.registry import DISCRETE, LEAF, NotDifferentiable, define_pullbacks
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives.gradient import STAGES, grad
from lazygrad.ir.primitives.indexing import iota
from lazygrad.ir.primitives.random import philox

define_pullbacks(
    {
        leaf.buffer: LEAF,
        leaf.constant: LEAF,
        leaf.scalar: LEAF,
        leaf.placeholder: LEAF,
        iota: LEAF,
        philox: DISCRETE,
        leaf.detach: NotDifferentiable("it cuts its value off from gradients"),
        leaf.straight_through: lambda g, y, value, path: (None, g),
        leaf.moving_with: lambda g, y, value, parameter, slope: (None, g * slope, None),
        leaf.custom_output: NotDifferentiable("the backward its function defines differentiates it"),
        leaf.custom_function: NotDifferentiable("the backward its function defines differentiates it"),
        **{
            op: NotDifferentiable("the differentiate pass expands it before anything is differentiated through it")
            for op in (grad, *STAGES)
        },
    }
)
