"""Threads meet exactly where one step needs what another thread did in an earlier one."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import product
from types import FrameType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.codegen import hazards
from lazygrad.codegen.hazards import Barriers, Region
from lazygrad.ir.view import View
from tests.targets.c.test_source import PLANS

A, B, C = (Region(("output", number)) for number in range(3))
SHARED, ALONE = False, True
Step = tuple[list[Region], list[Region], bool]


def barriers(*steps: Step) -> list[bool]:
    """Which steps have a barrier before them."""
    threads = Barriers()
    return [threads.before(reads, writes, serial) for reads, writes, serial in steps]


@pytest.mark.parametrize(
    ("first", "second", "needed"),
    [
        (([A], [B], SHARED), ([B], [C], SHARED), True),  # read after write
        (([A], [B], SHARED), ([C], [A], SHARED), True),  # write after read
        (([A], [B], SHARED), ([A], [B], SHARED), True),  # write after write
        (([A], [B], SHARED), ([A], [C], SHARED), False),  # read after read
        (([], [A], SHARED), ([], [B], SHARED), False),
        (([A], [B], ALONE), ([B], [C], ALONE), False),  # the same thread, in order
        (([A], [B], ALONE), ([B], [C], SHARED), True),
        (([A], [B], SHARED), ([B], [C], ALONE), True),
        (([A], [B], SHARED), ([C], [A], ALONE), True),
    ],
)
def test_two_steps(first: Step, second: Step, needed: bool) -> None:
    assert barriers(first, second) == [False, needed]


def test_a_barrier_settles_everything_before_it() -> None:
    assert barriers(([A], [B], SHARED), ([B], [C], SHARED), ([B], [A], SHARED)) == [False, True, False]


def test_a_hazard_is_found_across_steps_that_have_none() -> None:
    assert barriers(([], [A], SHARED), ([], [B], SHARED), ([], [C], ALONE), ([A], [C], ALONE)) == [
        False,
        False,
        False,
        True,
    ]


def test_the_same_thread_does_not_wait_for_itself_but_for_the_others() -> None:
    assert barriers(([], [A], ALONE), ([A], [B], ALONE), ([], [C], SHARED), ([B], [], SHARED)) == [
        False,
        False,
        False,
        True,
    ]


def test_all_threads_have_met_elsewhere() -> None:
    threads = Barriers()
    threads.before([], [A], SHARED)
    threads.passed()
    assert not threads.before([A], [], SHARED)


def test_ranges_of_one_memory() -> None:
    arena = ("arena", 0)
    first, second, both = Region(arena, 0, 64), Region(arena, 64, 128), Region(arena, 63, 65)
    assert not first.overlaps(second) and first.overlaps(both) and both.overlaps(second)
    assert not first.overlaps(Region(("totals", 0), 0, 64))
    assert barriers(([], [first], SHARED), ([], [second], SHARED), ([], [both], SHARED)) == [False, False, True]


def test_slices_of_one_memory() -> None:
    whole = Region(("arena", 0), 64, 64 + 4 * 6 * 10)
    view = View.contiguous((6, 10))
    left, middle, right = (whole.part(view.narrowed(1, *ends), 4) for ends in ((0, 4), (3, 6), (4, 10)))
    assert left.overlaps(middle) and middle.overlaps(right) and middle.overlaps(left)
    assert not left.overlaps(right) and not right.overlaps(left)
    assert all(part.overlaps(whole) and whole.overlaps(part) for part in (left, middle, right))
    top, bottom = (whole.part(view.narrowed(0, *ends), 4) for ends in ((0, 2), (2, 6)))
    assert not top.overlaps(bottom) and top.overlaps(left)
    assert barriers(([], [left], SHARED), ([], [right], SHARED), ([whole], [], SHARED)) == [False, False, True]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(1, 6)), min_size=2, max_size=4), st.data())
def test_parts_that_share_a_byte_overlap(cuts: list[tuple[int, int, int]], data: st.DataObject) -> None:
    """Slices of slices of a matrix; parts that do not touch may be taken for ones that do, never the reverse."""
    matrix = np.arange(6 * 7).reshape(6, 7)
    parts: list[tuple[Region, set[int]]] = []
    for count in (1, data.draw(st.integers(1, len(cuts)))):
        view, seen = View.contiguous(matrix.shape), matrix
        for axis, start, length in data.draw(st.permutations(cuts))[:count]:
            low = min(start, seen.shape[axis] - 1)
            high = min(low + length, seen.shape[axis])
            view = view.narrowed(axis, low, high)
            seen = seen[low:high] if axis == 0 else seen[:, low:high]
        parts.append((Region(("arena", 0), 0, matrix.size).part(view, 1), set(seen.flat)))
    (first, its), (second, others) = parts
    assert first.overlaps(second) == second.overlaps(first)
    assert first.overlaps(second) or not its & others


@st.composite
def memories(draw: st.DrawFn) -> Region:
    """Of two memories, with and without gaps, with few periods so that equal ones meet."""
    begin, length, period = draw(st.integers(0, 40)), draw(st.integers(1, 30)), draw(st.sampled_from([0, 0, 5, 7, 12]))
    width = draw(st.integers(1, period)) if period else 0
    return Region(("arena", draw(st.integers(0, 1))), begin, begin + max(length, width), period, width)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.lists(memories(), max_size=2), st.lists(memories(), max_size=2), st.booleans())))
def test_barriers_are_where_some_pair_of_accesses_overlaps(steps: list[Step]) -> None:
    """Every access is compared with every earlier one, which is what the sets of ranges spare."""
    expected, since = [], []
    for reads, writes, serial in steps:
        expected.append(
            any(
                first.overlaps(second)
                for earlier_reads, earlier_writes, was_serial in since
                if not (serial and was_serial)
                for first, second in [
                    *product(reads, earlier_writes),
                    *product(writes, earlier_writes),
                    *product(writes, earlier_reads),
                ]
            )
        )
        since = [*([] if expected[-1] else since), (reads, writes, serial)]
    assert barriers(*steps) == expected


def _columns(count: int) -> list[Region]:
    whole = Region(("arena", 0), 0, 4 * 3 * count)
    return [whole.part(View.contiguous((3, count)).narrowed(1, i, i + 1), 4) for i in range(count)]


WITHOUT_HAZARDS: dict[str, Callable[[int], list[Step]]] = {
    "one thread": lambda n: [([A], [A], ALONE)] * n,
    "many readers": lambda n: [([A], [Region(("output", i + 1))], SHARED) for i in range(n)],
    "parts of the arena": lambda n: [([], [Region(("arena", 0), 64 * i, 64 * i + 40)], SHARED) for i in range(n)],
    "columns of a matrix": lambda n: [([], [column], SHARED) for column in _columns(n)],
}


@pytest.mark.parametrize("steps", WITHOUT_HAZARDS.values(), ids=WITHOUT_HAZARDS)
def test_work_grows_as_the_number_of_steps_without_a_barrier(steps: Callable[[int], list[Step]]) -> None:
    """Lines of the module that run: twice the steps are twice the lines."""

    def work(count: int) -> int:
        lines = 0

        def trace(frame: FrameType, event: str, _: object) -> Callable | None:
            nonlocal lines
            if frame.f_code.co_filename != hazards.__file__:
                return None
            lines += event == "line"
            return trace

        program = steps(count)
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            needed = barriers(*program)
        finally:
            sys.settrace(before)
        assert not any(needed)
        return lines

    assert work(400) < 2.2 * work(200)


# The driver's text, read as the threads do.

_NAME = re.compile(r"\b[a-z_]\w*\b")
_BINDING = re.compile(r"^ {4}\w+ \*const (\w+) = (.+?);", re.MULTILINE)


@pytest.mark.parametrize("name", PLANS)
def test_no_two_steps_between_barriers_touch_what_one_of_them_writes(name: str) -> None:
    """An analysis of its own, from the plan: steps are matched with the lines of the driver in order."""
    plan = PLANS[name]()
    text = plan.sources["c"].text.rpartition("const team team = ")[2]
    lines = [line.strip() for line in text.splitlines()[1:]]
    steps = iter(plan.schedule.steps)
    lowered = iter(plan.kernels)
    since: list[tuple[set[str], set[str], bool]] = []
    for line in lines:
        if line.startswith("team_barrier"):
            since = []
        elif "(&" in line or "host(" in line:
            reads, writes = touched(plan, next(steps), lowered)
            if "_epilogue(" in line:
                more_reads, more_writes = touched(plan, next(steps), lowered)
                reads, writes = reads | more_reads - writes, writes | more_writes
            serial = line.startswith("if (team.thread == 0)")
            for earlier_reads, earlier_writes, was_serial in since:
                if not (serial and was_serial):
                    assert not writes & (earlier_reads | earlier_writes) and not reads & earlier_writes, line
            since.append((reads, writes, serial))
    assert next(steps, None) is None


def touched(plan, group, lowered) -> tuple[set[str], set[str]]:  # type: ignore[no-untyped-def]
    """Places that a step reads and writes: 4-byte pieces of the arena, elements of inputs and outputs."""
    outputs = group.nodes if group.is_library else next(lowered).outputs
    reads = {place for node in group.reads for place in places(plan, node)}
    return reads, {place for node in outputs for place in places(plan, node)}


def places(plan, node) -> set[str]:  # type: ignore[no-untyped-def]
    if node not in plan.schedule.stored:
        return set()
    node, view = plan.schedule.memory_of(node)
    slot = plan.memory.slots[node]
    if slot.place.value != "arena":
        donated = {("output", d.output): d.input for d in plan.memory.donations}
        source = donated.get((slot.place.value, slot.index))
        names = [f"{slot.place.value}{slot.index}"] + ([f"input{source}"] if source is not None else [])
        return {f"{name}: {element}" for name in names for element in elements(view)}
    begin = plan.memory.temporaries[slot.index].offset
    return {f"arena{(begin + element * node.dtype.itemsize) // 4}" for element in elements(view)}


def elements(view: View) -> list[int]:
    """Where the elements of a view lie."""
    places = np.array(view.offset)
    for size, stride in zip(view.shape, view.strides, strict=True):
        places = places[..., None] + np.arange(size) * stride
    return places.reshape(-1).tolist()  # type: ignore[no-any-return]


def test_small_plans_have_one_thread_and_no_barrier() -> None:
    x = lg.ones(8, 8).realize()
    source = lg.stages(lg.softmax(lg.tanh(x) @ x, -1).sum(0)).plan_object.sources["c"]
    assert source.is_serial
    assert "omp parallel" not in source.text and "team_barrier(&team)" not in source.text
