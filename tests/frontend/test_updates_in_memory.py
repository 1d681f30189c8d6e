"""In-place arithmetic that is done at once, in the memory of computed elements, and where it must not be."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

Update = Callable[[Any, Any, Any], Any]


def _positions(like: Any) -> Any:
    return like.new_tensor([3, 0, 3, 3, 1], dtype=like.argmax().dtype)  # of 64-bit integers


UPDATES: dict[str, Update] = {
    "add_": lambda x, y, z: x.add_(y),
    "add_ alpha": lambda x, y, z: x.add_(y, alpha=0.3),
    "add_ number": lambda x, y, z: x.add_(0.1),
    "add_ integer": lambda x, y, z: x.add_(3),
    "iadd": lambda x, y, z: x.__iadd__(y),
    "sub_ alpha": lambda x, y, z: x.sub_(y, alpha=1.7),
    "mul_": lambda x, y, z: x.mul_(y),
    "mul_ number": lambda x, y, z: x.mul_(0.99),
    "mul_ large number": lambda x, y, z: x.mul_(1e300),
    "div_": lambda x, y, z: x.div_(y),
    "div_ number": lambda x, y, z: x.div_(3),
    "lerp_": lambda x, y, z: x.lerp_(y, 0.1),
    "lerp_ far": lambda x, y, z: x.lerp_(y, 0.7),
    "addcmul_": lambda x, y, z: x.addcmul_(y, z, value=0.7),
    "addcdiv_": lambda x, y, z: x.addcdiv_(y, z, value=-0.01),
    "addcdiv_ 1": lambda x, y, z: x.addcdiv_(y, z),
    "a row": lambda x, y, z: x.mul_(y[0]),
    "itself": lambda x, y, z: x.add_(x),
    "a part": lambda x, y, z: x[1:3].mul_(z[1:3]),
    "index_add_": lambda x, y, z: x.index_add_(0, _positions(x), y),
    "index_add_ to columns": lambda x, y, z: x.index_add_(-1, _positions(x), y),
    "index_add_ to a row": lambda x, y, z: x[2].index_add_(0, _positions(x), y[1]),
    "scatter_add_": lambda x, y, z: x.scatter_add_(1, _positions(x)[:, None].expand(5, 4), y),
    "scatter_ and add": lambda x, y, z: x.scatter_(0, _positions(x)[None], y[:1], reduce="add"),
    "scatter_ and add a number": lambda x, y, z: x.scatter_(0, _positions(x)[None], 0.1, reduce="add"),
    "a column": lambda x, y, z: x[:, 2].add_(y[:, 0], alpha=2),
}  # fmt: skip


def numbers(framework: Any, seed: int, dtype: str = "float32") -> Any:
    values = np.random.default_rng(seed).standard_normal((5, 5)).astype(dtype)
    return framework.tensor(values)


@pytest.mark.host_memory("what numpy updates at once")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", UPDATES)
def test_an_update_in_memory_has_the_bits_of_a_recorded_one(
    name: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    operands = [numbers(lg, seed, dtype) for seed in range(3)]
    UPDATES[name](*operands)
    assert operands[0]._storage.value.value is not None  # it was done
    monkeypatch.setattr(lg.Tensor, "memory_to_write", lambda *arguments: None)
    recorded = [numbers(lg, seed, dtype) for seed in range(3)]
    UPDATES[name](*recorded)
    np.testing.assert_array_equal(operands[0].numpy(), recorded[0].numpy())


@pytest.mark.parametrize("name", UPDATES)
def test_a_parameter_is_updated_where_it_lies(name: str, torch: Any) -> None:
    results = []
    for framework in (lg, torch):
        x, y, z = [numbers(framework, seed) for seed in range(3)]
        x.requires_grad_()
        with framework.no_grad():
            UPDATES[name](x, y, z)
            UPDATES[name](x.data, y, z)
        results.append((x.detach().numpy(), x._version, x.requires_grad, x.is_leaf))
        (x * x).sum().backward()
        results[-1] += (x.grad.numpy(),)
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-6)
    assert results[0][1:4] == results[1][1:4]
    np.testing.assert_allclose(results[0][4], results[1][4], rtol=1e-6)


def test_what_was_recorded_before_has_the_old_elements() -> None:
    x, y = numbers(lg, 0), numbers(lg, 1)
    before = x.numpy().copy()
    doubled = x * 2
    x.add_(y)
    np.testing.assert_array_equal(doubled.numpy(), before * 2)


def test_a_history_that_is_kept_has_the_old_elements(torch: Any) -> None:
    gradients = []
    for framework in (lg, torch):
        weight, x = numbers(framework, 0).requires_grad_(), numbers(framework, 1)
        loss = (weight.exp() * x).sum()  # needs no value of the weight for its gradient but the exponential's
        with framework.no_grad():
            weight.mul_(0.5)
        loss.backward()
        gradients.append(weight.grad.numpy())
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-6)


def test_a_value_that_a_gradient_needs_is_missed(torch: Any) -> None:
    for framework in (lg, torch):
        weight = numbers(framework, 0).requires_grad_()
        loss = (weight * weight).sum()
        with framework.no_grad():
            weight.add_(1.0)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


def test_a_leaf_is_refused_while_gradients_are_recorded() -> None:
    weight = numbers(lg, 0).requires_grad_()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"):
        weight.mul_(0.5)
    np.testing.assert_array_equal(weight.detach().numpy(), numbers(lg, 0).numpy())


def test_a_gradient_flows_from_an_operand() -> None:
    x, weight = numbers(lg, 0), numbers(lg, 1).requires_grad_()
    x.mul_(weight)
    assert x.requires_grad
    x.sum().backward()
    np.testing.assert_array_equal(weight.grad.numpy(), numbers(lg, 0).numpy())


@pytest.mark.parametrize(
    ("update", "error"),
    [
        (lambda x: x.add_(lg.ones(3, 5, 5)), "doesn't match the broadcast shape"),
        (lambda x: x.lerp_(lg.ones(5, 5, dtype=lg.float64), 0.5), "expected dtype"),
        (lambda x: x.mul_(1j), "can't be cast"),
        (lambda x: x.add_(lg.ones(5, 5), alpha=True), "alpha"),
        (lambda x: x.expand(2, 5, 5).mul_(2.0), "more than one element|single memory location"),
    ],
)
def test_what_is_refused_changes_nothing(update: Callable[[lg.Tensor], Any], error: str) -> None:
    x = numbers(lg, 0)
    with pytest.raises(RuntimeError, match=error):
        update(x)
    assert x._version == 0
    np.testing.assert_array_equal(x.numpy(), numbers(lg, 0).numpy())


@pytest.mark.host_memory("what numpy updates at once")
def test_an_array_over_the_memory_sees_the_update() -> None:
    x = numbers(lg, 0)
    array = x.numpy()
    x.mul_(2.0)
    np.testing.assert_array_equal(array, 2 * numbers(lg, 0).numpy())


def test_large_values_and_values_to_come_are_recorded() -> None:
    large = lg.zeros(1 << 15).realize()
    large.add_(1.0)
    assert large._storage.value.value is None
    pending = numbers(lg, 0) + 1.0
    pending.mul_(2.0)
    assert pending._storage.value.value is None


@pytest.mark.host_memory("what numpy updates at once")
def test_a_loop_that_reads_nothing_records_nothing() -> None:
    weight = (numbers(lg, 0) + 1.0).requires_grad_()
    with lg.no_grad():
        for _ in range(3):
            weight.data.mul_(0.5).add_(numbers(lg, 1), alpha=0.5)
            assert weight._storage.value.value is not None


def test_compile_replays_such_updates() -> None:
    average, weight = numbers(lg, 0), numbers(lg, 1)

    @lg.compile
    def update(x: lg.Tensor) -> lg.Tensor:
        average.mul_(0.5).add_(x, alpha=0.5)
        return average.sum()

    expected = numbers(lg, 0).numpy()
    for _ in range(6):
        expected = expected * np.float32(0.5) + weight.numpy() * np.float32(0.5)
        np.testing.assert_allclose(float(update(weight)), expected.sum(), rtol=1e-5)
        np.testing.assert_allclose(average.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_updates_among_readers_aliases_and_gradients(seed: int, torch: Any) -> None:
    """Random programs: updates of parameters and of other tensors, with values, views and losses that wait."""
    trajectories = [_program(framework, random.Random(seed)) for framework in (lg, torch)]
    for mine, theirs in zip(*trajectories, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def _program(framework: Any, choice: random.Random) -> list[np.ndarray]:
    tensors = [numbers(framework, seed) for seed in range(4)]
    tensors[0].requires_grad_()
    waiting: list[Any] = []
    read: list[np.ndarray] = []
    for _ in range(24):
        x, y, z = choice.sample(tensors, 3)
        kind = choice.randrange(7)
        if kind <= 2:
            update = choice.choice([name for name in UPDATES if "large" not in name and "div" not in name])
            with framework.no_grad():
                UPDATES[update](x.data if choice.random() < 0.5 else x, y.detach(), z.detach())
                x.mul_(0.5)
                x.clamp_(-3, 3)
        elif kind == 3:
            waiting.append((x.detach() * 2 + y.detach())[1:4])
        elif kind == 4:
            waiting.append(x.detach().t())
        elif kind == 5:
            loss = (tensors[0].tanh() * y.detach().clone()).sum()
            loss.backward()
            read.append(tensors[0].grad.numpy().copy())
            tensors[0].grad = None
        elif waiting:
            read.append(waiting.pop(choice.randrange(len(waiting))).numpy().copy())
    return [*read, *[each.detach().numpy().copy() for each in (*tensors, *waiting)]]
