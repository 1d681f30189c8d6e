"""Where a derivative does not exist, or the obvious formula gives NaN, PyTorch's choice is ours."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

import numpy as np
import pytest

from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import ones_like
from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites.attention import attention
from lazygrad.ir.composites.loss import cross_entropy
from lazygrad.ir.composites.random import philox_dropout
from lazygrad.ir.dtype import float32, int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.pointwise import pointwise
from tests.reference import buffer_node, run

TIED = [3.0, 1.0, 3.0, 2.0]


def _gradients(build: Callable[..., Node], *values: object) -> list[np.ndarray]:
    """The gradients of the sum of ``build(*inputs)``."""
    arrays = [np.asarray(value, dtype=np.float64) for value in values]
    inputs = [buffer_node(array) for array in arrays]
    output = build(*inputs)
    found = reverse_sweep(output, ones_like(output), inputs)
    return run([found[node] for node in inputs], dict(zip(inputs, arrays, strict=True)))


@pytest.mark.parametrize(
    ("build", "value", "expected"),
    [
        (ew.abs_, [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]),
        (act.relu, [-2.0, 0.0, 2.0, nan], [0.0, 0.0, 1.0, 1.0]),
        (lambda x: act.leaky_relu(x, slope=0.1), [0.0, 1.0], [0.1, 1.0]),
        (lambda x: act.elu(x, alpha=0.5), [0.0, 800.0], [0.5, 1.0]),
        (lambda x: act.softplus(x, beta=1.0, threshold=20.0), [800.0, -800.0], [1.0, 0.0]),
        (act.logsigmoid, [-800.0, 800.0], [1.0, 0.0]),
        (ew.sign, [0.0, 1.5], [0.0, 0.0]),
        (lambda x: rd.reduce_max(x, axes=(0,)), TIED, [0.5, 0.0, 0.5, 0.0]),
        (lambda x: rd.reduce_min(x, axes=(0,)), [1.0, 1.0, 1.0, 2.0], [1 / 3, 1 / 3, 1 / 3, 0.0]),
        (lambda x: ew.pow_(x, x.like(0)), [0.0, 2.0], [0.0, 0.0]),
        (lambda x: ew.pow_(x, x.like(1)), [0.0, 2.0], [1.0, 1.0]),
        (lambda x: rd.reduce_prod(x, axes=(0,)), [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
        (lambda x: rd.reduce_prod(x, axes=(0,)), [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    ],
)
def test_at_a_kink_or_a_zero(build: Callable[..., Node], value: list[float], expected: list[float]) -> None:
    np.testing.assert_allclose(_gradients(build, value)[0], expected)


@pytest.mark.parametrize("op", [ew.maximum, ew.minimum])
def test_a_tie_gives_half_to_each_operand(op: Callable[..., Node]) -> None:
    first, second = _gradients(op, [1.0, 2.0], [1.0, 2.0])
    np.testing.assert_array_equal(first, [0.5, 0.5])
    np.testing.assert_array_equal(second, [0.5, 0.5])


def test_a_zero_base_has_no_infinite_logarithm() -> None:
    base, exponent = _gradients(ew.pow_, [0.0, 0.0, 2.0], [0.0, 2.0, 3.0])
    np.testing.assert_allclose(base, [0.0, 0.0, 12.0])
    np.testing.assert_allclose(exponent, [0.0, 0.0, 8 * np.log(2)])


def test_atan2_at_the_origin_is_zero() -> None:
    first, second = _gradients(ew.atan2, [0.0], [0.0])
    assert first == 0 and second == 0


def test_straight_through_takes_one_value_and_the_other_gradient() -> None:
    value, path = (buffer_node(np.array([x])) for x in (0.3, 0.7))
    output = leaf.straight_through(ew.round_(value), path * 2)
    found = reverse_sweep(output, ones_like(output), [value, path])
    assert value not in found
    computed = run([output, found[path]], {value: np.array([0.3]), path: np.array([0.7])})
    assert [array.item() for array in computed] == [0.0, 2.0]


def test_what_moves_with_a_parameter_has_the_slope_as_its_gradient() -> None:
    value, parameter, slope = (buffer_node(np.array([x])) for x in (0.3, 0.7, 5.0))
    output = leaf.moving_with(value, parameter * 2, slope)
    found = reverse_sweep(output, ones_like(output), [value, parameter, slope])
    assert list(found) == [parameter]
    data = {value: np.array([0.3]), parameter: np.array([0.7]), slope: np.array([5.0])}
    assert [array.item() for array in run([output, found[parameter]], data)] == [0.3, 10.0]


def test_detach_cuts() -> None:
    x = buffer_node(np.ones(2))
    output = leaf.mark_detached(x) * x
    (gradient,) = run([reverse_sweep(output, ones_like(output), [x])[x]], {x: np.array([2.0, 3.0])})
    np.testing.assert_array_equal(gradient, [2.0, 3.0])


def test_integer_inputs_get_no_gradient() -> None:
    x, index = buffer_node(np.ones(3)), buffer_node(np.array([0, 2]))
    output = ix.take(x, index)
    assert set(reverse_sweep(output, ones_like(output), [x, index])) == {x}


def test_a_gradient_through_a_cast_has_the_input_dtype() -> None:
    x = buffer_node(np.ones(3, dtype=np.float32))
    output = ew.cast(x, dtype="float64") * 2
    assert reverse_sweep(output, ones_like(output), [x])[x].dtype is float32


def test_a_half_input_of_a_composite_gets_a_half_gradient() -> None:
    x = buffer_node(np.ones((2, 3), dtype=np.float16))
    output = act.gelu(x, approximate="none")
    assert reverse_sweep(output, ones_like(output), [x])[x].type is x.type


def test_an_ignored_target_costs_nothing() -> None:
    logits, target = np.array([[1.0, 2.0], [3.0, -inf]]), np.array([-100, 0])
    x, t = buffer_node(logits), buffer_node(target)
    output = cross_entropy(x, t, axis=1, ignore_index=-100, label_smoothing=0.0)
    found = reverse_sweep(output, ones_like(output), [x])[x]
    loss, gradient = run([output, found], {x: logits, t: target})
    np.testing.assert_array_equal(loss[:, 0], [0.0, 0.0])
    np.testing.assert_array_equal(gradient, np.zeros((2, 2)))


def test_a_query_without_keys_attends_to_nothing() -> None:
    values = np.ones((2, 2))
    x, mask = buffer_node(values), buffer_node(np.zeros((2, 2), dtype=bool))
    output = attention(x, x, x, mask, is_causal=False, scale=1.0)
    found = reverse_sweep(output, ones_like(output), [x])[x]
    computed, gradient = run([output, found], {x: values, mask: np.zeros((2, 2), dtype=bool)})
    np.testing.assert_array_equal(computed, np.zeros((2, 2)))
    np.testing.assert_array_equal(gradient, np.zeros((2, 2)))


def test_dropout_drops_the_same_elements_backward() -> None:
    x = buffer_node(np.ones(1000))
    output = philox_dropout(x, leaf.runtime_number(1, int64), leaf.runtime_number(2, int64), p=0.25)
    found = reverse_sweep(output, ones_like(output), [x])[x]
    forward, gradient = run([output, found], {x: np.ones(1000)})
    np.testing.assert_array_equal(forward, gradient)
    assert set(np.unique(forward)) == {0.0, 1 / 0.75}
    assert 0.2 < np.mean(forward == 0) < 0.3


def test_what_has_no_derivative_says_so_when_it_is_asked_for() -> None:
    order, x = buffer_node(np.ones(2)), buffer_node(np.ones(2))
    output = pointwise(order, x, function="gammainc")
    assert list(reverse_sweep(output, ones_like(output), [x])) == [x]
    with pytest.raises(NotImplementedError, match="gammainc"):
        reverse_sweep(output, ones_like(output), [order])
