"""Comparing lazygrad's modules with PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle.comparing import assert_close


def values(tensor: Any) -> NDArray[Any]:
    """The elements of either framework's tensor."""
    return np.array(tensor.detach().numpy())


def assert_same_state(actual: dict[str, Any], expected: dict[str, Any], slack: float = 1.0) -> None:
    """Asserts that two ``state_dict()``s have the same names in the same order, and the same values."""
    assert list(actual) == list(expected)
    for name, value in expected.items():
        assert_close(actual[name], value, slack)
