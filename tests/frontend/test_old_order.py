"""Numbers before tensors, as PyTorch took them before 1.5 and still does: ``x.add_(-lr, grad)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

Call = Callable[[Any, Any, Any, Any], Any]

CALLS: dict[str, Call] = {
    "x.add": lambda f, x, v, b: x.add(0.5, x),
    "x.add_": lambda f, x, v, b: x.clone().add_(-2, x),
    "add": lambda f, x, v, b: f.add(x, 0.5, x),
    "add of a number": lambda f, x, v, b: f.add(x, 1, 2),
    "add to a number": lambda f, x, v, b: f.add(3, 2.5, x),
    "x.add of a number": lambda f, x, v, b: x.add(2, 0.5),
    "add of numbers": lambda f, x, v, b: f.add(3, 1, 2) + x,
    "sub of numbers": lambda f, x, v, b: f.sub(3, 1, 2) + x,
    "x.sub": lambda f, x, v, b: x.sub(0.5, x),
    "x.addcmul": lambda f, x, v, b: x.addcmul(0.5, x, x),
    "x.addcmul_": lambda f, x, v, b: x.clone().addcmul_(0.5, x, x),
    "x.addcdiv_": lambda f, x, v, b: x.clone().addcdiv_(-0.1, x, x + 2),
    "addcmul": lambda f, x, v, b: f.addcmul(x, 0.5, x, x),
    "x.addmm": lambda f, x, v, b: x.addmm(0.5, x, x),
    "x.addmm two": lambda f, x, v, b: x.addmm(0.5, 0.3, x, x),
    "x.addmm_": lambda f, x, v, b: x.clone().addmm_(0.5, 0.3, x, x),
    "addmm": lambda f, x, v, b: f.addmm(0.5, x, x, x),
    "addmm two": lambda f, x, v, b: f.addmm(0.5, x, 0.3, x, x),
    "addmv": lambda f, x, v, b: f.addmv(0.5, v, 0.2, x, v),
    "x.addr": lambda f, x, v, b: x.addr(0.5, v, v),
    "addr": lambda f, x, v, b: f.addr(0.5, x, v, v),
    "baddbmm": lambda f, x, v, b: f.baddbmm(0.5, b, 0.2, b, b),
    "x.addbmm": lambda f, x, v, b: x.addbmm(0.5, b, b),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:This overload")
@pytest.mark.parametrize("name", CALLS)
def test_the_old_order_is_taken_as_torch_takes_it(name: str, torch: Any) -> None:
    results = []
    for framework in (lg, torch):
        draw = np.random.default_rng(0)
        x, v, b = [framework.tensor(draw.standard_normal(s).astype(np.float32)) for s in ((3, 3), (3,), (2, 3, 3))]
        results.append(CALLS[name](framework, x, v, b).numpy())
    np.testing.assert_allclose(results[0], results[1], rtol=1e-5, atol=1e-6)


def test_a_step_in_the_words_of_2019_has_the_numbers_of_today() -> None:
    weights = []
    for is_old in (True, False):
        weight, average = lg.ones(4), lg.zeros(4)
        for step in range(3):
            gradient = weight * (step + 1)
            if is_old:
                average.mul_(0.9).add_(1 - 0.9, gradient)
                weight.add_(-0.1, average)
            else:
                average.mul_(0.9).add_(gradient, alpha=1 - 0.9)
                weight.add_(average, alpha=-0.1)
        weights.append(weight.tolist())
    assert weights[0] == weights[1]


@pytest.mark.parametrize("arguments", [(None, 2), ("a", "b"), (0.5, 0.5, 0.5)])
def test_anything_else_is_refused_and_names_the_numbers(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="alpha="):
        lg.ones(3).add(*arguments)
