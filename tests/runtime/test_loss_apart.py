"""Losses that are other programs in every step are differentiated apart from the network that was computed before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.runtime.loss_apart import LossApart
from lazygrad.runtime.realize import cache, observing_realizations, realize
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs

Loss = Callable[[lg.Tensor, lg.Tensor, nn.Module, int], lg.Tensor]


@pytest.fixture(autouse=True)
def tiers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs are interpreted. A plan of the network would keep others of its values, from when it is there."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    monkeypatch.setattr(cache, "_is_due", lambda seen: False)
    before = get_interpreted_runs()
    set_interpreted_runs(None)
    with lg.backend("auto"):
        cache.clear()
        yield
    set_interpreted_runs(before)


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[LossApart]:
    """The losses that were taken apart."""
    found: list[LossApart] = []
    join = LossApart.join
    monkeypatch.setattr(LossApart, "join", lambda self: (found.append(self), join(self))[1])
    return found


def network() -> nn.Sequential:
    lg.manual_seed(0)
    layers = [layer for _ in range(8) for layer in (nn.Linear(6, 6), nn.LayerNorm(6), nn.Tanh())]
    return nn.Sequential(*layers, nn.Linear(6, 3))


def answer_of(model: nn.Module, times: int = 3) -> lg.Tensor:
    """What a network says, read, after it has become a program that is known."""
    for _ in range(times):
        out: lg.Tensor = model(lg.randn(8, 6))
        out.tolist()
    return out


def compute_gradients(model: nn.Module) -> None:
    realize([parameter.grad.node() for parameter in model.parameters() if parameter.grad is not None])


def picked_rows(features: lg.Tensor, out: lg.Tensor, model: nn.Module, count: int) -> lg.Tensor:
    """A loss of as many rows as it is told, which it finds by the values."""
    rows = [row for row, _ in sorted(enumerate(out[:, 0].tolist()), key=lambda pair: pair[1])[:count]]
    return (out[rows].square().sum(1) * lg.arange(1.0, count + 1)).sum() / count


def two_places(features: lg.Tensor, out: lg.Tensor, model: nn.Module, count: int) -> lg.Tensor:
    """It also reads what the output was computed from, and a parameter."""
    weight = next(model.parameters())
    return picked_rows(features, out, model, count) + features[:count].tanh().sum() + weight.square().sum()


def gradients(loss_of: Loss, counts: list[int]) -> list[list[np.ndarray]]:
    """Of all parameters, in steps of stochastic gradient descent that pick so many rows."""
    model = network()
    optimizer = lg.optim.SGD(model.parameters(), lr=0.05)
    found = []
    for step, count in enumerate(counts):
        x = lg.randn(8, 6, generator=lg.Generator().manual_seed(step))
        features = model[:-1](x)
        out = model[-1](features)
        features.tolist()
        out.tolist()
        optimizer.zero_grad()
        loss = loss_of(features, out, model, count)
        loss.backward()
        found.append([parameter.grad.numpy().copy() for parameter in model.parameters()])
        optimizer.step()
    return found


@pytest.mark.parametrize("loss_of", [picked_rows, two_places])
def test_gradients_are_those_of_the_whole_program(loss_of: Loss, joined: list[LossApart]) -> None:
    counts = [1, 2, 3, 4, 5, 6]
    apart = gradients(loss_of, counts)
    assert len(joined) >= len(counts) - 2  # the network must be known, and what reads it settle
    joined.clear()
    set_interpreted_runs(0)  # planned whole
    whole = gradients(loss_of, counts)
    assert not joined
    for ours, expected in zip(apart, whole, strict=True):
        for one, other in zip(ours, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_the_part_through_the_network_is_the_same_program_every_time(joined: list[LossApart]) -> None:
    largest: list[Any] = []

    def see(recording: Recording) -> None:
        largest.append((len(recording.order), recording.key))

    keys = []
    model = network()
    answer_of(model)
    for count in (1, 2, 3, 4, 5):
        out = answer_of(model, 1)
        model.zero_grad()
        loss = picked_rows(out, out, model, count)
        loss.backward()
        largest.clear()
        with observing_realizations(see):
            compute_gradients(model)
        keys.append(max(largest, key=lambda pair: pair[0])[1])
    assert len(set(keys)) == 1 and len(joined) == 5


def test_history_is_let_go(joined: list[LossApart]) -> None:
    model = network()
    out = answer_of(model)
    loss = picked_rows(out, out, model, 3)
    loss.backward()
    assert loss._storage.value.inputs
    compute_gradients(model)
    assert joined and not loss._storage.value.inputs and not out._storage.value.inputs


def test_a_history_that_is_retained_can_be_used_again(joined: list[LossApart]) -> None:
    model = network()
    out = answer_of(model)
    loss = picked_rows(out, out, model, 3)
    loss.backward(retain_graph=True)
    first = [parameter.grad.numpy().copy() for parameter in model.parameters()]
    loss.backward()
    assert joined
    for parameter, one in zip(model.parameters(), first, strict=True):
        np.testing.assert_allclose(parameter.grad.numpy(), 2 * one, rtol=1e-5, atol=1e-7)


def test_gradients_of_gradients_are_taken_whole(joined: list[LossApart]) -> None:
    model = network()
    out = answer_of(model)
    loss = picked_rows(out, out, model, 3)
    taken = lg.autograd.grad(loss, [*model.parameters()], create_graph=True)
    sum(gradient.square().sum() for gradient in taken).backward()
    assert all(np.isfinite(parameter.grad.numpy()).all() for parameter in model.parameters())
    assert not joined


def test_a_loss_that_was_read_is_cut_at_the_network(joined: list[LossApart]) -> None:
    model = network()
    out = answer_of(model)
    loss = picked_rows(out, out, model, 3)
    loss.item()
    loss.backward()
    compute_gradients(model)
    assert [node for each in joined for node in each._boundary] == [out._storage.value]


def test_a_gradient_of_what_lies_above_the_network_is_taken_whole(joined: list[LossApart]) -> None:
    model = network()
    out = answer_of(model)
    picked = out[:3] * 2.0
    loss = picked.square().sum()
    above, below = lg.autograd.grad(loss, [picked, next(model.parameters())])
    realize([above.node(), below.node()])
    np.testing.assert_allclose(above.numpy(), 2 * picked.detach().numpy(), rtol=1e-6)
    assert np.abs(below.numpy()).max() > 0 and not joined


def test_a_gradient_that_is_retained_above_the_network_is_that_of_pytorch(joined: list[LossApart]) -> None:
    model = network()
    out = answer_of(model)
    picked = out[:3] * 2.0
    picked.retain_grad()
    picked.square().sum().backward()
    compute_gradients(model)
    assert picked.grad is not None
    np.testing.assert_allclose(picked.grad.numpy(), 2 * picked.detach().numpy(), rtol=1e-6)


def test_what_was_not_computed_before_is_one_program(joined: list[LossApart]) -> None:
    model = network()
    model(lg.randn(8, 6)).square().sum().backward()
    compute_gradients(model)
    assert not joined
