"""Gradients through steps of optimizers, beside PyTorch's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_equal, outcome_of

OPTIMIZERS = [
    "SGD(p, lr=0.1, differentiable=True)",
    "SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1, differentiable=True)",
    "Adam(p, lr=0.1, weight_decay=0.1, differentiable=True)",
    "Adam(p, lr=0.1, amsgrad=True, maximize=True, differentiable=True)",
    "AdamW(p, lr=0.1, differentiable=True)",
    "Adagrad(p, lr=0.1, differentiable=True)",
    "RMSprop(p, lr=0.1, momentum=0.9, centered=True, differentiable=True)",
    "Adadelta(p, lr=0.5, weight_decay=0.1, differentiable=True)",
    "Adamax(p, lr=0.1, differentiable=True)",
    "ASGD(p, lr=0.1, lambd=0.1, differentiable=True)",
    "NAdam(p, lr=0.1, weight_decay=0.1, differentiable=True)",
    "RAdam(p, lr=0.1, differentiable=True)",
    "Rprop(p, lr=0.1, differentiable=True)",
]
START, SCALE = np.random.default_rng(0).standard_normal((2, 3, 4)).astype("float32")


def gradients(framework: Any, source: str) -> list[Any]:
    """Of a loss after a step by the start and by what scales the inner loss."""
    start, scale = (framework.tensor(values).requires_grad_() for values in (START, SCALE))
    p = start.clone()
    optimizer = eval(f"o.{source}", {"o": framework.optim, "p": [p]})
    p.grad = scale * 2 + start.square()
    optimizer.step()  # one: PyTorch's own fail in the backward pass of several, since they write to what they saved
    p.sin().sum().backward()
    return [p.detach(), start.grad, scale.grad]


@pytest.mark.parametrize("source", OPTIMIZERS)
def test_gradients_flow_through_steps(source: str, torch: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the .grad of a result is looked at
        want = gradients(torch, source)
    assert_equal(outcome_of(want), outcome_of(gradients(lg, source)), slack=0.5)


def test_a_leaf_is_not_updated() -> None:
    parameter = lg.ones(2, requires_grad=True)
    parameter.grad = lg.ones(2)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        lg.optim.SGD([parameter], differentiable=True).step()


def test_a_result_is_refused_without() -> None:
    with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
        lg.optim.SGD([lg.ones(2, requires_grad=True) * 2])
