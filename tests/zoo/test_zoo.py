"""Networks in PyTorch's words: lazygrad trains them to PyTorch's losses, and infers PyTorch's outputs.

How long that takes, ``python -m tests.benchmarks zoo`` measures.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest

from .catalogue import ENTRIES, NAMES
from .loading import infer, train

BATCH, STEPS = 3, 3


@pytest.mark.parametrize("name", NAMES)
def test_trains_as_torch_does(name: str, torch: Any) -> None:
    ours, theirs = (
        list(islice(train(name, library, BATCH, tiny=True), STEPS + 1)) for library in ("lazygrad", "torch")
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_infers_as_torch_does(name: str, torch: Any) -> None:
    ours, theirs = (list(islice(infer(name, library, 1, tiny=True), STEPS)) for library in ("lazygrad", "torch"))
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_every_file_is_used() -> None:
    assert {entry.path for entry in ENTRIES.values()} == set(ENTRIES["gpt"].path.parent.glob("*.py"))
