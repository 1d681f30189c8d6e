"""The garbage collector waits while plans are made or programs interpreted, and goes on afterwards."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

import lazygrad as lg
from lazygrad.host.collector import collector_waits

from .interpreted import interpreting


def test_it_goes_on_after_the_outermost_context() -> None:
    with collector_waits():
        with collector_waits():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(KeyError), collector_waits():
        raise KeyError
    assert gc.isenabled()


def test_a_program_that_does_without_it_keeps_doing_so() -> None:
    gc.disable()
    try:
        with collector_waits():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def _collections_within(call: Callable[[], object]) -> int:
    seen: list[str] = []

    def look(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append(phase)

    gc.collect()
    gc.callbacks.append(look)
    try:
        call()
    finally:
        gc.callbacks.remove(look)
    return len(seen)


def test_an_interpreted_step_is_not_looked_through() -> None:
    """What it records and computes with is alive until it is done, so that each look would be for nothing."""
    parameters = [lg.ones(3, requires_grad=True) for _ in range(300)]
    optimizer = lg.optim.Adam(parameters, lr=0.1)
    with interpreting():
        for _ in range(3):
            sum(parameters, lg.zeros(3)).sum().backward()
            collections = _collections_within(optimizer.step)
    assert gc.isenabled()
    assert collections <= 1  # once it is done


def test_an_interpreted_program_is_not_looked_through() -> None:
    with interpreting():
        for _ in range(3):
            x = lg.ones(3)
            parts = [x * i for i in range(2000)]
            collections = _collections_within(lg.stack(parts).realize)
    assert collections <= 1
