"""The reverse sweep itself: which nodes it visits, in which order, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import ones_like, zeros_like
from lazygrad.ir.composites.optimizer import adam_first_moment
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import ShapeError
from tests.reference import buffer_node, run

VALUES = np.array([0.5, -1.0, 2.0])


def _leaf() -> Node:
    return buffer_node(VALUES)


def _evaluated(found: dict[Node, Node], values: dict[Node, np.ndarray]) -> dict[Node, np.ndarray]:
    return dict(zip(found, run(list(found.values()), values), strict=True))


def test_a_target_upstream_of_another_one() -> None:
    x = _leaf()
    middle = ew.exp(x)
    output = middle * middle + x
    gradients = _evaluated(reverse_sweep(output, ones_like(output), [x, middle, output]), {x: VALUES})
    np.testing.assert_allclose(gradients[output], np.ones(3))
    np.testing.assert_allclose(gradients[middle], 2 * np.exp(VALUES))
    np.testing.assert_allclose(gradients[x], 2 * np.exp(2 * VALUES) + 1)


def test_a_composite_whose_input_lies_upstream_of_another_input() -> None:
    moment, weight = _leaf(), buffer_node(np.array(0.1))
    gradient = ew.exp(moment)
    output = adam_first_moment(moment, gradient, weight)
    values = {moment: VALUES, weight: np.array(0.1)}
    found = _evaluated(reverse_sweep(output, ones_like(output), [moment, gradient, weight]), values)
    np.testing.assert_allclose(found[gradient], np.full(3, 0.1))
    np.testing.assert_allclose(found[moment], 0.9 + 0.1 * np.exp(VALUES))
    np.testing.assert_allclose(found[weight], np.sum(np.exp(VALUES) - VALUES))


def test_unreachable_targets_are_absent() -> None:
    x, other = _leaf(), _leaf()
    output = ew.sin(x)
    assert set(reverse_sweep(output, ones_like(output), [x, other])) == {x}


def test_only_the_path_between_targets_and_output_is_visited() -> None:
    x, y = _leaf(), _leaf()
    aside = ew.exp(y)
    middle = ew.sin(x)
    output = middle * aside
    visited: list[Node] = []

    def on_gradient(node: Node, gradient: Node) -> Node:
        visited.append(node)
        return gradient

    reverse_sweep(output, ones_like(output), [x], on_gradient)
    assert visited == [output, middle, x]


def test_on_gradient_sees_the_complete_gradient_once_and_may_replace_it() -> None:
    x = _leaf()
    middle = ew.exp(x)
    output = middle * 3 + middle * 4
    seen: list[Node] = []

    def on_gradient(node: Node, gradient: Node) -> Node:
        if node is not middle:
            return gradient
        seen.append(gradient)
        return gradient * 10

    found = reverse_sweep(output, ones_like(output), [x, middle], on_gradient)
    assert len(seen) == 1
    seen_value, at_middle, at_x = run([seen[0], found[middle], found[x]], {x: VALUES})
    np.testing.assert_allclose(seen_value, np.full(3, 7.0))
    np.testing.assert_allclose(at_middle, np.full(3, 70.0))
    np.testing.assert_allclose(at_x, 70 * np.exp(VALUES))


def test_a_custom_rule_replaces_the_op_of_one_node() -> None:
    x = _leaf()
    custom = ew.floor(x)
    output = custom + ew.floor(x)
    found = reverse_sweep(output, ones_like(output), [x], custom={custom: lambda g, y, source: g * 5})
    np.testing.assert_array_equal(_evaluated(found, {x: VALUES})[x], np.full(3, 5.0))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda g, y, a, b: g, "incorrect number of gradients .expected 2, got 1"),
        (lambda g, y, a, b: (rd.reduce_sum(g, axes=(0,)), g), "invalid gradient"),
        (lambda g, y, a, b: (ew.cast(g, dtype="float32"), g), "dtypes differ"),
    ],
)
def test_a_wrong_rule_is_caught_where_it_returns(rule: object, message: str) -> None:
    x, y = _leaf(), _leaf()
    output = x + y
    with pytest.raises(RuntimeError, match=f"backward of add.*{message}"):
        reverse_sweep(output, ones_like(output), [x, y], custom={output: rule})


def test_a_cotangent_of_another_type_is_refused() -> None:
    x = _leaf()
    with pytest.raises(ShapeError, match="does not fit"):
        reverse_sweep(x, x.like(1), [x])
    with pytest.raises(RuntimeError, match="f32"):
        reverse_sweep(x, ew.cast(zeros_like(x), dtype="float32"), [x])


def test_derivatives_carry_the_origin_of_what_they_differentiate() -> None:
    x = _leaf()
    output = ew.sin(x)
    output.origin = Origin(None, 0, "Net.0")
    found = reverse_sweep(output, ones_like(output), [x])
    labels = {str(node.origin) for node in Graph([found[x]]).nodes if node.op in (ew.cos, ew.mul)}
    assert labels == {"Net.0 (grad of sin)"}
