"""The forward sweep against the reverse sweep: both say the same about every op's Jacobian."""

from __future__ import annotations

import numpy as np
import pytest

from lazygrad.autodiff.forward import forward_sweep
from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import zeros_like
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import placeholder
from lazygrad.passes.decompose import decompose
from tests.reference import buffer_node, evaluate

from .case import Case, uniform
from .cases_structural import FIXED
from .test_gradcheck import CASES


def _direction(node: Node, seed: int) -> np.ndarray:
    """Random numbers of a node's shape, complex ones for a complex node."""
    direction = uniform(*node.shape, seed=seed)
    return direction + 1j * uniform(*node.shape, seed=seed + 100) if node.dtype.is_complex else direction


def _inner(first: np.ndarray, second: np.ndarray) -> float:
    """The real inner product, by which gradients of complex numbers are defined too."""
    return float(np.sum(np.conj(first) * second).real)


def check_tangents(case: Case) -> None:
    """``⟨w, J v⟩ = ⟨Jᴴ w, v⟩`` for random directions."""
    inputs = [buffer_node(np.asarray(array)) for array in case.arrays]
    directions = [_direction(node, 17 + i) for i, node in enumerate(inputs)]
    tangents = [buffer_node(direction) for direction in directions]
    output = case.build(*inputs)
    weight = _direction(output, 23)
    cotangent = buffer_node(weight)
    found = forward_sweep([output], dict(zip(inputs, tangents, strict=True)))
    pushed = found.get(output) or zeros_like(output)  # absent where nothing varies, as for sign
    assert pushed.type is output.type
    assert not any(node.op is placeholder for node in Graph([pushed]).nodes), "the cotangent is part of the tangent"
    pulled = reverse_sweep(output, cotangent, inputs)
    values = {
        **FIXED.values,
        cotangent: weight,
        **dict(zip(inputs, map(np.asarray, case.arrays), strict=True)),
        **dict(zip(tangents, directions, strict=True)),
    }
    computed = evaluate(decompose(Graph([pushed, *pulled.values()])), values)
    gradients = zip(pulled, computed[1:], strict=True)
    backward = sum(_inner(gradient, directions[inputs.index(node)]) for node, gradient in gradients)
    np.testing.assert_allclose(_inner(weight, computed[0]), backward, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", sorted(CASES))
def test_forward_and_reverse_agree(name: str) -> None:
    for case in CASES[name]:
        check_tangents(case)
