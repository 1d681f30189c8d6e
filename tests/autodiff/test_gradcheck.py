"""Every pullback in float64 against central differences, to the order its op allows."""

from __future__ import annotations

import numpy as np
import pytest

from lazygrad.autodiff.registry import NotDifferentiable, pullback_entry
from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import reduce_sum, reshape
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, registry
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.passes.decompose import decompose
from tests.reference import buffer_node, evaluate

from . import (
    cases_alignment,
    cases_attention,
    cases_complex,
    cases_composites,
    cases_elementwise,
    cases_gradients,
    cases_linear_algebra,
    cases_recurrence,
    cases_special,
    cases_structural,
    cases_update_rules,
)
from .case import Case
from .cases_structural import FIXED

CASES = {
    **cases_elementwise.CASES,
    **cases_structural.CASES,
    **cases_alignment.CASES,
    **cases_attention.CASES,
    **cases_recurrence.CASES,
    **cases_composites.CASES,
    **cases_gradients.CASES,
    **cases_linear_algebra.CASES,
    **cases_special.CASES,
    **cases_update_rules.CASES,
}
for _name, _cases in cases_complex.CASES.items():
    CASES[_name] = [*CASES.get(_name, []), *_cases]
# Checked in test_conventions.py instead.
WITHOUT_CASE = {
    "philox_uniform": "none of its inputs is a float",
    "class_index": "its input is no float",
    "straight_through": "its gradient is not that of its value",
    "moving_with": "its gradient is not that of its value",
    "cast_float8": "its values are steps, and its gradient is that of the identity",
    "copy": "it takes two devices that compute: tests/devices",
    **dict.fromkeys(("ldl", "ldl_solve", "geqrf"), "its derivative raises NotImplementedError"),
}
STEP = 1e-5


def _differentiable_ops() -> list[str]:
    differentiable = [name for name, op in registry.items() if not isinstance(pullback_entry(op), NotDifferentiable)]
    return [name for name in differentiable if name not in WITHOUT_CASE]


def _contracted(values: list[Node], constants: dict[Node, np.ndarray]) -> Node:
    """A scalar that depends on every element of ``values``: the sum of each times random coefficients."""
    random = np.random.default_rng(len(constants))
    total: Node | None = None
    for value in values:
        coefficients = random.uniform(0.5, 1.5, value.shape)
        node = buffer_node(coefficients)
        constants[node] = coefficients
        for part in (ew.real(value), ew.imag(value)) if value.dtype.is_complex else (value,):
            term = reshape(reduce_sum(part * node, tuple(range(value.rank))), ())
            total = term if total is None else total + term
    assert total is not None
    return total


def _central_differences(scalar: Node, inputs: list[Node], values: dict[Node, np.ndarray]) -> list[np.ndarray]:
    graph = decompose(Graph([scalar]))
    slopes = []
    for node in inputs:
        slope = np.zeros_like(values[node])
        for place in np.ndindex(node.shape):
            for direction in (1, 1j) if node.dtype.is_complex else (1,):
                at = []
                for step in (STEP, -STEP):
                    moved = values[node].copy()
                    moved[place] += step * direction
                    at.append(evaluate(graph, {**values, node: moved})[0].item())
                slope[place] += (at[0] - at[1]) / (2 * STEP) * direction
        slopes.append(slope)
    return slopes


def check_gradients(case: Case) -> None:
    """Compare gradients of random contractions with central differences, order by order."""
    assert case.order >= 1
    inputs = [buffer_node(np.asarray(array)) for array in case.arrays]
    values = {**FIXED.values, **{node: np.asarray(a) for node, a in zip(inputs, case.arrays, strict=True)}}
    scalar = _contracted([case.build(*inputs)], values)
    for order in range(1, case.order + 1):
        found = reverse_sweep(scalar, scalar.like(1), inputs)
        if not found:
            assert order > 1, "no gradient reaches any input"
            return
        slopes = _central_differences(scalar, inputs, values)
        computed = evaluate(decompose(Graph(found.values())), values)
        gradients = dict(zip(found, computed, strict=True))
        for position, (node, slope) in enumerate(zip(inputs, slopes, strict=True)):
            gradient = gradients.get(node, np.zeros(node.shape))
            np.testing.assert_allclose(gradient, slope, rtol=1e-5, atol=1e-6,
                                       err_msg=f"order {order}, input {position}")  # fmt: skip
        scalar = _contracted(list(found.values()), values)


@pytest.mark.parametrize("name", _differentiable_ops())
def test_gradient_equals_central_differences(name: str) -> None:
    assert name in CASES, f"{name} has a pullback but no gradient-check case"
    for case in CASES[name]:
        output = case.build(*[buffer_node(np.asarray(array)) for array in case.arrays])
        assert any(node.op is registry[name] for node in Graph([output]).nodes)
        check_gradients(case)


def test_every_primitive_has_a_rule_or_a_reason() -> None:
    without = [op.name for op in registry.values() if op.kind is not Kind.COMPOSITE and pullback_entry(op) is None]
    assert without == []


def test_no_case_is_left_over() -> None:
    assert set(CASES) <= set(_differentiable_ops())
