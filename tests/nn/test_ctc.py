"""ctc_loss beside torch: lengths of every kind, what has no alignment, and the programs that it makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from tests.oracle.comparing import assert_alike

torch = pytest.importorskip("torch")

STEPS, BATCH, CLASSES, LABELS = 7, 4, 4, 3
LENGTHS = {
    "all": ((7, 7, 7, 7), (3, 3, 3, 3)),
    "several": ((7, 5, 3, 6), (3, 2, 0, 1)),
    "no steps": ((0, 0, 7, 7), (0, 2, 3, 3)),
    "too short": ((2, 3, 1, 7), (3, 2, 1, 3)),
}


def _loss_and_gradient(m: Any, form: str, lengths: str, dtype: Any, **options: Any) -> list[Any]:
    draw = np.random.default_rng(0)
    scores = m.tensor(draw.standard_normal((STEPS, BATCH, CLASSES)).astype(dtype), requires_grad=True)
    blank = options["blank"]
    targets = np.array([[0, 0, 1], [2, 1, 2], [2, 2, 2], [0, 1, 2]])
    targets += targets >= blank
    steps, sizes = LENGTHS[lengths]
    if form == "joined":
        targets = np.concatenate([row[:size] for row, size in zip(targets, sizes, strict=True)])
    given = (m.tensor(steps), m.tensor(sizes)) if form == "padded" else (steps, sizes)
    loss = m.nn.functional.ctc_loss(scores.log_softmax(2), m.tensor(targets), *given, **options)
    cotangent = m.tensor(draw.standard_normal(tuple(loss.shape)).astype(dtype))
    loss.backward(cotangent)
    return [loss.detach(), scores.grad]


@pytest.mark.parametrize("form", ["padded", "joined"])
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(
    ("reduction", "zero_infinity", "blank", "dtype"),
    [
        ("none", False, 0, np.float64),
        ("none", True, 3, np.float32),
        ("mean", True, 1, np.float64),
        ("sum", False, 3, np.float32),
    ],
)
def test_like_torch(form: str, lengths: str, reduction: str, zero_infinity: bool, blank: int, dtype: Any) -> None:
    options = {"reduction": reduction, "zero_infinity": zero_infinity, "blank": blank}
    assert_alike(lambda m: _loss_and_gradient(m, form, lengths, dtype, **options), torch, lg)


@pytest.fixture
def all_planned() -> Iterator[None]:
    before = get_interpreted_runs()
    set_interpreted_runs(0)
    yield
    set_interpreted_runs(before)


@pytest.mark.usefixtures("all_planned")
def test_other_lengths_are_the_same_program() -> None:
    draw = np.random.default_rng(0)

    def step(form: str) -> None:
        scores = lg.tensor(draw.standard_normal((STEPS, BATCH, CLASSES)), requires_grad=True)
        sizes = [3, *draw.integers(2, 4, BATCH - 1)]
        count = (sum(sizes),) if form == "joined" else (BATCH, LABELS)
        steps, targets = draw.integers(STEPS - 2, STEPS + 1, BATCH), lg.tensor(draw.integers(1, CLASSES, count))
        lg.nn.functional.ctc_loss(scores.log_softmax(2), targets, lg.tensor(steps), lg.tensor(sizes)).backward()
        scores.grad.tolist()

    for form in ("padded", "joined"):
        for _ in range(4):
            step(form)
        before = lg.cache_info()
        for _ in range(4):
            step(form)
        assert lg.cache_info().misses == before.misses
        assert lg.cache_info().hits > before.hits


def test_the_gradient_has_gradients() -> None:
    scores = lg.randn(3, 2, 3, dtype=lg.float64, requires_grad=True)
    targets, steps, sizes = lg.tensor([[1, 2], [2, 2]]), (3, 3), (2, 1)

    def loss(x: lg.Tensor) -> lg.Tensor:
        return lg.nn.functional.ctc_loss(x.log_softmax(2), targets, steps, sizes)

    assert lg.autograd.gradgradcheck(loss, [scores])
    tangent = lg.ones_like(scores)
    tangent[0] *= 2
    by_forward = lg.func.jvp(loss, (scores.detach(),), (tangent,))[1]
    (gradient,) = lg.autograd.grad(loss(scores), scores)
    assert lg.allclose(by_forward, (gradient * tangent).sum())


def test_each_example_of_a_stack() -> None:
    stack = lg.randn(3, 5, 2, 4).log_softmax(3)
    targets = lg.tensor([[1, 2], [3, 3]])

    def loss(x: lg.Tensor) -> lg.Tensor:
        return lg.nn.functional.ctc_loss(x, targets, (5, 4), (2, 1), reduction="none")

    def gradient(x: lg.Tensor) -> lg.Tensor:
        return lg.func.grad(lambda y: loss(y).sum())(x)

    for function in (loss, gradient):
        together = lg.func.vmap(function)(stack)
        assert lg.allclose(together, lg.stack([function(x) for x in stack]), atol=1e-6)
