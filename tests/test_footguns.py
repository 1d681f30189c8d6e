"""The silent traps of lazy evaluation, each with the behaviour lazygrad promises."""

from __future__ import annotations

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.runtime.realize import cache


def test_a_buffer_overwritten_under_a_pending_reader_keeps_its_old_value() -> None:
    x = lg.tensor([1.0, 2.0]).realize()
    pending = x * 10
    x += 1
    x.realize()
    assert pending.tolist() == [10.0, 20.0]
    assert x.tolist() == [2.0, 3.0]


def test_an_optimizer_step_does_not_change_predictions_recorded_before_it() -> None:
    weight = lg.tensor([2.0], requires_grad=True)
    optimizer = lg.optim.SGD([weight], lr=0.5)
    prediction = weight * 3
    loss = (prediction - 1).square().sum()
    loss.backward()
    optimizer.step()
    assert prediction.item() == 6.0
    assert weight.item() == 2.0 - 0.5 * 2 * (6 - 1) * 3


def test_metrics_accumulated_without_realizing_are_right_and_do_not_keep_the_steps_alive() -> None:
    total = lg.zeros(())
    x = lg.ones(4)
    for step in range(50):
        loss = (x * float(step)).sum()
        total += loss.detach()
    assert total.item() == 4 * sum(range(50))
    assert not total.node().inputs, "a realized value without gradient forgets how it was computed"


def test_a_scalar_that_changes_each_step_does_not_compile_anew() -> None:
    x = lg.ones(8).realize()
    (x * 0.123 + 0.7).realize()
    misses = cache.misses
    for rate in (0.1, 0.017, 0.9, 123.5):
        values = (x * rate + 0.7).tolist()  # outside the assert, which would hold on to the intermediate tensor
        assert values == pytest.approx([rate + 0.7] * 8)
    assert cache.misses == misses


def test_reading_a_loss_before_backward_does_not_run_the_forward_twice() -> None:
    x = lg.randn(16, 8)
    weight = lg.randn(4, 8).requires_grad_()
    hidden = lg.tanh(x @ weight.T)
    loss = (hidden @ weight).square().mean()
    loss.item()
    forward_calls = cache.last.library_calls
    assert forward_calls == 2
    loss.backward()
    weight.grad.realize()
    both = cache.last
    products = [n for n in both.stages.primitive.nodes if n.op.name == "matmul"]
    assert len(products) == 3, "the backward has three products of its own; the two of the forward are not repeated"


def test_from_numpy_shares_memory() -> None:
    array = np.array([1.0, 2.0], dtype=np.float32)
    shared, copied = lg.from_numpy(array), lg.tensor(array)
    doubled = shared * 2
    array[0] = 100
    assert doubled.tolist() == [2.0, 4.0], "pending work reads what was there when it was recorded"
    assert copied.tolist() == [1.0, 2.0], "lg.tensor copied"
    shared += 1
    assert array.tolist() == [101.0, 3.0], "an in-place update lands in the array"
    assert shared.tolist() == [101.0, 3.0]


def test_printing_inside_a_step_changes_no_result() -> None:
    def step(noisy: bool) -> list[float]:
        lg.manual_seed(0)
        weight = lg.randn(3, 3).requires_grad_()
        hidden = lg.relu(weight @ weight)
        if noisy:
            repr(hidden), str(weight), bool(hidden.sum() > 0)
        loss = hidden.sum()
        if noisy:
            float(loss)
        loss.backward()
        return weight.grad.flatten().tolist()

    assert step(noisy=True) == pytest.approx(step(noisy=False), rel=1e-6)


def test_dropout_draws_afresh_in_every_step_of_one_plan() -> None:
    x = lg.ones(1000)
    lg.nn.functional.dropout(x, 0.5).realize()
    misses = cache.misses
    first = lg.nn.functional.dropout(x, 0.5).tolist()
    second = lg.nn.functional.dropout(x, 0.5).tolist()
    assert first != second
    assert cache.misses == misses


def test_a_pending_random_tensor_has_one_value() -> None:
    x = lg.nn.functional.dropout(lg.ones(100), 0.5)
    assert (x - x).abs().sum().item() == 0
    assert x.tolist() == x.tolist()


def test_recording_in_a_loop_does_not_recurse() -> None:
    x = lg.zeros(())
    for _ in range(20_000):
        x = x + 1
    assert x.item() == 20_000


def test_gradients_accumulate_over_steps_without_growing_the_graph() -> None:
    weight = lg.ones(2, requires_grad=True)
    for _ in range(20):
        (weight * 2).sum().backward()
        weight.grad.realize()
    assert weight.grad.tolist() == [40.0, 40.0]
    assert not weight.grad.node().inputs


def test_a_value_donated_to_an_update_stays_readable_through_a_detached_alias() -> None:
    weight = lg.ones(3, requires_grad=True)
    before = weight.detach().clone()
    loss = (weight * 5).sum()
    loss.backward()
    with lg.no_grad():
        weight -= weight.grad
    weight.realize()
    assert before.tolist() == [1.0, 1.0, 1.0]
    assert weight.tolist() == [-4.0, -4.0, -4.0]


def test_an_error_in_one_expression_leaves_its_operands_usable() -> None:
    a, b = lg.ones(3), lg.ones(4)
    with pytest.raises(RuntimeError, match="must match"):
        a + b
    assert (a + 1).tolist() == [2.0, 2.0, 2.0]
