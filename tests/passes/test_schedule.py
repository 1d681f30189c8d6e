"""Scheduling: values alive at the same time never share memory, and outputs go where they belong."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.passes.arena import ALIGNMENT
from lazygrad.passes.fuse import fuse
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.schedule import Place, Schedule, schedule
from lazygrad.passes.views import materialize_views
from tests.passes.programs import leaf


def scheduled(*roots: Node, fusion: bool = True, watched: tuple[Node, ...] = ()) -> Schedule:
    return schedule(fuse(materialize_views(Graph(roots, watched=watched)), fusion))


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


def last_step_that_reads(plan: Schedule, node: Node) -> int:
    steps = [step for step, group in enumerate(plan.steps) if node in group.reads]
    return max(steps, default=-1)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9), st.booleans())
def test_temporaries_alive_together_do_not_overlap(seed: int, fusion: bool) -> None:
    plan = scheduled(*random_roots(seed), fusion=fusion)
    for i, first in enumerate(plan.temporaries):
        assert first.offset % ALIGNMENT == 0
        assert first.offset + bytes_of(first.node) <= plan.arena_bytes
        written = [plan.memory_of(node)[0] for node in plan.steps[first.first].nodes]
        assert first.node in written
        assert first.last >= last_step_that_reads(plan, first.node), "a value must live until its last reader ran"
        for second in plan.temporaries[:i]:
            together = first.first <= second.last and second.first <= first.last
            apart = (
                first.offset + bytes_of(first.node) <= second.offset
                or second.offset + bytes_of(second.node) <= first.offset
            )
            assert apart or not together


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_whatever_another_group_reads_has_a_place(seed: int) -> None:
    plan = scheduled(*random_roots(seed))
    for group in plan.steps:
        assert group.reads <= plan.stored
    for node in plan.outputs:
        assert plan.slots[node].place is Place.OUTPUT


def test_a_long_chain_of_calls_needs_memory_for_two_values() -> None:
    node = leaf((8, 8))
    for _ in range(20):
        node = matmul(node, node)
    plan = scheduled(node)
    assert len(plan.temporaries) == 19
    assert plan.arena_bytes == 2 * 8 * 8 * 4
    assert plan.unshared_bytes == 19 * 8 * 8 * 4


def test_values_that_stay_in_a_kernel_take_no_memory() -> None:
    plan = scheduled(ew.exp(leaf((8, 8)) * 2))
    assert plan.temporaries == [] and plan.arena_bytes == 0
    assert [slot.place for slot in plan.slots.values()] == [Place.INPUT, Place.OUTPUT]


def test_roots_are_outputs_once_and_views_point_at_what_holds_them() -> None:
    x = leaf((4, 6))
    value = ew.exp(x)
    plan = scheduled(value, mv.reshape(value, shape=(24,)), value, x)
    assert len(plan.outputs) == 1
    assert plan.roots == [plan.outputs[0]] * 3 + [x]
    assert plan.slots[x].place is Place.INPUT


def test_watched_values_become_outputs_only_where_they_are_stored_anyway() -> None:
    x = leaf((8, 8))
    inside, product = ew.exp(x), matmul(ew.sin(x), x)
    plan = scheduled(inside * 2 + product, watched=(inside, product))
    assert plan.watched[0] is None
    assert plan.watched[1] is not None
    assert plan.outputs[plan.watched[1]].op is matmul
