"""explain_fusion: why two tensors do or do not share a kernel."""

from __future__ import annotations

import pytest

import lazygrad as lg
from lazygrad.runtime.realize import cache
from tests.passes.programs import realized


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def test_a_chain_shares_a_kernel() -> None:
    doubled = realized(8, 8) * 2
    result = lg.exp(doubled)
    explanation = lg.explain_fusion(doubled, result)
    assert explanation.same_kernel
    assert "mul and exp share a kernel" in str(explanation)
    (decision,) = explanation.decisions
    assert decision.fused and decision.bytes_saved == 8 * 8 * 4


def test_the_order_of_the_two_does_not_matter() -> None:
    doubled = realized(8, 8) * 2
    result = lg.exp(doubled)
    explanations = [lg.explain_fusion(*pair) for pair in ((result, doubled), (doubled, result))]
    assert [explanation.same_kernel for explanation in explanations] == [True, True]
    assert [str(explanation.decisions[0]) for explanation in explanations] == [
        "mul and exp: fused: the value stays in the kernel (256 bytes)"
    ] * 2


def test_a_compound_operation_stands_for_all_its_parts() -> None:
    x = realized(8, 8)
    rows = lg.softmax(x, 1)
    columns = x.sum(0, keepdim=True)
    assert lg.explain_fusion(rows, columns).same_kernel, "a column sum that nothing waits for joins"


def test_of_a_softmax_over_the_other_axis_only_the_maximum_joins() -> None:
    rows = lg.softmax(realized(8, 8), 1)
    columns = lg.softmax(rows, 0)
    explanation = lg.explain_fusion(rows, columns)
    refused = [decision.reason for decision in explanation.decisions if not decision.fused]
    assert refused == ["reduce_max is complete only after the last row"]
    assert [str(decision.b.op.name) for decision in explanation.decisions if decision.fused] == ["reduce_max"]


def test_values_over_different_axes_that_both_go_on() -> None:
    x = realized(8, 8)
    row_sum = x.sum(1, keepdim=True)
    column_sum = x.sum(0, keepdim=True)
    rows = x - row_sum
    columns = x / column_sum
    explanation = lg.explain_fusion(rows, columns)
    assert not explanation.same_kernel
    assert all(decision.reason and not decision.fused for decision in explanation.decisions)
    assert "do not share a kernel" in repr(explanation)


def test_a_product_is_a_call_of_its_own() -> None:
    doubled = realized(8, 8) * 2
    product = doubled @ realized(8, 8)
    result = lg.exp(product)
    explanation = lg.explain_fusion(doubled, product)
    assert not explanation.same_kernel
    assert str(explanation.decisions[0]) == "mul and matmul: not fused: matmul is a library call (256 bytes)"
    assert len(explanation.decisions) == 1
    explanation = lg.explain_fusion(product, result)
    assert not explanation.same_kernel
    assert [decision.reason for decision in explanation.decisions] == ["matmul is a library call"]


def test_what_a_layer_reads_through_a_view() -> None:
    activation = lg.exp(realized(4, 8))
    layer = lg.nn.functional.linear(activation.T, realized(8, 4))
    decisions = lg.explain_fusion(layer, activation).decisions
    assert [(d.a.op.name, d.b.op.name, d.fused) for d in decisions] == [("exp", "matmul", False)]


def test_a_gradient_stands_for_what_computes_it() -> None:
    x = realized(8, 8, requires_grad=True)
    activation = lg.tanh(x)
    activation.sum().backward()
    assert x.grad is not None
    explanation = lg.explain_fusion(activation, x.grad)
    assert explanation.same_kernel
    assert str(explanation).startswith("tanh and grad share a kernel")


def test_a_product_between_two_kernels() -> None:
    before = lg.exp(realized(8, 8))
    product = before @ realized(8, 8)
    after = before + product
    explanation = lg.explain_fusion(before, after)
    assert not explanation.same_kernel
    assert [decision.reason for decision in explanation.decisions] == ["another kernel has to run between them"]


def test_two_operations_on_one_line_are_told_apart() -> None:
    x, y = realized(8, 8), realized(8, 8)
    pair = x * 2, (x * 2) @ y
    assert not lg.explain_fusion(*pair).same_kernel


def test_a_program_planned_before_from_another_line() -> None:
    x = realized(8, 8)
    doubled = x * 2
    lg.realize_all([doubled, lg.exp(doubled)])
    again = x * 2
    result = lg.exp(again)
    assert lg.explain_fusion(again, result).same_kernel


def test_realized_tensors_have_no_kernel() -> None:
    x = realized(3)
    with pytest.raises(RuntimeError, match="must be pending"):
        lg.explain_fusion(x, x + 1)
