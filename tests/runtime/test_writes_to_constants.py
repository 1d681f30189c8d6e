"""A part of a small constant is written where it lies, however it was named: what reads it later is one program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs


@pytest.fixture(autouse=True)
def by_default(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Little work is done at once, as it is where nothing was chosen."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    before = get_interpreted_runs()
    set_interpreted_runs(None)
    with lg.backend("auto"):
        yield
    set_interpreted_runs(before)


def _set(part: Any, index: Any, value: Any) -> None:
    part[index] = value


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "an element of a row": lambda t, _: _set(t[1], 2, 1),
    "an element of a row of a matrix": lambda t, _: _set(t.view(3, 1, 5)[2][0], 4, 1),
    "a slice of a row": lambda t, framework: _set(t[0], slice(1, 3), framework.tensor([1.0, 2.0])),
    "all of a row": lambda t, _: _set(t[0], slice(None), 2.0),
    "fill_": lambda t, _: t[1].fill_(2),
    "zero_": lambda t, _: t[0][1:3].zero_(),
    "copy_": lambda t, framework: t[2].copy_(framework.ones(5)),
    "add_": lambda t, _: t[0].add_(1),
    "mul_": lambda t, _: t.view(15)[3:7].mul_(2),
    "a column": lambda t, _: t.T[0].fill_(3),
    "the diagonal": lambda t, _: t.diagonal().fill_(1),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_part_of_a_constant_is_written_in_its_memory(write: Callable[[Any, Any], Any], torch: Any) -> None:
    expected, actual = torch.full((3, 5), 0.5), lg.full((3, 5), 0.5)
    write(expected, torch)
    write(actual, lg)
    assert actual.node().op is buffer
    assert actual.tolist() == expected.tolist()


def test_what_was_read_before_keeps_the_elements_of_then(torch: Any) -> None:
    def program(framework: Any) -> list[Any]:
        t = framework.zeros(3, 5)
        row = t[0]
        before = row + 1
        row[0] = 5
        other = t[1]
        other[2] = 7
        return [before.tolist(), row.tolist(), other.tolist(), t.tolist()]

    assert program(lg) == program(torch)


def test_a_view_of_a_written_constant_that_becomes_a_parameter_has_no_gradient(torch: Any) -> None:
    def program(framework: Any) -> tuple[bool, bool]:
        t = framework.zeros(3, 5)
        row = t[1]
        row[0] = 1
        t.requires_grad_()
        return row.requires_grad, t[1].requires_grad

    assert program(lg) == program(torch)


def test_gradients_flow_to_what_was_written_to_a_row_of_zeros(torch: Any) -> None:
    def program(framework: Any) -> list[Any]:
        x = framework.tensor([1.0, 2.0], requires_grad=True)
        t = framework.zeros(2, 2)
        t[0][:] = x * 3
        t[1][0] = x[1]
        (t * t).sum().backward()
        return [t.tolist(), x.grad.tolist()]

    assert program(lg) == program(torch)
