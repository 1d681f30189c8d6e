"""Second backward passes: which leaves they reach is found once for steps of one structure."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.autograd import gradient_leaves


def penalized(library, weights, x, power):
    """The gradients of a loss that holds a gradient: the last bias has none."""
    w1, b1, w2, b2 = weights
    hidden = (x @ w1 + b1).tanh() ** power
    out = hidden @ w2 + b2
    (slope,) = library.autograd.grad(out.sum(), x, create_graph=True)
    for weight in weights:
        weight.grad = None
    slope.square().mean().backward()
    return [None if weight.grad is None else weight.grad.flatten().tolist() for weight in weights]


def made(library, seed):
    """Weights of a small network and its input, leaves all."""
    library.manual_seed(seed)
    shapes = ((3, 4), (4,), (4, 1), (1,))
    weights = [library.randn(shape, requires_grad=True) for shape in shapes]
    return weights, library.randn(5, 3, requires_grad=True)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(gradient_leaves, "_known", type(gradient_leaves._known)())


def test_a_step_of_known_structure_is_not_spelled_out_again(monkeypatch, torch):
    weights, x = made(lg, 1)
    penalized(lg, weights, x, 3.0)
    monkeypatch.setattr(gradient_leaves, "_found", None)  # to call it would fail
    for seed in range(2, 5):
        weights, x = made(lg, seed)
        expected = penalized(torch, *made(torch, seed), 3.0)
        for ours, theirs in zip(penalized(lg, weights, x, 3.0), expected, strict=True):
            assert (ours is None) == (theirs is None)
            assert theirs is None or ours == pytest.approx(theirs, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("powers", [(1.0, 2.0), (2.0, 1.0), (0.0, 2.0)])
def test_what_differs_only_in_a_number_is_another_structure(powers, torch):
    weights, x = made(lg, 1)
    others = made(torch, 1)
    for power in powers:
        ours, theirs = penalized(lg, weights, x, power), penalized(torch, *others, power)
        assert [grad is None for grad in ours] == [grad is None for grad in theirs]


def test_a_chain_of_steps_that_are_cut_off_looks_at_its_own_step_only(monkeypatch, torch):
    """As solvers of differential equations take them: what came before is an operand without a gradient."""
    looked_at = []
    structure = gradient_leaves._structure

    def counting(outputs, reached):
        key = structure(outputs, reached)
        looked_at.append((len(reached), len(key)))
        return key

    monkeypatch.setattr(gradient_leaves, "_structure", counting)

    def chain(library):
        weights, x = made(library, 0)
        y = x.detach()
        for _ in range(6):
            y = y.detach().requires_grad_()
            out = (y @ weights[0] + weights[1]).tanh() @ weights[2]
            (slope,) = library.autograd.grad(out.sum(), y, create_graph=True)
            change, *_ = library.autograd.grad(slope.square().sum(), [y, weights[0], weights[2]])
            y = y - 0.1 * change
        return y.tolist()

    expected = chain(torch)
    assert chain(lg) == [pytest.approx(row, rel=1e-4, abs=1e-6) for row in expected]
    assert len(looked_at) == 6 and len(set(looked_at)) == 1


def test_few_structures_are_kept():
    for size in range(1, gradient_leaves._MAX_KNOWN + 5):
        x = lg.ones(size, requires_grad=True)
        (slope,) = lg.autograd.grad((x**3).sum(), x, create_graph=True)
        slope.sum().backward()
        assert x.grad.tolist() == [6.0] * size
    assert len(gradient_leaves._known) == gradient_leaves._MAX_KNOWN


def test_the_gradient_of_a_result_is_warned_of_unless_it_is_kept(torch: Any) -> None:
    def program(framework: Any) -> list[int]:
        x = framework.ones(2, requires_grad=True)
        result, kept, row = x * 2, x * 3, x[0]
        kept.retain_grad()
        with framework.no_grad():
            unrelated = x * 2
        counts = []
        for tensor in (x, x.detach(), result, row, kept, unrelated, framework.ones(2)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                assert tensor.grad is None
            counts.append(sum("not a leaf Tensor is being accessed" in str(each.message) for each in caught))
        (result.sum() + kept.sum()).backward()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert kept.grad.tolist() == [1, 1] and x.grad.tolist() == [5, 5]
        return counts

    torch.set_warn_always(True)
    try:
        expected = program(torch)
    finally:
        torch.set_warn_always(False)
    assert program(lg) == expected == [0, 0, 1, 1, 0, 0, 0]
