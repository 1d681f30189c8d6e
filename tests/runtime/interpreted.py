"""Tests in which nothing is planned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs


@contextmanager
def interpreting() -> Iterator[None]:
    """Within this context every program is computed node by node."""
    before = get_interpreted_runs()
    set_interpreted_runs(1 << 30)
    try:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
            yield
    finally:
        set_interpreted_runs(before)
