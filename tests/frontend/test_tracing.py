"""Functions that record from a trace what they recorded before (`lazygrad.ops.arguments.tracing`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import Tensor
from lazygrad.ir.text import same_graph
from lazygrad.nn import functional as F
from lazygrad.ops.arguments.tracing import checking, traced


@traced
def scaled(x: Tensor, factor: Any = 2, *, shift: Any = None) -> Tensor:
    ran.append(factor)
    y = x * factor
    return y if shift is None else y + shift


ran: list[Any] = []


@pytest.fixture(autouse=True)
def _without_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks would run the functions whose runs are counted here."""
    monkeypatch.setattr(checking, "enabled", False)
    ran.clear()


def test_a_function_runs_twice_and_is_recorded_from_its_trace_then() -> None:
    graphs = [scaled(lg.ones(2, 3), 3, shift=lg.ones(3)).graph() for _ in range(4)]
    assert all(same_graph(graph, graphs[0]) for graph in graphs)
    assert len(ran) == 2
    losses = [str(F.mse_loss(lg.ones(2), lg.ones(2)).graph()) for _ in range(4)]
    assert len(set(losses)) == 1  # the user's lines included


def test_calls_with_one_tensor_twice_have_a_trace_of_their_own() -> None:
    @traced
    def joined(x: Tensor, y: Tensor) -> Tensor:
        ran.append(None)
        return x * 2 if x is y else x + y

    x, y = lg.ones(11), lg.ones(11) * 2
    for _ in range(4):
        assert joined(x, x).tolist() == [2.0] * 11
        assert joined(x, y).tolist() == [3.0] * 11
    assert len(ran) == 4
    assert joined(y, y).tolist() == [4.0] * 11
    assert len(ran) == 4


def test_operands_too_many_to_compare_are_traced_unless_some_are_equal() -> None:
    @traced
    def total(parts: list[Tensor]) -> Tensor:
        ran.append(None)
        return sum(parts[1:], parts[0])

    parts = [lg.ones(2) * i for i in range(40)]
    for _ in range(3):
        assert total([*parts[1:], parts[1]]).tolist() == [781.0] * 2
    assert len(ran) == 3
    for _ in range(2):
        assert total(parts).tolist() == [780.0] * 2
    ran.clear()
    assert total(parts).tolist() == [780.0] * 2
    assert total([*parts[1:], parts[1]]).tolist() == [781.0] * 2
    assert not ran


def test_functions_are_traced_in_inference_mode() -> None:
    weight = lg.ones(3, 3, requires_grad=True)
    with lg.inference_mode():
        for _ in range(4):
            found = scaled(scaled(weight, 3), 2)
            assert found.is_inference() and not found.requires_grad
            assert found.tolist() == [[6.0] * 3] * 3
    assert len(ran) == 4
    for _ in range(3):  # outside, an inference tensor is not what another tensor of its type is
        assert scaled(found, 2).tolist() == [[12.0] * 3] * 3
    assert len(ran) == 7


@pytest.mark.parametrize("other", [3.0, True, 4, "same names"])
def test_other_options_are_other_calls(other: Any) -> None:
    x = lg.ones(5)
    for _ in range(3):
        scaled(x, 3)
    ran.clear()
    if other == "same names":
        scaled(x, factor=3)
    else:
        assert scaled(x, other).dtype is (x * other).dtype
    assert len(ran) == 1


def test_zeros_of_both_signs_are_different_options() -> None:
    x = lg.ones(2)
    for _ in range(3):
        scaled(x, 0.0)
    assert str((1 / scaled(x, -0.0)).tolist()) == "[-inf, -inf]"


def test_operands_of_other_types_and_settings_are_other_calls() -> None:
    makers: list[Callable[[], Tensor]] = [
        lambda: lg.ones(7), lambda: lg.ones(1, 7), lambda: lg.ones(7, dtype=lg.float64),
        lambda: lg.ones(7, requires_grad=True), lambda: lg.arange(7),
    ]  # fmt: skip
    for make in makers:
        for _ in range(3):
            made, plain = scaled(make(), 1.5), make() * 1.5
            assert (made.dtype, made.shape, made.requires_grad) == (plain.dtype, plain.shape, plain.requires_grad)
    with lg.no_grad():
        assert not scaled(makers[3](), 1.5).requires_grad
    with lg.autocast("cuda" if lg.get_default_device().type == "cuda" else "cpu", lg.bfloat16):
        assert F.conv1d(lg.ones(1, 1, 4), lg.ones(1, 1, 2)).dtype is lg.bfloat16
    assert F.conv1d(lg.ones(1, 1, 4), lg.ones(1, 1, 2)).dtype is lg.float32


def test_one_tensor_in_two_places_is_not_two_tensors() -> None:
    @traced
    def difference(x: Tensor, y: Tensor) -> Tensor:
        return x - y

    x, y = lg.tensor([1.0, 2.0]), lg.tensor([5.0, 5.0])
    for _ in range(3):
        assert difference(x, x).tolist() == [0, 0]
    for _ in range(3):
        assert difference(x, y).tolist() == [-4, -3]
    assert difference(x, x).tolist() == [0, 0]


def test_gradients_flow_through_what_a_trace_recorded() -> None:
    for _ in range(3):
        x = lg.tensor([1.0, -2.0], requires_grad=True)
        F.mse_loss(scaled(x, 3), lg.zeros(2)).backward()
        assert x.grad is not None and x.grad.tolist() == [9, -18]


def test_what_is_no_function_of_its_operands_is_run_every_time() -> None:
    kept = lg.ones(2).realize()

    @traced
    def with_captured(x: Tensor) -> Tensor:
        ran.append(x)
        return x + kept

    @traced
    def the_argument(x: Tensor) -> Tensor:
        ran.append(x)
        return x

    for _ in range(4):
        assert with_captured(lg.ones(2)).tolist() == [2, 2]
        x = lg.ones(2)
        assert the_argument(x) is x
        kept.add_(0)
    assert len(ran) == 8


def test_several_results_and_none() -> None:
    @traced
    def parts(x: Tensor, second: Tensor | None) -> tuple[Tensor | None, ...]:
        ran.append(x)
        return x + 1, None if second is None else second * x, x * 2

    for _ in range(4):
        first, none, last = parts(lg.ones(2), None)
        assert (first.tolist(), none, last.tolist()) == ([2, 2], None, [2, 2])
        assert [part.tolist() for part in parts(lg.ones(2), lg.full((2,), 3.0))] == [[2, 2], [3, 3], [2, 2]]
    assert len(ran) == 4


def test_named_results_keep_their_names() -> None:
    x = lg.tensor([[1.0, 3.0, 2.0]], requires_grad=True)
    for _ in range(4):
        largest = lg.max(x, dim=1)
        assert type(largest) is lg.return_types.max
        assert (largest.values.tolist(), largest.indices.tolist()) == ([3], [1])
        assert lg.autograd.grad(largest.values.sum(), x)[0].tolist() == [[0, 1, 0]]


def test_memory_that_outside_code_sees_is_read_when_it_is_recorded() -> None:
    for _ in range(3):
        x = lg.ones(2)
        array = x.numpy()
        y = scaled(x, 7)
        array[0] = 5
        assert y.tolist() == (lg.ones(2) * 7).tolist() or y.tolist() == [35, 7]
        assert (scaled(x, 7) - 7 * x).tolist() == [0, 0]


def test_an_element_repeated_over_memory_that_code_outside_sees_runs_the_function() -> None:
    array = np.ones(1)  # each reader of the repeated element makes a node for itself
    for _ in range(2):
        scaled(lg.from_numpy(array).expand(13), 7)
    assert len(ran) == 2
    for _ in range(4):
        scaled(lg.ones(13, dtype=lg.float64), 7)
    assert len(ran) == 4
    checking.enabled = True
    assert scaled(lg.from_numpy(array).expand(13), 7).tolist() == [7.0] * 13
    array += 1
    assert scaled(lg.from_numpy(array).expand(13), 7).tolist() == [14.0] * 13


def test_transforms_run_the_function() -> None:
    x = lg.arange(6.0).reshape(3, 2)
    for _ in range(3):
        scaled(x, 2)
    assert lg.vmap(lambda row: scaled(row, 2))(x).tolist() == (x * 2).tolist()
    assert lg.func.grad(lambda row: scaled(row, 2).sum())(x).tolist() == [[2, 2]] * 3


def test_a_function_that_records_something_else_is_found_by_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter(range(10))

    @traced
    def impure(x: Tensor) -> Tensor:
        return x + float(next(counts)) * 1.5

    for _ in range(2):
        impure(lg.ones(2))
    monkeypatch.setattr(checking, "enabled", True)
    with pytest.raises(AssertionError, match="impure records something else"):
        impure(lg.ones(2))


def test_inference_mode_elsewhere_changes_nothing() -> None:
    with lg.inference_mode():
        kept = scaled(lg.ones(11), 3)
        assert kept.is_inference()
    for _ in range(4):
        assert not scaled(lg.ones(11), 3).is_inference()
        assert scaled(kept, 3).tolist() == [9.0] * 11
    assert len(ran) == 1 + 2 + 4
