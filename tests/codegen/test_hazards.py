"""Threads meet exactly where one step needs what another thread did in an earlier one."""

from __future__ import annotations

import re

import pytest

import lazygrad as lg
from lazygrad.codegen.hazards import Barriers, Memory
from tests.codegen.test_c_source import PLANS

A, B, C = (Memory(("output", number)) for number in range(3))
SHARED, ALONE = False, True
Step = tuple[list[Memory], list[Memory], bool]


def barriers(*steps: Step) -> list[bool]:
    """Which steps have a barrier before them."""
    hazards = Barriers()
    return [hazards.before(reads, writes, serial) for reads, writes, serial in steps]


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
    hazards = Barriers()
    hazards.before([], [A], SHARED)
    hazards.passed()
    assert not hazards.before([A], [], SHARED)


def test_ranges_of_one_memory() -> None:
    arena = ("arena", 0)
    first, second, both = Memory(arena, 0, 64), Memory(arena, 64, 128), Memory(arena, 63, 65)
    assert not first.overlaps(second) and first.overlaps(both) and both.overlaps(second)
    assert not first.overlaps(Memory(("totals", 0), 0, 64))
    assert barriers(([], [first], SHARED), ([], [second], SHARED), ([], [both], SHARED)) == [False, False, True]


# The driver's text, read as the threads do.

_NAME = re.compile(r"\b[a-z_]\w*\b")
_BINDING = re.compile(r"^ {4}\w+ \*const (\w+) = (.+?);", re.MULTILINE)


@pytest.mark.parametrize("name", PLANS)
def test_no_two_steps_between_barriers_touch_what_one_of_them_writes(name: str) -> None:
    """An analysis of its own, from the plan: steps are matched with the lines of the driver in order."""
    plan = PLANS[name]()
    text = plan.c_source.text.rpartition("const team team = ")[2]
    lines = [line.strip() for line in text.splitlines()[1:]]
    steps = iter(plan.schedule.steps)
    lowered = iter(plan.lowered)
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
    """Places that a step reads and writes: 64-byte pieces of the arena, inputs, outputs."""
    outputs = group.nodes if group.is_library else next(lowered).outputs
    reads = {place for node in group.reads for place in places(plan, node)}
    return reads, {place for node in outputs for place in places(plan, node)}


def places(plan, node) -> set[str]:  # type: ignore[no-untyped-def]
    slot = plan.schedule.slots.get(node)
    if slot is None:
        return set()
    if slot.place.value != "arena":
        donated = {("output", d.output): d.input for d in plan.donations}
        source = donated.get((slot.place.value, slot.index))
        return {f"{slot.place.value}{slot.index}"} | ({f"input{source}"} if source is not None else set())
    temporary = plan.schedule.temporaries[slot.index]
    size = node.dtype.itemsize
    for extent in node.shape:
        size *= extent
    return {f"arena{piece}" for piece in range(temporary.offset // 64, (temporary.offset + max(size, 1) - 1) // 64 + 1)}


def test_small_plans_have_one_thread_and_no_barrier() -> None:
    x = lg.ones(8, 8).realize()
    source = lg.stages(lg.softmax(lg.tanh(x) @ x, -1).sum(0)).plan_object.c_source
    assert source.is_serial
    assert "omp parallel" not in source.text and "team_barrier(&team)" not in source.text
