"""Writes to expanded tensors, which name an element several times: as in PyTorch, only one number may fill them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")

REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "in place": lambda t, x: x.add_(1),
    "a copy": lambda t, x: x.copy_(t.ones(4, 3)),
    "random numbers": lambda t, x: x.normal_(),
    "out": lambda t, x: t.add(t.ones(4, 3), 1, out=x),
    "out of another shape": lambda t, x: t.add(t.ones(2), 1, out=x),
}
FILLED: dict[str, Callable[[Any, Any], Any]] = {
    "a number": lambda t, x: x.fill_(2),
    "zeros": lambda t, x: x.zero_(),
    "a part": lambda t, x: x[1:, :2].fill_(5),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    for t in (torch, lg):
        memory = t.zeros(4, 1)
        with pytest.raises(RuntimeError, match="single memory location"):
            REFUSED[name](t, memory.expand(4, 3))
        assert memory.tolist() == [[0.0]] * 4


@pytest.mark.parametrize("name", FILLED)
def test_filled(name: str) -> None:
    results = []
    for t in (torch, lg):
        memory = t.ones(4, 1)
        expanded = memory.expand(4, 3)
        assert FILLED[name](t, expanded) is not None
        results.append((memory.tolist(), expanded.tolist()))
    assert results[0] == results[1]
