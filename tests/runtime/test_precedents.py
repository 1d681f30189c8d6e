"""A recording by a precedent is what the general way makes: `checking`, on in all tests, compares each of them.

Here a difference is planted in a step that was seen before: no precedent is followed then, and the values are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

import pytest

import lazygrad as lg
from lazygrad.ir.node import Node
from lazygrad.runtime.precedents import Precedents, checking
from lazygrad.runtime.realize import cache, observing_realizations
from lazygrad.runtime.recording import Recording
from lazygrad.tensor import realize_all


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


@contextmanager
def followed() -> Iterator[list[bool]]:
    """Whether each recording followed a precedent."""
    found: list[bool] = []
    with observing_realizations(lambda recording: found.append(recording.has_precedent)):
        yield found


def step(weight: lg.Tensor, x: lg.Tensor) -> tuple[lg.Tensor, lg.Tensor, lg.Tensor]:
    """Pending results: a loss, an activation it reads, and a second loss."""
    hidden = (x @ weight).tanh()
    loss = (hidden * 0.7).sum()
    return loss, hidden, (hidden * x[0]).sum()


def operands() -> tuple[lg.Tensor, lg.Tensor]:
    weight = lg.arange(9.0).reshape(3, 3).div(10).realize().requires_grad_()
    return weight, lg.ones(2, 3).mul(0.3).realize()


def see(run: Callable[[], Any], times: int = 4) -> None:
    for _ in range(times):
        run()


def plain() -> float:
    weight, x = operands()
    loss, _, _ = step(weight, x)
    del _
    return loss.item()


def test_a_step_seen_before_is_followed() -> None:
    see(plain)
    with followed() as found:
        plain()
    assert found and found[-1]


def held_activation() -> list[Any]:
    weight, x = operands()
    loss, hidden, _ = step(weight, x)
    del _
    loss.item()
    return hidden.tolist()


def shared_input() -> float:
    """One node where there were two."""
    x = lg.ones(3, 3).mul(0.3).realize()
    return step(x, x)[0].item()


def realized_activation() -> float:
    weight, x = operands()
    hidden = (x @ weight).tanh().realize()
    return (hidden * 0.7).sum().item()


def other_attribute() -> float:
    weight, x = operands()
    return ((x @ weight).tanh() * 0.7).sum(0)[0].item()


def other_operation() -> float:
    weight, x = operands()
    return ((x @ weight).sigmoid() * 0.7).sum().item()


def other_type() -> float:
    weight, x = operands()
    return step(weight.detach().double().realize(), x.double().realize())[0].item()


def without_gradients() -> float:
    with lg.no_grad():
        return plain()


DIFFERENT = [held_activation, shared_input, realized_activation, other_attribute, other_operation, other_type,
             without_gradients]  # fmt: skip


@pytest.mark.parametrize("different", DIFFERENT, ids=lambda function: function.__name__)
def test_a_step_that_differs_is_not_followed(different: Callable[[], Any]) -> None:
    expected = different()
    cache.clear()
    see(plain)
    with followed() as found:
        assert different() == expected
    assert not found or not found[-1]
    assert plain() == plain()


def test_two_nodes_that_were_one_are_told_apart() -> None:
    def run(shared: bool) -> float:
        x, y = (lg.ones(3, 3).mul(number).realize() for number in (0.3, 0.3))
        return (x.exp() * (x if shared else y).sin()).sum().item()

    for first in (True, False):
        cache.clear()
        see(lambda first=first: run(first))  # type: ignore[misc]
        with followed() as found:
            run(not first)
        assert not found[-1]


def test_numbers_and_offsets_are_arguments() -> None:
    rows = lg.arange(60.0).reshape(6, 10).realize()

    def run(row: int, factor: float) -> float:
        return (rows[row].exp() * factor).log().sum().item()

    expected = [run(row, 0.3 + row) for row in range(6)]
    cache.clear()
    see(lambda: run(1, 0.7))
    with followed() as found:
        assert [run(row, 0.3 + row) for row in range(6)] == expected
    assert all(found)


def test_a_root_that_is_asked_for_twice_is_one() -> None:
    """As a step asks for what it writes, which also waits for being written."""

    def run() -> None:
        weight, x = operands()
        loss, _, _ = step(weight, x)
        realize_all([loss, loss])

    see(run)
    with followed() as found:
        run()
    assert found[-1]


def test_many_sizes_of_one_program_are_followed() -> None:
    rows = lg.arange(60.0).reshape(20, 3).realize()

    def run(count: int) -> float:
        part = rows[:count].clone().realize()
        return (part @ part.T).softmax(0).square().sum().item()

    sizes = range(2, 20)
    expected = [run(count) for count in sizes]
    cache.clear()
    for _ in range(4):
        assert [run(count) for count in sizes] == expected
    with followed() as found:
        assert [run(count) for count in sizes] == expected
    assert all(found) and len(found) >= len(sizes)


@pytest.mark.parametrize("retain", [False, True])
def test_a_history_that_is_kept_is_not_one_that_is_used_up(retain: bool) -> None:
    def run(retain: bool) -> list[Any]:
        weight, x = operands()
        loss, hidden, _ = step(weight, x)
        del _
        loss.backward(retain_graph=retain)
        values = [weight.grad.tolist(), loss.item()]
        if retain:
            loss.backward()
            values.append(weight.grad.tolist())
        return [*values, hidden.tolist()]

    expected = run(retain)
    cache.clear()
    see(lambda: run(not retain))
    assert run(retain) == expected


def test_checking_finds_a_precedent_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checking.enabled
    see(plain)
    right = Precedents._followed

    def wrong(self: Precedents, roots: list[Node]) -> Recording | None:
        recording = right(self, roots)
        if recording is not None:
            recording.stored = [*recording.stored, recording.order[0]]
        return recording

    monkeypatch.setattr(Precedents, "_followed", wrong)
    with pytest.raises(AssertionError, match="stored"):
        plain()


def test_a_precedent_keeps_no_node() -> None:
    see(plain)
    weight, x = operands()
    loss, _, _ = step(weight, x)
    reference = ref(loss.node())
    loss.item()
    del loss, _, weight, x
    assert reference() is None


def test_a_precedent_goes_with_its_plan() -> None:
    see(plain)
    cache.clear()
    with followed() as found:
        plain()
    assert not any(found)
