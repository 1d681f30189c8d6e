"""Backward passes with custom functions and hooks in them: random programs, equal to PyTorch's, and what they cost."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.autograd import callback_sweep

torch = pytest.importorskip("torch")


def _functions(t: Any, leaf: Any, reads: bool, log: list[float]) -> list[Callable[..., Any]]:
    """Custom functions of one and two tensors; some use what an earlier one was given, some read values."""
    shared: list[Any] = []

    class Scaled(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            shared.append(g)
            if reads:
                log.append(float(g.sum()))
            return g * 1.5 * x.cos()

    class Joined(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y, x + 2 * y

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            x, y = ctx.saved_tensors
            earlier = shared[-1].mean() if shared else 0.5
            return g * y + h * earlier, (g * x + 2 * h if ctx.needs_input_grad[1] else None)

    class Stopped(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x - y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    return [
        Scaled.apply,
        lambda x, y: sum(Joined.apply(x, y)),
        lambda x, y: Joined.apply(x, y)[1],
        lambda x, y: Stopped.apply(x, leaf),  # of a value, PyTorch would call hooks with None
        lambda x, y: x * y,
        lambda x: x.tanh(),
        lambda x, y: x + y,
    ]


def _outcome(t: Any, seed: int, reads: bool) -> list[Any]:
    """The gradients of a program that a seed decides on, and what its callbacks have seen."""
    choose = random.Random(seed)
    numbers = np.random.default_rng(seed)
    log: list[float] = []
    leaves = [t.tensor(numbers.normal(size=(3, 2)), requires_grad=True) for _ in range(4)]
    functions = _functions(t, leaves[3], reads, log)
    values, kept = leaves[:3], []
    for _ in range(choose.randint(3, 9)):
        function = choose.choice(functions)
        arity = 1 if function is functions[0] or function is functions[5] else 2
        value = function(*[choose.choice(values[-4:]) for _ in range(arity)])
        kind = choose.random()
        if kind < 0.15:
            value.register_hook(lambda g: g * 0.5)
        elif kind < 0.3:
            value.register_hook(lambda g: log.append(g.abs().sum()))
        elif kind < 0.4:
            value.retain_grad()
            kept.append(value)
        elif kind < 0.5:
            value.register_hook(lambda g: log.append(float(g.max())) or g + 1)
        values.append(value)
    if choose.random() < 0.3:
        leaves[0].register_hook(lambda g: g.clamp(-1, 1))
    outputs = [values[-1].sum(), (values[-2] ** 2).sum() if values[-2].requires_grad else values[-1].mean()]
    if choose.random() < 0.3:
        found = list(t.autograd.grad(outputs, leaves, allow_unused=True, retain_graph=True))
        t.autograd.backward(outputs)
    else:
        found = []
        t.autograd.backward(outputs, retain_graph=True)
        t.autograd.backward(outputs[:1])
    found += [leaf.grad for leaf in leaves] + [value.grad for value in kept]
    return [None if each is None else each.tolist() for each in found] + [[float(each) for each in log]]


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_programs_have_the_gradients_of_torch(seed: int, reads: bool) -> None:
    """Functions are called in PyTorch's order, each once, whether or not they read what they are given."""
    expected, found = _outcome(torch, seed, reads), _outcome(lg, seed, reads)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def _passes_spelled_out(monkeypatch: pytest.MonkeyPatch, step: Callable[[], None], passes: int) -> list[int]:
    """How many passes had been spelled out at once after each call of ``step``."""
    count = 0
    sweep = callback_sweep.sweep_with_callbacks

    def counted(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        return sweep(*arguments)

    monkeypatch.setattr(callback_sweep, "sweep_with_callbacks", counted)
    counts = []
    for _ in range(passes):
        step()
        counts.append(count)
    return counts


def test_formulas_are_left_to_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass through custom functions and hooks records the gradients it asks for, not how they are computed."""
    w = lg.randn(4, 4, requires_grad=True)
    functions = _functions(lg, w, False, [])
    seen = []

    def step() -> None:
        h = functions[0](w)
        h.register_hook(lambda g: seen.append(g.norm()))
        functions[1](h @ w, h).tanh().sum().backward()

    assert _passes_spelled_out(monkeypatch, step, 3) == [0, 0, 0]
    assert len(seen) == 3 and all(float(each) > 0 for each in seen)


def test_code_that_reads_its_gradient_has_passes_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks of twenty layers that read what they see cost one backward, not one for each, from the second pass on."""
    x = lg.randn(8, 8, requires_grad=True)
    norms: list[float] = []

    def step() -> None:
        h = x
        for _ in range(20):
            h = (h * 1.1).tanh()
            h.register_hook(lambda g: norms.append(float(g.norm())))
        h.sum().backward()

    assert _passes_spelled_out(monkeypatch, step, 3) == [0, 1, 2]
    assert norms[:20] == pytest.approx(norms[20:40])


def test_wrong_shapes_are_refused_at_the_call() -> None:
    class Wrong(lg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: lg.Tensor) -> lg.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: lg.Tensor) -> lg.Tensor:
            return g.sum(0)

    x = lg.randn(3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="returned an invalid gradient"):
        Wrong.apply(x).sum().backward()


@pytest.mark.parametrize("lib", [lg, torch], ids=["lazygrad", "torch"])
def test_outputs_without_a_gradient_are_none_where_nothing_is_materialized(lib: Any) -> None:
    given = []

    class Two(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, y * 3

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            given.append((g is None, h is None))
            return None if g is None else g * 2, None if h is None else h * 3

    class Dropped(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    x, y = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)
    first, second = Two.apply(x, y)
    Dropped.apply(first, second).sum().backward()
    assert given == [(False, True)]
    assert x.grad.tolist() == [2.0, 2.0] and y.grad is None
