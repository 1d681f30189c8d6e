"""The oracle of the module tests."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="session")
def torch() -> Any:
    """PyTorch, on one thread because the tensors are small."""
    module = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    module.set_num_threads(1)
    return module
