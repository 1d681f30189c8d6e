"""Which spelled-out attentions become one call, and that nothing as large as their scores is stored then."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf

import pytest

import lazygrad as lg
from lazygrad.ir.dtype import bool_
from lazygrad.ir.node import tensor_type
from lazygrad.ir.primitives.attention import attend, attend_gradients
from lazygrad.nn import functional as F
from lazygrad.runtime.plan import Plan
from lazygrad.tensor import Tensor
from tests.passes.programs import realized

BATCH, HEADS, LENGTH, WIDTH = 2, 3, 96, 8
flags = tensor_type((LENGTH, LENGTH), bool_)
Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) * (1.0 / math.sqrt(WIDTH))


def causal_by_a_buffer(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    seen = realized(1, 1, 2 * LENGTH, 2 * LENGTH)
    return F.softmax(scores(q, k).masked_fill(seen[:, :, :LENGTH, :LENGTH] == 0, float("-inf")), dim=-1) @ v


def by_einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (lg.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(WIDTH)).softmax(dim=-1)
    return lg.einsum("bhqk,bhkd->bhqd", weights, v)


RECOGNIZED: dict[str, Attention] = {
    "the function": lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
    "the function, causal": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    "products and a softmax": lambda q, k, v: scores(q, k).softmax(-1) @ v,
    "without a scale": lambda q, k, v: lg.softmax((q * 0.3) @ k.mT, -1) @ v,
    "a scale in front": lambda q, k, v: lg.softmax(0.3 * (q @ k.mT), -1) @ v,
    "einsum": by_einsum,
    "a mask in a buffer": causal_by_a_buffer,
    "a mask of keys": lambda q, k, v: (scores(q, k) + realized(BATCH, 1, 1, LENGTH)).softmax(-1) @ v,
    "a large negative number": lambda q, k, v: scores(q, k).masked_fill(
        ~(realized(LENGTH, LENGTH) > 0), -1e9).softmax(-1) @ v,
    "where": lambda q, k, v: lg.where(realized(LENGTH, LENGTH) > 0, scores(q, k), -inf).softmax(-1) @ v,
}  # fmt: skip


def returning_probabilities(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    probabilities = scores(q, k).softmax(-1)
    return probabilities @ v + probabilities.sum()


LEFT_ALONE: dict[str, Attention] = {
    "probabilities that are read": returning_probabilities,
    "a softmax over queries": lambda q, k, v: scores(q, k).softmax(-2) @ v,
    "dropped probabilities": lambda q, k, v: F.dropout(scores(q, k).softmax(-1), 0.5) @ v,
    "a scale of every head": lambda q, k, v: (q @ k.mT * realized(HEADS, 1, 1)).softmax(-1) @ v,
}  # fmt: skip


def plan_of(*tensors: Tensor | None) -> Plan:
    """The plan that computes some tensors."""
    lg.realize_all([tensor for tensor in tensors if tensor is not None])
    plan = lg.last_step().plan_object
    assert isinstance(plan, Plan)
    return plan


def called(plan: Plan) -> list[str]:
    return [group.nodes[0].op.name for group in plan.schedule.steps if group.is_library]


def gradient_plan(attention: Attention) -> Plan:
    x = [realized(BATCH, HEADS, LENGTH, WIDTH, requires_grad=True) for _ in range(3)]
    attention(*x).square().sum().backward()
    return plan_of(*[leaf.grad for leaf in x])


def assert_small(plan: Plan) -> None:
    """Nothing that is computed and stored is as large as a head's scores, but for flags that the user computes."""
    inputs = set(plan.schedule.inputs)
    for node in (*plan.memory.slots, *plan.schedule.destinations):
        assert node in inputs or node.shape[-2:] != (LENGTH, LENGTH) or node.type == flags, node


@pytest.mark.parametrize("name", RECOGNIZED)
def test_attention_is_one_call(name: str) -> None:
    plan = plan_of(RECOGNIZED[name](*[realized(BATCH, HEADS, LENGTH, WIDTH) for _ in range(3)]))
    assert called(plan) == [attend.name]
    assert_small(plan)


@pytest.mark.parametrize("name", RECOGNIZED)
def test_its_gradient_is_one_call_too(name: str) -> None:
    plan = gradient_plan(RECOGNIZED[name])
    assert sorted(called(plan)) == [attend.name, attend_gradients.name]
    assert_small(plan)


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_reads_scores_keeps_them(name: str) -> None:
    assert attend.name not in called(gradient_plan(LEFT_ALONE[name]))


def test_the_gradient_of_a_learned_bias_reads_scores() -> None:
    q, k, v = (realized(BATCH, HEADS, LENGTH, WIDTH, requires_grad=True) for _ in range(3))
    bias = realized(LENGTH, LENGTH, requires_grad=True)
    ((scores(q, k) + bias * 2).softmax(-1) @ v).square().sum().backward()
    assert attend.name not in called(plan_of(q.grad, bias.grad))


@pytest.mark.parametrize("length", [8, 64])
def test_few_scores_are_computed_by_products(length: int) -> None:
    q, k, v = (realized(BATCH, HEADS, length, WIDTH) for _ in range(3))
    for attention in (RECOGNIZED["the function"], RECOGNIZED["products and a softmax"]):
        assert called(plan_of(attention(q, k, v))) == ["matmul", "matmul"]


def test_layers_around_a_softmax_are_products() -> None:
    x, first, second = realized(128, 100), realized(100, 128), realized(128, 10)
    assert called(plan_of(lg.softmax(x @ first, -1) @ second)) == ["matmul", "matmul"]


def test_probabilities_that_somebody_holds_are_computed() -> None:
    q, k, v = (realized(BATCH, HEADS, LENGTH, WIDTH) for _ in range(3))
    probabilities = scores(q, k).softmax(-1)
    assert called(plan_of(probabilities @ v)) == ["matmul", "matmul"]
    assert probabilities.sum().item() == pytest.approx(BATCH * HEADS * LENGTH)


def test_a_loss_that_was_read_keeps_no_scores_for_its_gradient() -> None:
    x = [realized(BATCH, HEADS, LENGTH, WIDTH, requires_grad=True) for _ in range(3)]
    loss = causal_by_a_buffer(*x).square().sum()
    assert_small(plan_of(loss))
    loss.backward()
    plan = plan_of(*[leaf.grad for leaf in x])
    assert called(plan) == [attend_gradients.name]
    assert_small(plan)
