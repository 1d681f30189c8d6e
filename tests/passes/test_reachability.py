"""Reachability against a depth-first search, on random programs with random merges, also longer than its window."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.passes.reachability import WINDOW, Reachability
from tests.passes.programs import fused, leaf


class SearchedGroups:
    """The same questions answered by walking the whole graph of groups."""

    def __init__(self) -> None:
        self.inputs: dict[int, set[int]] = {}

    def would_cycle(self, first: int, second: int) -> bool:
        return self._through_third(first, second) or self._through_third(second, first)

    def _through_third(self, below: int, above: int) -> bool:
        stack, seen = list(self.inputs[below] - {above, below}), set[int]()
        while stack:
            group = stack.pop()
            if group == above:
                return True
            if group not in seen:
                seen.add(group)
                stack += self.inputs[group]
        return False

    def merge(self, kept: int, absorbed: int) -> None:
        self.inputs[kept] = (self.inputs[kept] | self.inputs.pop(absorbed)) - {kept, absorbed}
        for group, inputs in self.inputs.items():
            if absorbed in inputs:
                inputs.discard(absorbed)
                inputs |= {kept} - {group}


def compare_on_random_program(seed: int, size: int) -> int:
    """Open ``size`` groups and merge some of them; returns how many questions were compared."""
    choose = random.Random(seed)
    reach, searched, compared = Reachability(), SearchedGroups(), 0
    for _ in range(size):
        living = list(searched.inputs)
        recent = living[-choose.choice([3, 20, size]) :]
        inputs = set(choose.sample(recent, min(choose.choice([0, 1, 1, 2, 3]), len(recent))))
        newest = reach.open(inputs)
        searched.inputs[newest] = set(inputs)
        for _ in range(choose.randrange(4)):
            group = reach.find(newest)
            others = [other for other in searched.inputs if other != group and reach.is_open(other)]
            if not others:
                break
            other = choose.choice(others[-choose.choice([2, 10, WINDOW]) :])
            cycle = reach.would_cycle(other, group)
            assert cycle == searched.would_cycle(other, group), (seed, other, group)
            compared += 1
            if not cycle:
                reach.merge(other, group)
                searched.merge(other, group)
    return compared


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 30))
def test_agrees_with_a_search_on_short_programs(seed: int, size: int) -> None:
    compare_on_random_program(seed, size)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_agrees_with_a_search_on_programs_longer_than_the_window(seed: int) -> None:
    assert compare_on_random_program(seed, 3 * WINDOW) > WINDOW


def test_a_window_of_groups_stays_open() -> None:
    reach = Reachability()
    groups = [reach.open([]) for _ in range(WINDOW + 1)]
    assert not reach.is_open(groups[0])
    assert all(reach.is_open(group) for group in groups[1:])


def test_merged_groups_do_not_take_up_room() -> None:
    reach = Reachability()
    first = reach.open([])
    for _ in range(3 * WINDOW):
        reach.merge(first, reach.open([first]))
    assert reach.is_open(first)


def random_program(seed: int) -> Graph:
    """Products and elementwise ops on 4×4 values, so that only order keeps kernels apart."""
    choose = random.Random(seed)
    nodes: list[Node] = [leaf((4, 4), slot=slot) for slot in range(3)]
    for _ in range(choose.choice([60, 200, 400])):
        near = nodes[-choose.choice([2, 5, 30, 200]) :]
        kind = choose.random()
        first, second = choose.choice(near), choose.choice(near)
        nodes.append(matmul(first, second) if kind < 0.3 else ew.exp(first) if kind < 0.6 else first + second)
    used = {source for node in nodes for source in node.inputs}
    return Graph([node for node in nodes if node not in used and node.inputs])


# The seeds at which an earlier version of `Reachability` made groups that wait for each other come first.
@pytest.mark.parametrize("seed", [804, 2178, 2324, 2578, *range(40)])
def test_fused_groups_never_wait_for_each_other(seed: int) -> None:
    graph = fused(*random_program(seed).roots)
    done: set[Node] = set()
    for group in graph.groups:
        assert {node for node in group.reads if node in graph.group_of} <= done
        done.update(group.nodes)
    assert len(done) == len(graph.group_of)
