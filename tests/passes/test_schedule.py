"""Scheduling: values alive at the same time never share memory, and outputs go where they belong."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazygrad.codegen.lower import lower
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.memory.arena import ALIGNMENT
from lazygrad.memory.plan import MemoryPlan, plan_memory
from lazygrad.memory.slots import Place
from lazygrad.passes.fuse import fuse
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.schedule import Schedule, schedule
from lazygrad.passes.views import materialize_views
from tests.passes.programs import leaf


def scheduled(*roots: Node, fusion: bool = True, watched: tuple[Node, ...] = ()) -> Schedule:
    return schedule(fuse(materialize_views(Graph(roots, watched=watched)), fusion))


def placed(order: Schedule) -> MemoryPlan:
    """The memory plan for a target whose kernels write over nothing."""
    return plan_memory(order, lower(order), [lambda kernel: lambda store, load: False])


def random_roots(seed: int) -> list[Node]:
    """Square values of three sizes, combined within a size by products, sums, transposes and reductions."""
    choose = random.Random(seed)
    families = [[leaf((size, size), slot=slot)] for slot, size in enumerate((3, 8, 17))]
    for _ in range(choose.randrange(3, 40)):
        nodes = choose.choice(families)
        x, y = choose.choice(nodes[-6:]), choose.choice(nodes[-6:])
        build = choose.choice(
            [
                lambda x, y: matmul(x, y),
                lambda x, y: x + y,
                lambda x, y: ew.exp(mv.permute(x, axes=(1, 0))),
                lambda x, y: x - rd.reduce_sum(y, axes=(choose.randrange(2),)),
            ]
        )
        nodes.append(build(x, y))
    made = [node for nodes in families for node in nodes if node.inputs]
    used = {source for node in made for source in node.inputs}
    return [node for node in made if node not in used or choose.random() < 0.1]


def last_step_that_reads(order: Schedule, node: Node) -> int:
    steps = [step for step, group in enumerate(order.steps) if node in group.reads]
    return max(steps, default=-1)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9), st.booleans())
def test_temporaries_alive_together_do_not_overlap(seed: int, fusion: bool) -> None:
    order = scheduled(*random_roots(seed), fusion=fusion)
    memory = placed(order)
    for i, first in enumerate(memory.temporaries):
        assert first.offset % ALIGNMENT == 0
        assert first.offset + bytes_of(first.node) <= memory.arena_bytes
        written = [order.memory_of(node)[0] for node in order.steps[first.first].nodes]
        assert first.node in written
        assert first.last >= last_step_that_reads(order, first.node), "a value must live until its last reader ran"
        for second in memory.temporaries[:i]:
            together = first.first <= second.last and second.first <= first.last
            apart = (
                first.offset + bytes_of(first.node) <= second.offset
                or second.offset + bytes_of(second.node) <= first.offset
            )
            assert apart or not together


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_whatever_another_group_reads_has_a_place(seed: int) -> None:
    order = scheduled(*random_roots(seed))
    memory = placed(order)
    for group in order.steps:
        assert group.reads <= order.stored
    for node in order.outputs:
        assert memory.slots[node].place is Place.OUTPUT


def test_a_long_chain_of_calls_needs_memory_for_two_values() -> None:
    node = leaf((8, 8))
    for _ in range(20):
        node = matmul(node, node)
    order = scheduled(node)
    memory = placed(order)
    assert len(memory.temporaries) == 19
    assert memory.arena_bytes == 2 * 8 * 8 * 4
    assert memory.unshared_bytes == 19 * 8 * 8 * 4


def test_values_that_stay_in_a_kernel_take_no_memory() -> None:
    order = scheduled(ew.exp(leaf((8, 8)) * 2))
    memory = placed(order)
    assert memory.temporaries == () and memory.arena_bytes == 0
    assert [slot.place for slot in memory.slots.values()] == [Place.INPUT, Place.OUTPUT]


def test_roots_are_outputs_once_and_views_point_at_what_holds_them() -> None:
    x = leaf((4, 6))
    value = ew.exp(x)
    order = scheduled(value, mv.reshape(value, shape=(24,)), value, x)
    memory = placed(order)
    assert len(order.outputs) == 1
    assert order.roots == (order.outputs[0],) * 3 + (x,)
    assert memory.slots[x].place is Place.INPUT


def test_watched_values_become_outputs_only_where_they_are_stored_anyway() -> None:
    x = leaf((8, 8))
    inside, product = ew.exp(x), matmul(ew.sin(x), x)
    order = scheduled(inside * 2 + product, watched=(inside, product))
    assert order.watched[0] is None
    assert order.watched[1] is not None
    assert order.outputs[order.watched[1]].op is matmul


@pytest.mark.parametrize("first", [0, 1])
def test_an_input_is_not_given_away_while_a_part_of_it_is_read(first: int) -> None:
    whole, part = leaf((4, 8), slot=0), leaf((8,), slot=1)
    row = mv.reshape(part, shape=(1, 8))
    order = scheduled(whole + row if first == 0 else row + whole)
    may_overwrite = [lambda kernel: lambda store, load: True]
    assert len(plan_memory(order, lower(order), may_overwrite).donations) == 1
    assert plan_memory(order, lower(order), may_overwrite, {1: 0}).donations == ()
