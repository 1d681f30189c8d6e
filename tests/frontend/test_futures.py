"""`torch.futures`."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import lazygrad as lg


@pytest.fixture(params=["lazygrad", "torch"])
def futures(request: pytest.FixtureRequest, torch: Any) -> Any:
    return lg.futures if request.param == "lazygrad" else torch.futures


def test_a_value_that_is_set_by_another_thread(futures: Any) -> None:
    future = futures.Future()
    assert not future.done()
    threading.Timer(0.01, future.set_result, (3,)).start()
    assert future.wait() == 3 and future.value() == 3 and future.done()


def test_a_value_is_set_once(futures: Any) -> None:
    future = futures.Future()
    future.set_result(1)
    with pytest.raises(RuntimeError, match="Attempting to mark a completed Future as complete again"):
        future.set_result(2)
    assert future.wait() == 1


def test_there_is_no_value_before(futures: Any) -> None:
    with pytest.raises(RuntimeError):
        futures.Future().value()


def test_an_error_is_raised_where_the_value_is_wanted(futures: Any) -> None:
    future = futures.Future()
    future.set_exception(ValueError("broken"))
    for read in (future.wait, future.value):
        with pytest.raises(ValueError, match="broken"):
            read()
    after = future.then(lambda done: done.wait())
    with pytest.raises(RuntimeError, match="Got the following error when running the callback: ValueError: broken"):
        after.wait()


def test_only_exceptions_are_errors(futures: Any) -> None:
    with pytest.raises(AssertionError, match="not an Exception"):
        futures.Future().set_exception(3)


def test_callbacks_follow_in_order(futures: Any) -> None:
    future, seen = futures.Future(), []
    future.add_done_callback(lambda done: seen.append(done.value()))
    doubled = future.then(lambda done: done.value() * 2)
    future.set_result(4)
    assert doubled.wait() == 8 and seen == [4]


def test_several_are_waited_for(futures: Any) -> None:
    first, second = futures.Future(), futures.Future()
    both = futures.collect_all([first, second])
    first.set_result(1)
    assert not both.done()
    second.set_result(2)
    assert [future.wait() for future in both.wait()] == [1, 2] == futures.wait_all([first, second])


def test_the_class_is_at_the_top() -> None:
    assert lg.Future is lg.futures.Future
    assert lg.futures.collect_all([]).wait() == []
