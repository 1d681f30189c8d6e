"""The garbage collector waits while plans are made, and goes on afterwards."""

from __future__ import annotations

import gc

import pytest

from lazygrad.host.collector import collector_waits


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
