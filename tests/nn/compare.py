"""Comparing lazygrad's tensors and modules with PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def values(tensor: Any) -> NDArray[Any]:
    """The elements of either framework's tensor."""
    return np.array(tensor.detach().numpy())


def assert_close(actual: Any, expected: Any, tolerance: float = 1e-5) -> None:
    """Asserts equal shapes and dtypes, and values that differ by at most ``tolerance`` of the largest magnitude."""
    have, want = values(actual), values(expected)
    assert have.shape == want.shape
    assert have.dtype == want.dtype
    scale = max(1.0, float(np.abs(want).max(initial=0.0)))
    np.testing.assert_allclose(have, want, rtol=0, atol=tolerance * scale)


def assert_same_state(actual: dict[str, Any], expected: dict[str, Any], tolerance: float) -> None:
    """Asserts that two ``state_dict()``s have the same names in the same order, and the same values."""
    assert list(actual) == list(expected)
    for name, value in expected.items():
        assert_close(actual[name], value, tolerance)
