"""What is said on the standard error while somebody waits."""

from __future__ import annotations

import threading
import time

import pytest

from lazygrad.inspect import patience
from lazygrad.targets.c import library


@pytest.mark.parametrize("is_being_built", [True, False])
def test_a_library_that_is_being_compiled_is_mentioned_once(
    is_being_built: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(patience._Said, "library", False)
    monkeypatch.setattr(library, "is_loaded", lambda: False)
    state, looked = library._State(), threading.Event()
    monkeypatch.setattr(library, "_state", state)
    ask = library.is_being_built
    monkeypatch.setattr(library, "is_being_built", lambda: (looked.set(), ask())[1])
    with patience.waiting_for_library(0.001):
        assert looked.wait(30), "it has begun to look"
        state.is_being_built = is_being_built
        end = time.monotonic() + 30
        while is_being_built and not patience._Said.library and time.monotonic() < end:
            time.sleep(0.001)
    with patience.waiting_for_library(0.001):
        pass
    said = capsys.readouterr().err
    assert said.count("compiling functions of the C library, once for this machine") == is_being_built
