"""What tests of layers share."""

from __future__ import annotations

import pytest


@pytest.fixture
def numbers_of_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dropout and its kin draw PyTorch's numbers on every device. By default they do on the CPU alone."""
    for name in ("dropout", "softmax", "piecewise_activations"):
        monkeypatch.setattr(f"lazygrad.ops.layers.{name}.drawn_inside", lambda device: False)
