"""What may share a kernel, what may not and why, and when it is not worth it."""

from __future__ import annotations

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.dtype import int64
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.indexing import gather
from lazygrad.passes.fusion_cost import DEFAULT_LIMITS
from tests.passes.programs import fused, groups_of, leaf, realized, refusals

X = leaf((8, 8))


def total(x: Node, *axes: int) -> Node:
    return rd.reduce_sum(x, axes=axes)


def test_a_chain_is_one_group() -> None:
    assert groups_of(fused(ew.exp(X * 2) + X)) == [["mul", "exp", "add"]]


def test_unfused_every_op_is_its_own_group() -> None:
    assert groups_of(fused(ew.exp(X * 2) + X, enabled=False)) == [["mul"], ["exp"], ["add"]]


def test_a_reduction_takes_in_what_comes_before_and_after() -> None:
    assert groups_of(fused(ew.sqrt(total(X * X, 1)) * 2)) == [["mul", "reduce_sum", "sqrt", "mul"]]


def test_a_row_value_may_meet_full_data_again() -> None:
    graph = fused(X - total(X, 1))
    assert groups_of(graph) == [["reduce_sum", "sub"]]
    assert graph.groups[0].needs_whole_row


def test_two_row_reductions_over_different_axes_that_both_go_on_stay_apart() -> None:
    graph = fused(X - total(X, 1), X - total(X, 0))
    assert groups_of(graph) == [["reduce_sum", "sub", "reduce_sum"], ["sub"]]
    assert "reduce_sum is complete only after the last row" in refusals(graph)
    graph = fused(ew.exp(X - total(X, 1)) * (leaf((8, 8), slot=1) / total(leaf((8, 8), slot=1), 0)))
    assert len(graph.groups) == 2
    assert any("they reduce over different axes" in reason for reason in refusals(graph))


def test_a_column_reduction_joins_when_nothing_waits_for_it() -> None:
    row = X - total(X, 1)
    graph = fused(row, total(row, 0))
    assert groups_of(graph) == [["reduce_sum", "sub", "reduce_sum"]]


def test_what_follows_a_column_reduction_does_not_join() -> None:
    row = X - total(X, 1)
    graph = fused(row, ew.exp(total(row, 0)))
    assert groups_of(graph) == [["reduce_sum", "sub", "reduce_sum"], ["exp"]]


VIEWS_OF_OTHER_ITERATIONS = {
    "transpose of a square": lambda x: mv.permute(x, axes=(1, 0)),
    "flip": lambda x: mv.flip(x, axes=(0,)),
}


@pytest.mark.parametrize("name", VIEWS_OF_OTHER_ITERATIONS)
def test_a_view_that_names_other_elements_needs_the_finished_value(name: str) -> None:
    computed = ew.exp(X)
    graph = fused(VIEWS_OF_OTHER_ITERATIONS[name](computed) + 1)
    assert groups_of(graph) == [["exp"], ["add"]]
    assert refusals(graph) == ["add reads exp through a view that names elements of other iterations"]


def test_a_slice_of_a_value_in_the_group_is_refused_even_through_a_sibling() -> None:
    computed = ew.exp(X)
    rows = mv.slice_(computed, start=(1, 0), stop=(8, 8), step=(1, 1))
    padded = mv.slice_(computed, start=(0, 0), stop=(7, 8), step=(1, 1))
    graph = fused(rows + padded, computed)
    assert groups_of(graph) == [["exp"], ["add"]]


def test_views_of_inputs_are_no_obstacle() -> None:
    assert groups_of(fused(ew.exp(mv.permute(X, axes=(1, 0))) + mv.flip(X, axes=(1,)))) == [["exp", "add"]]


def test_different_shapes_stay_apart() -> None:
    graph = fused(ew.exp(X), ew.exp(leaf((4, 8), slot=1)))
    assert groups_of(graph) == [["exp"], ["exp"]]


def test_library_calls_stand_alone() -> None:
    graph = fused(ew.exp(matmul(ew.sin(X), X)))
    assert groups_of(graph) == [["sin"], ["matmul"], ["exp"]]
    assert refusals(graph) == ["matmul is a library call"]
    assert [group.is_library for group in graph.groups] == [False, True, False]


def test_two_kernels_with_a_library_call_between_them_stay_two() -> None:
    before = ew.exp(X)
    graph = fused(before + matmul(before, X))
    assert groups_of(graph) == [["exp"], ["matmul"], ["add"]]
    assert "another kernel has to run between them" in refusals(graph)


def test_the_way_through_a_third_group_may_be_long() -> None:
    before = ew.exp(X)
    between = matmul(ew.sin(matmul(before, X)), X)
    graph = fused(before * between)
    assert groups_of(graph) == [["exp"], ["matmul"], ["sin"], ["matmul"], ["mul"]]


def test_an_early_and_a_late_reader_merge_unless_a_call_lies_between() -> None:
    early, other = ew.exp(X), ew.cos(X)
    late = ew.sin(matmul(other, X)) + X
    graph = fused(early, late)
    assert ["exp", "cos"] in groups_of(graph)
    assert ["sin", "add"] in groups_of(graph)


def test_a_row_longer_than_the_cache_takes_two_kernels() -> None:
    fits, too_long = (leaf((2, size)) for size in (DEFAULT_LIMITS.row_elements, DEFAULT_LIMITS.row_elements + 1))
    assert len(fused(fits - total(fits, 1)).groups) == 1
    graph = fused(too_long - total(too_long, 1))
    assert groups_of(graph) == [["reduce_sum"], ["sub"]]
    assert "would not stay in cache" in refusals(graph)[0]


def test_a_long_softmax_is_right_in_several_kernels() -> None:
    values = np.random.default_rng(0).standard_normal((2, DEFAULT_LIMITS.row_elements + 3)).astype(np.float32)
    y = lg.softmax(lg.tensor(values), 1)
    assert lg.stages(y).plan_object.kernel_calls == 3
    exponentials = np.exp(values.astype(np.float64))
    np.testing.assert_allclose(y.numpy(), exponentials / exponentials.sum(1, keepdims=True), rtol=2e-4)


def test_kernels_have_at_most_so_many_ops() -> None:
    node = X
    for _ in range(2 * DEFAULT_LIMITS.ops):
        node = ew.exp(node)
    graph = fused(node)
    assert [len(group.nodes) for group in graph.groups] == [DEFAULT_LIMITS.ops] * 2
    assert any("exceed the limit" in reason for reason in refusals(graph))


def test_kernels_have_at_most_so_many_inputs() -> None:
    node = X
    for slot in range(1, 2 * DEFAULT_LIMITS.inputs):
        node = node + leaf((8, 8), slot=slot)
    graph = fused(node)
    assert len(graph.groups) > 1
    assert all(len(group.reads) <= DEFAULT_LIMITS.inputs for group in graph.groups)
    assert any("inputs of one kernel exceed" in reason for reason in refusals(graph))


def test_every_refusal_says_why() -> None:
    index = leaf((8, 8), int64, slot=3)
    picked = gather(ew.exp(X), index, axis=1, wraps=False)
    graph = fused(total(X - total(X, 1), 0) * 2, mv.permute(ew.exp(X), axes=(1, 0)) + picked, X / total(X, 0))
    assert refusals(graph)
    for decision in graph.decisions:
        same = graph.group_of[decision.a] is graph.group_of[decision.b]
        assert decision.reason
        assert same or not decision.fused
        assert graph.explain(decision.a, decision.b) == graph.explain(decision.b, decision.a) != []


def test_decisions_count_the_bytes_a_merge_saves() -> None:
    (decision,) = fused(ew.exp(X * 2)).decisions
    assert decision.fused and decision.bytes_saved == 8 * 8 * 4
    assert str(decision) == "mul and exp: fused: the value stays in the kernel (256 bytes)"


def test_the_fused_form_prints_groups_and_decisions() -> None:
    text = str(fused(ew.exp(matmul(X, X))))
    assert "group 0: library call" in text
    assert "group 1: kernel over [8, 8]" in text
    assert "decision: matmul and exp: not fused: matmul is a library call" in text


def test_groups_come_after_the_groups_they_read() -> None:
    x = realized(8, 8)
    y = lg.softmax(x @ x, 1) @ lg.softmax(x, 0) + x.T.exp()
    graph = lg.stages(y).plan_object.stages.fused
    assert graph is not None
    done: set[Node] = set()
    for group in graph.groups:
        assert {node for node in group.reads if node in graph.group_of} <= done
        done.update(group.nodes)
    assert done == {node for node in Graph(graph.graph.roots).nodes if node in graph.group_of}
