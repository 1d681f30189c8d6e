"""Functions that run while numpy warns of nothing."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from lazygrad.host.quiet import quietly


def _divide(by: float) -> float:
    return float(np.float64(1) / np.float64(by))


def test_what_numpy_would_warn_of_is_a_value_inside_and_an_error_outside() -> None:
    with np.errstate(all="raise"):
        assert quietly(_divide, 0.0) == float("inf")
        with pytest.raises(FloatingPointError):
            _divide(0.0)


def test_such_functions_may_call_each_other() -> None:
    assert quietly(lambda: (quietly(_divide, 0.0), _divide(0.0))) == (float("inf"), float("inf"))


def test_an_error_comes_out_and_what_follows_is_quiet() -> None:
    with pytest.raises(ZeroDivisionError):
        quietly(lambda: 1 // 0)
    assert quietly(_divide, 0.0) == float("inf")


def test_threads_are_quiet_at_once() -> None:
    meeting, found = threading.Barrier(4), []

    def run() -> None:
        found.append(quietly(lambda: (meeting.wait(10), _divide(0.0))[1]))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [float("inf")] * 4
