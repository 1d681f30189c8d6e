"""The comparison with PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import data
from tests.oracle.comparing import assert_equal

from .programs import Program, outcome


@pytest.fixture
def agree() -> Callable[[Program], Any]:
    """Runs a program on both frameworks, asserts equal outcomes and returns what it gave."""
    torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    from torch.utils import data as torch_data

    def compare(program: Program) -> Any:
        result, expected = outcome(program, torch, torch_data)
        assert_equal(expected, outcome(program, lg, data)[1], slack=0)
        return result

    return compare
