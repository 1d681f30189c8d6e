"""The comparison with PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import data

from .programs import Program, outcome


@pytest.fixture
def agree() -> Callable[[Program], Any]:
    """Runs a program on both frameworks, asserts equal outcomes and returns the outcome."""
    torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    from torch.utils import data as torch_data

    def compare(program: Program) -> Any:
        expected = outcome(program, torch, torch_data)
        assert outcome(program, lg, data) == expected
        return expected

    return compare
