"""What the tests of this folder leave behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .programs import MODELS_ALIVE


@pytest.fixture(autouse=True)
def nothing_pending() -> Iterator[None]:
    """Parameters that were filled and never computed would be part of the next test's program."""
    yield
    MODELS_ALIVE.clear()
