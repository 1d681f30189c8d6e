"""The two frameworks of the conformance tests."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


@pytest.fixture(scope="session")
def torch() -> Any:
    """The oracle; on one thread, because the tensors are small."""
    module = pytest.importorskip("torch", reason="torch is the oracle of the conformance tests, and is not installed")
    module.set_num_threads(1)
    return module


@pytest.fixture(scope="session")
def candidate() -> Any:
    """The framework under test: lazygrad, or what CONFORMANCE_CANDIDATE names (torch checks the cases themselves)."""
    return importlib.import_module(os.environ.get("CONFORMANCE_CANDIDATE", "lazygrad"))
