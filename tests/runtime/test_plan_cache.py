"""The plan cache: what it finds again, what it forgets, and what it says about a miss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.runtime.dynamic.families import families
from lazygrad.runtime.plan_cache import PlanCache, Treatment
from lazygrad.runtime.realize import cache, realize, unfused
from lazygrad.runtime.recording import Recording
from lazygrad.tensor import Tensor
from tests.codegen.plans import PROGRAMS, plan_of
from tests.passes.programs import realized


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def counts(*programs: Callable[[], Tensor]) -> tuple[int, int]:
    """Hits and misses of realizing the programs one after another."""
    for program in programs:
        program().realize()
    return cache.hits, cache.misses


def test_the_same_program_over_other_data_is_found() -> None:
    first, second = realized(4, 5), lg.ones(4, 5).realize()
    cache.clear()
    assert counts(lambda: lg.exp(first).sum(1), lambda: lg.exp(second).sum(1)) == (1, 1)


def test_numbers_are_lifted_out_of_the_program() -> None:
    x = realized(4, 5)
    assert counts(*[lambda rate=rate: x * rate for rate in (0.1, 0.25, 17.0, -3.5)]) == (3, 1)


def test_numbers_that_simplification_looks_at_are_part_of_it() -> None:
    x = realized(4, 5)
    assert counts(*[lambda number=number: x * number for number in (1, 2, -1, 0.5)]) == (0, 4)


def test_lifted_numbers_are_used_in_the_right_places() -> None:
    x = lg.tensor([1.0, 2.0]).realize()
    results = [(x * a + b).tolist() for a, b in [(0.1, 5.5), (7.5, 0.3), (0.3, 7.5)]]
    expected = [[v * a + b for v in (1.0, 2.0)] for a, b in [(0.1, 5.5), (7.5, 0.3), (0.3, 7.5)]]
    for result, values in zip(results, expected, strict=True):
        assert result == pytest.approx(values)
    assert cache.misses == 1


DIFFERENT: dict[str, Callable[[], tuple[Callable[[], Tensor], Callable[[], Tensor]]]] = {
    "shapes": lambda: (lambda: realized(4, 5) + 1, lambda: realized(5, 4) + 1),
    "dtypes": lambda: (lambda: realized(4, 5) + 1, lambda: realized(4, 5).double().realize() + 1),
    "attributes": lambda: (lambda: realized(4, 5).sum(0), lambda: realized(4, 5).sum(1)),
    "operations": lambda: (lambda: lg.exp(realized(4, 5)), lambda: lg.sin(realized(4, 5))),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_different_programs_are_told_apart(what: str) -> None:
    first, second = DIFFERENT[what]()
    first().realize()
    plan = lg.last_step().plan_object
    second().realize()
    assert lg.last_step().plan_object is not plan


def test_which_inputs_are_the_same_is_part_of_the_program() -> None:
    x, y = realized(4, 5), lg.ones(4, 5).realize()
    cache.clear()
    assert counts(lambda: x - x, lambda: x - y) == (0, 2)


def test_what_is_asked_for_is_part_of_the_program() -> None:
    x = realized(4, 5)
    lg.exp(lg.sin(x)).realize()
    inner = lg.sin(x)
    lg.exp(inner).realize()
    assert (cache.hits, cache.misses) == (0, 2)


def test_fused_and_unfused_plans_are_kept_apart() -> None:
    x = realized(4, 5)
    lg.exp(x * 2).realize()
    with unfused():
        lg.exp(x * 2).realize()
        assert lg.last_step().plan_object.kernel_calls == 2
    lg.exp(x * 2).realize()
    assert lg.last_step().plan_object.kernel_calls == 1
    assert (cache.hits, cache.misses) == (1, 2)


def test_the_least_recently_used_plan_goes_first() -> None:
    small = PlanCache(capacity=2)
    built: list[str] = []

    def get(name: str) -> None:
        def build() -> object:
            built.append(name)
            return plan_of(PROGRAMS[name])

        small.get(name, build)

    for name in ("softmax", "column_sum", "softmax", "linear_relu", "softmax", "column_sum"):
        get(name)
    assert built == ["softmax", "column_sum", "linear_relu", "column_sum"]
    assert len(small) == 2
    assert (small.hits, small.misses) == (2, 4)


def test_plans_go_when_they_hold_too_many_bytes() -> None:
    sizes = [plan_of(PROGRAMS["softmax"]).bytes_held for _ in range(2)]
    assert sizes[0] == sizes[1] > 0
    small = PlanCache(byte_capacity=2 * sizes[0])
    for key in range(3):
        small.get(key, lambda: plan_of(PROGRAMS["softmax"]))
    assert len(small) == 2 and small.bytes_held == 2 * sizes[0]
    small.byte_capacity = 1
    small.get(3, lambda: plan_of(PROGRAMS["softmax"]))
    assert len(small) == 1 and small.bytes_held == sizes[0]


def test_a_larger_program_has_a_larger_plan() -> None:
    def held(length: int) -> int:
        x = realized(4, 5)
        for _ in range(length):
            x = lg.exp(x) * 0.25
        x.realize()
        plan: Any = lg.last_step().plan_object
        return int(plan.bytes_held)

    short, long, longer = held(10), held(50), held(90)
    assert long - short == longer - long > 0


@pytest.fixture
def limits() -> Iterator[None]:
    before = lg.cache_info()
    yield
    lg.set_plan_cache_limits(plans=before.capacity, megabytes=before.byte_capacity / 2**20)


@pytest.mark.usefixtures("limits")
def test_limits_are_kept_at_once_and_shown() -> None:
    x = realized(4, 5)
    for number in (1, 2, 3, 4):
        (x * number).exp().realize()
    info = lg.cache_info()
    assert info.size == 4 and info.bytes > 4 * 1000
    lg.set_plan_cache_limits(plans=3)
    assert lg.cache_info().size == lg.cache_info().capacity == 3
    kept = lg.cache_info().bytes
    lg.set_plan_cache_limits(megabytes=kept / 2 / 2**20)
    info = lg.cache_info()
    assert info.size < 3 and info.bytes <= info.byte_capacity == kept // 2 and info.capacity == 3
    cache.clear()
    assert lg.cache_info().bytes == 0
    for wrong in ({"plans": 0}, {"megabytes": -1}):
        with pytest.raises(ValueError, match="must be positive"):
            lg.set_plan_cache_limits(**wrong)


def test_a_miss_names_the_changed_shape() -> None:
    (realized(4, 5) + 1).realize()
    (realized(6, 5) + 1).realize()
    assert "type f32[4,5] became f32[6,5]" in lg.explain_cache_miss()


def test_a_miss_names_the_changed_attribute_and_the_line() -> None:
    x = realized(4, 5)
    lg.softmax(x, 0).realize()
    lg.softmax(x, 1).realize()
    message = lg.explain_cache_miss()
    assert "axis 0 became 1" in message
    assert "softmax (test_plan_cache.py:" in message


def test_a_miss_names_a_number_that_is_part_of_the_program() -> None:
    x = realized(4, 5)
    (x * 2).realize()
    (x * 3).realize()
    assert "value 2.0 became 3.0" in lg.explain_cache_miss()


def test_a_miss_says_that_a_sequence_of_operations_is_new() -> None:
    lg.exp(realized(4, 5)).realize()
    assert "2 recorded operations; planned now) is the first one with this sequence" in lg.explain_cache_miss()


def test_a_miss_says_which_operation_reads_other_values() -> None:
    x, y = realized(4, 5), lg.ones(4, 5).realize()
    ((x - y) * x).realize()
    ((x - y) * y).realize()
    message = lg.explain_cache_miss()
    assert "%3 mul (test_plan_cache.py:" in message
    assert message.endswith("reads other values")


def test_why_a_marked_program_has_no_plan_for_many_sizes_is_not_said_of_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y = realized(4, 5), lg.ones(4, 5).realize()
    monkeypatch.setattr(families, "why_not", "it was not seen at another size yet")
    ((x + y) * x).realize()
    assert "other sizes were expected" not in lg.explain_cache_miss()


def test_nothing_was_planned_yet() -> None:
    assert lg.explain_cache_miss() == "every program so far was found in the cache"
    with pytest.raises(RuntimeError, match="nothing was realized yet"):
        lg.last_step()


def test_counts_at_many_places_are_few_programs() -> None:
    counted = lg.zeros(5, 5).realize()
    wanted = [[0.0] * 5 for _ in range(5)]
    cache.clear()
    for i in range(25):
        row, column = i % 5, i * 7 % 5
        counted[row, column] += 1
        counted[column, row] += 2
        wanted[row][column] += 1
        wanted[column][row] += 2
    assert counted.tolist() == wanted
    assert cache.misses <= 4


def test_where_a_slice_begins_is_no_part_of_a_program() -> None:
    x = lg.arange(40.0).reshape(8, 5).realize()
    cache.clear()
    results = [(x[i : i + 3, i] * 2).tolist() for i in range(5)]
    assert results == [[2.0 * (5 * row + i) for row in range(i, i + 3)] for i in range(5)]
    rows = [(x.T[i].flip(0) + 1).tolist() for i in range(5)]
    assert rows == [[5.0 * row + i + 1 for row in reversed(range(8))] for i in range(5)]
    assert cache.misses == 2


SHIFTS: list[tuple[int | tuple[int, ...], int | tuple[int, ...] | None]] = [
    (1, None), (-7, None), (0, 0), (3, 0), (-3, 0), (8, 0), (13, 0), ((1, 2), (0, 1)), ((-1, 9), (0, 1)),
    ((0, 0), (0, 1)),
]  # fmt: skip


def test_how_far_elements_are_rolled_is_no_part_of_a_program() -> None:
    x = lg.arange(40.0).reshape(8, 5).realize()
    wanted = x.numpy()
    cache.clear()
    for shifts, dims in SHIFTS:
        rolled = (x * 2).roll(shifts, dims) + 1
        assert rolled.tolist() == (2 * np.roll(wanted, shifts, dims) + 1).tolist()
    assert cache.misses == 3  # the flattened tensor, one dimension, two of them


def test_how_far_elements_are_rolled_back_is_no_part_of_a_gradient() -> None:
    x = lg.arange(6.0).realize().requires_grad_()
    weights = lg.tensor([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]).realize()
    cache.clear()
    for shift in range(-2, 8):
        x.grad = None
        (x.roll(shift, 0) * weights).sum().backward()
        assert x.grad is not None and x.grad.tolist() == np.roll(weights.numpy(), -shift).tolist()
    assert cache.misses == 1


READS: list[Callable[[Tensor, int], Tensor]] = [
    lambda x, i: x.select(0, i) * 2,
    lambda x, i: x.narrow(0, i, 2) * 2,
    lambda x, i: x[..., i : i + 3].exp(),
    lambda x, i: x[i - 8] + x[-i - 1],
    lambda x, i: x.index_select(0, lg.tensor([i, i + 1])).sum(0),
    lambda x, i: x.unfold(0, 2, 1)[i].sin(),
    lambda x, i: x.index_select(0, lg.tensor([i, i + 1]).realize()).roll((i, -i), (0, 1)),
    lambda x, i: x.scatter(1, lg.tensor([[i]]), 2.5).cos(),
]


@pytest.mark.parametrize("read", READS)
def test_integers_that_say_where_are_no_part_of_programs(read: Callable[[Tensor, int], Tensor]) -> None:
    x = lg.arange(80.0).reshape(8, 10).realize()
    read(x, 0).realize()
    cache.clear()
    for i in range(6):
        read(x, i).realize()
    assert cache.misses <= 1


def test_where_a_view_is_written_is_no_part_of_a_program() -> None:
    x, y = lg.zeros(6, 4).realize(), lg.arange(24.0).reshape(6, 4).realize()
    cache.clear()
    for t in range(1, 4):
        x[:, t] = x[:, t - 1] + y[:, t]
        x.realize()
    assert cache.misses == 1
    assert x[1].tolist() == [0.0, 5.0, 11.0, 18.0]


def test_an_input_is_not_overwritten_while_a_part_of_it_is_read() -> None:
    x = lg.arange(12.0).reshape(4, 3).realize()
    x[1] = x[0]
    x[2] = x[1] + x[3]
    x.add_(x[2].clone())
    assert x.tolist() == [[9.0, 12.0, 15.0], [9.0, 12.0, 15.0], [18.0, 22.0, 26.0], [18.0, 21.0, 24.0]]


def test_slices_without_elements() -> None:
    x, nothing = lg.ones(4, 3).realize(), lg.zeros(0, 3).realize()
    for i in range(3):
        assert lg.cat([x[i:i] * 2, nothing[0:0] + 1, nothing[:, i : i + 1] * lg.ones(3)]).shape == (0, 3)
        assert (nothing[:, i] + 1).tolist() == [] and (x[4:, i] * 2).tolist() == []


def test_a_slice_of_a_flipped_value_begins_inside_it() -> None:
    x = lg.arange(12.0).reshape(4, 3).realize()
    rows = movement.slice_(movement.flip(x.node(), axes=(0,)), start=(1, 0), stop=(3, 3), step=(1, 1))
    recording = Recording([ew.neg(rows)])
    assert not recording.parts
    realize(recording.roots)
    assert Tensor.from_node(recording.roots[0]).tolist() == [[-6.0, -7.0, -8.0], [-3.0, -4.0, -5.0]]


def test_a_program_stays_seen_while_its_plan_is_made() -> None:
    """What is done for new programs only would be done again in every step until the plan arrives."""
    cache, key = PlanCache(), ("a program", True)
    assert cache.is_first_sight(key)
    assert cache.treatment(key, None) is Treatment.INTERPRETED
    cache.spend(key, 10.0, steps=50)
    assert cache.treatment(key, None) is Treatment.DUE
    assert cache.was_seen(key) and not cache.is_first_sight(key)
    assert cache.treatment(key, None) is Treatment.INTERPRETED and cache.runs_of(key) == 3
