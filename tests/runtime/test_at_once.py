"""The smallest programs are computed where they are asked for, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.runtime.realize import cache
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from lazygrad.tensor import Tensor


@pytest.fixture(autouse=True)
def by_default(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs are interpreted until a plan would have been worth it, which is at once."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    monkeypatch.setattr("lazygrad.runtime.plan_cache._PLANNING", 0.0)
    before = get_interpreted_runs()
    set_interpreted_runs(None)
    cache.clear()
    yield
    set_interpreted_runs(before)


@pytest.fixture
def x() -> Tensor:
    made = lg.arange(12.0).reshape(3, 4).clone().realize()
    cache.clear()
    return made


SMALL: dict[str, Callable[[Tensor], Tensor]] = {
    "a sum": lambda x: x.sum(),
    "a comparison": lambda x: (x == x.t().t()).all(),
    "a place": lambda x: x.argmax(1),
    "a product": lambda x: x @ x.T,
    "a gather": lambda x: (x + 1)[lg.tensor([2, 0])],
    "a padding": lambda x: lg.nn.functional.pad(x, (1, 2), value=3.0),
    "a sorting": lambda x: (-x).sort(0).values,
    "a composite": lambda x: lg.softmax(x, 1),
    "a view": lambda x: (x + 1).t()[1],
    "a number": lambda x: x * 2.5 - lg.tensor(0.25),
}


@pytest.mark.parametrize("program", SMALL.values(), ids=SMALL)
def test_a_small_program_is_never_planned_and_finds_what_its_plan_does(
    x: Tensor, program: Callable[[Tensor], Tensor]
) -> None:
    results = [program(x).tolist() for _ in range(5)]
    assert lg.cache_info().misses == lg.cache_info().hits == 0 and lg.cache_info().interpreted >= 5
    set_interpreted_runs(0)
    planned = program(x).tolist()
    assert lg.cache_info().misses > 0
    for result in results:
        np.testing.assert_allclose(result, planned, rtol=1e-6)


LARGE: dict[str, Callable[[Tensor], Tensor]] = {
    "many elements": lambda x: x.repeat(500, 1),
    "many operations": lambda x: sum((x * number for number in range(2, 12)), x),
    "a gradient": lambda x: (x * lg.ones(4, requires_grad=True)).sum(),
}


@pytest.mark.parametrize("program", LARGE.values(), ids=LARGE)
def test_others_are_planned(x: Tensor, program: Callable[[Tensor], Tensor]) -> None:
    for _ in range(2):
        program(x).tolist()
    lg.wait_for_compiler()  # which makes plans, too
    program(x).tolist()
    assert lg.cache_info().misses > 0


def test_a_loop_of_small_updates_needs_no_plan(x: Tensor) -> None:
    for _ in range(100):
        x.add_(1)
        assert bool((x > 0).all())
    assert x[0, 0].item() == 100 and lg.cache_info().misses == 0


def test_what_is_computed_on_the_way_is_kept_for_its_tensor(x: Tensor) -> None:
    y = x + 1
    assert (y * 2).sum().item() == 156
    assert y.node().value is not None and not y.node().inputs and y.tolist()[0] == [1.0, 2.0, 3.0, 4.0]


def test_a_result_does_not_lie_in_the_memory_of_another(x: Tensor) -> None:
    y = x + 1
    part = y.view(-1)[:2] * 1
    both = y.t().detach()
    assert both.tolist()[0] == [1.0, 5.0, 9.0]
    y.mul_(2)
    y[0, 0] = 7
    assert part.tolist() == [1.0, 2.0] and both.tolist()[0] == [7.0, 10.0, 18.0]


def test_a_refusal_names_its_line(x: Tensor) -> None:
    numbers = lg.arange(3).realize()
    quotient = numbers // (numbers - 1)
    with pytest.raises(RuntimeError, match=r"ZeroDivisionError.*recorded at .*test_at_once.py"):
        quotient.tolist()


def test_history_is_kept_while_tangents_may_be_asked_for(x: Tensor) -> None:
    with lg.autograd.forward_ad.dual_level():
        dual = lg.autograd.forward_ad.make_dual(x, lg.ones(3, 4))
        y = dual[0] * dual[0]
        assert y[3].item() == 9.0
        tangent = lg.autograd.forward_ad.unpack_dual(y).tangent
        assert tangent is not None and tangent.tolist() == [0.0, 2.0, 4.0, 6.0]


# A form that comes again has a function of its own, after some runs.

MANY = 8


def test_a_form_that_comes_often_computes_with_the_operands_and_numbers_of_each_program(x: Tensor) -> None:
    y = (x + 100).realize()
    for i in range(MANY):
        assert (x * x).sum().item() == 506
        assert (x * y).sum().item() == 7106
        assert (y * x - i * 1.25).sum().item() == 7106 - 12 * i * 1.25
        assert (x + 1 * (-1) ** i).sum().item() == 66 + 12 * (-1) ** i
    assert lg.cache_info().misses == 0


def test_options_tell_forms_from_each_other(x: Tensor) -> None:
    for _ in range(MANY):
        assert x.sum(0).tolist() == [12.0, 15.0, 18.0, 21.0] and x.sum(1).tolist() == [6.0, 22.0, 38.0]
        assert x.long().sum().dtype is lg.int64 and x.double().sum().dtype is lg.float64
        assert (x == 0).sum().item() == 1 and (x == 0).any().item() is True and (x < 0).any().item() is False


def test_a_form_that_comes_often_keeps_what_belongs_to_a_tensor_and_nothing_else(x: Tensor) -> None:
    for i in range(MANY):
        y = x + float(i + 5.5)
        total = (y * 2).sum()
        assert total.item() == 132 + 24 * (i + 5.5)
        assert y.node().value is not None and not y.node().inputs and not total.node().inputs
        y[0, 0] = 1000.0
        assert total.item() == 132 + 24 * (i + 5.5) and y[0, 0].item() == 1000.0 and x[0, 0].item() == 0.0


def test_results_of_a_form_do_not_share_memory(x: Tensor) -> None:
    sums = [x.sum(1) for _ in range(MANY)]
    for total in sums:
        total.realize()
    sums[-1].add_(1)
    sums[-2][0] = 100.0
    assert [total.tolist() for total in sums[:-2]] == [[6.0, 22.0, 38.0]] * (MANY - 2)
    parts = [(x + 1).t().contiguous().view(-1) for _ in range(MANY)]
    parts[-1].realize()
    assert all(part.tolist() == [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12] for part in parts)


def test_a_refusal_names_its_line_however_often_the_form_came(x: Tensor) -> None:
    numbers = lg.arange(3).realize()
    for _ in range(MANY):
        assert (numbers // (numbers + 1)).tolist() == [0, 0, 0]
        with pytest.raises(RuntimeError, match=r"ZeroDivisionError.*recorded at .*test_at_once.py"):
            (numbers // (numbers - 1)).tolist()


def test_numpy_warns_of_nothing_and_keeps_its_settings(x: Tensor) -> None:
    with np.errstate(all="raise"):
        for _ in range(MANY):
            assert (x / 0).sum().isnan().item() is True
        with pytest.raises(FloatingPointError):
            np.float32(1) / np.float32(0)


def test_forms_are_forgotten_when_there_are_many(x: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazygrad.runtime.at_once._MOST_FORMS", 3)
    for size in range(1, 9):
        assert (x.view(-1)[:size] + 1).sum().item() == size * (size + 1) / 2
    from lazygrad.runtime.at_once import _forms

    assert len(_forms) <= 3
