"""The differentiate pass: recorded `grad` nodes become ordinary ones, to any depth."""

from __future__ import annotations

import numpy as np
import pytest

from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import ones_like, reduce_sum, reshape
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.verify import verify
from lazygrad.passes.differentiate import differentiate
from tests.reference import buffer_node, run

VALUES = np.array([0.5, -1.0, 2.0])


def _gradient(output: Node, target: Node) -> Node:
    return grad(output, ones_like(output), target)


def _expanded(*roots: Node) -> Graph:
    graph = differentiate(Graph(roots))
    verify(graph, frozenset(Kind) - {Kind.GRADIENT})
    return graph


def _values(roots: list[Node], values: dict[Node, np.ndarray]) -> list[np.ndarray]:
    return run(list(_expanded(*roots).roots), values)


def test_a_graph_without_gradients_stays_the_same_object() -> None:
    graph = Graph([ew.sin(buffer_node(VALUES))])
    assert differentiate(graph) is graph


def test_nested_gradients() -> None:
    x = buffer_node(VALUES)
    first = _gradient(x * x * x * x, x)
    second = _gradient(first, x)
    third = _gradient(second, x)
    computed = _values([first, second, third], {x: VALUES})
    for value, expected in zip(computed, (4 * VALUES**3, 12 * VALUES**2, 24 * VALUES), strict=True):
        np.testing.assert_allclose(value, expected)


def test_the_gradient_of_a_step_function_is_zeros() -> None:
    x = buffer_node(VALUES)
    (computed,) = _values([_gradient(ew.floor(x), x)], {x: VALUES})
    np.testing.assert_array_equal(computed, np.zeros(3))


def test_a_target_that_the_output_is_not_computed_from_is_an_error() -> None:
    x, other = buffer_node(VALUES), buffer_node(VALUES)
    with pytest.raises(RuntimeError, match="the history between them is gone"):
        _values([_gradient(ew.sin(x), other)], {x: VALUES, other: VALUES})


def test_targets_of_one_output_share_a_sweep() -> None:
    x, y = buffer_node(VALUES), buffer_node(VALUES)
    output = ew.sin(x * y)
    cotangent = ones_like(output)
    graph = _expanded(grad(output, cotangent, x), grad(output, cotangent, y))
    assert sum(node.op is ew.cos for node in graph.nodes) == 1


def test_gradients_that_are_one_node_are_two_variables() -> None:
    x, y = buffer_node(VALUES), buffer_node(VALUES)
    total = x + y
    cotangent = ones_like(total)
    into_x, into_y = grad(total, cotangent, x), grad(total, cotangent, y)
    mixed = into_x * 2 + into_y * 3
    computed = _values([_gradient(mixed, into_x), _gradient(mixed, into_y)], {x: VALUES, y: VALUES})
    np.testing.assert_array_equal(computed[0], np.full(3, 2.0))
    np.testing.assert_array_equal(computed[1], np.full(3, 3.0))


def test_two_detached_leaves_of_one_value_stay_two() -> None:
    x = buffer_node(VALUES)
    first, second = leaf.mark_detached(x), leaf.mark_detached(x)
    output = first * 2 + second * 3
    computed = _values([_gradient(output, first), _gradient(output, second)], {x: VALUES})
    np.testing.assert_array_equal(computed[0], np.full(3, 2.0))
    np.testing.assert_array_equal(computed[1], np.full(3, 3.0))


def test_a_gradient_step_is_differentiated_through() -> None:
    x = buffer_node(VALUES)
    loss = reshape(reduce_sum(x * x, (0,)), ())
    stepped = x - _gradient(loss, x) * 0.1
    (computed,) = _values([_gradient(stepped * stepped, x)], {x: VALUES})
    np.testing.assert_allclose(computed, 2 * 0.8 * 0.8 * VALUES)


def test_nodes_off_every_gradient_are_kept_as_they_are() -> None:
    x = buffer_node(VALUES)
    aside = ew.exp(x)
    graph = _expanded(aside, _gradient(ew.sin(x), x))
    assert graph.roots[0] is aside


def test_names_follow() -> None:
    x = buffer_node(VALUES)
    graph = differentiate(Graph([_gradient(ew.sin(x), x)], {x: "weight"}))
    assert graph.names == {x: "weight"}


def test_the_pass_and_the_sweep_agree() -> None:
    x = buffer_node(VALUES)
    output = ew.tanh(x * 2)
    swept = reverse_sweep(output, ones_like(output), [x])[x]
    passed, direct = _values([_gradient(output, x), swept], {x: VALUES})
    np.testing.assert_array_equal(passed, direct)
