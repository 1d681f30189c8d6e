"""parallel_for: coverage, nesting, errors, forks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from lazygrad.host.processors import free_processors
from lazygrad.host.threads import get_num_threads, parallel_for, set_num_threads


@pytest.fixture(autouse=True)
def four_threads() -> Iterator[None]:
    before = get_num_threads()
    set_num_threads(4)
    yield
    set_num_threads(before)


def chunks_of(extent: int, grain: int) -> list[tuple[int, int]]:
    chunks: list[tuple[int, int]] = []
    parallel_for(lambda start, stop: chunks.append((start, stop)), extent, grain)
    return sorted(chunks)


@pytest.mark.parametrize("grain", [1, 3, 1000])
@pytest.mark.parametrize("extent", [1, 2, 3, 7, 100])
def test_chunks_cover_the_range_once(extent: int, grain: int) -> None:
    chunks = chunks_of(extent, grain)
    assert [start for start, _ in chunks] == [0, *(stop for _, stop in chunks[:-1])]
    assert chunks[-1][1] == extent
    assert len(chunks) <= 4
    assert len(chunks) == 1 or min(stop - start for start, stop in chunks) >= grain


def test_an_empty_range_calls_nothing() -> None:
    assert chunks_of(0, 1) == []


def test_little_work_and_one_thread_run_inline() -> None:
    seen: list[int] = []
    parallel_for(lambda start, stop: seen.append(threading.get_ident()), 100, 100)
    set_num_threads(1)
    parallel_for(lambda start, stop: seen.append(threading.get_ident()), 100)
    assert seen == [threading.get_ident()] * 2


def test_chunks_run_at_the_same_time() -> None:
    all_there = threading.Barrier(4)
    parallel_for(lambda start, stop: all_there.wait(timeout=10) and None, 4)
    assert not all_there.broken


def test_nested_calls_run_inline() -> None:
    inner: list[tuple[int, int]] = []

    def outer_chunk(start: int, stop: int) -> None:
        thread = threading.get_ident()

        def inner_chunk(first: int, last: int) -> None:
            assert threading.get_ident() == thread
            inner.append((first, last))

        parallel_for(inner_chunk, 50)

    parallel_for(outer_chunk, 4)
    assert inner == [(0, 50)] * 4
    assert len(chunks_of(4, 1)) == 4  # the calling thread is out of its parallel section again


def test_the_error_of_the_first_failing_chunk_is_raised_after_all_have_ended() -> None:
    ended: list[int] = []

    def fail_in_the_middle(start: int, stop: int) -> None:
        ended.append(start)
        if start in (1, 2):
            raise KeyError(start)

    for _ in range(20):
        ended.clear()
        with pytest.raises(KeyError, match="1"):
            parallel_for(fail_in_the_middle, 4)
        assert sorted(ended) == [0, 1, 2, 3]
    assert len(chunks_of(4, 1)) == 4


def test_several_threads_may_call_at_once() -> None:
    totals = np.zeros((6, 1000), np.int64)

    def add_one(row: int) -> None:
        def chunk(start: int, stop: int) -> None:
            totals[row, start:stop] += 1

        for _ in range(50):
            parallel_for(chunk, 1000)

    callers = [threading.Thread(target=add_one, args=(row,)) for row in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert (totals == 50).all()


def test_workers_do_not_warn_about_floats() -> None:
    everyone = threading.Barrier(4)
    caller = threading.get_ident()

    def divide(start: int, stop: int) -> None:
        everyone.wait(timeout=10)
        if threading.get_ident() != caller:
            np.ones(1) / np.zeros(1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_for(divide, 4)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
def test_a_forked_child_has_its_own_pool() -> None:
    assert len(chunks_of(4, 1)) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks in multi-threaded processes
        child = os.fork()
    if child == 0:
        try:
            all_there = threading.Barrier(4)
            parallel_for(lambda start, stop: all_there.wait(timeout=10) and None, 4)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize("count", [0, -1])
def test_a_thread_count_must_be_positive(count: int) -> None:
    with pytest.raises(RuntimeError, match=f"expects a positive integer, but got {count}"):
        set_num_threads(count)


@pytest.mark.parametrize("count", [1.0, "2", True, None])
def test_a_thread_count_must_be_an_int(count: object) -> None:
    with pytest.raises(TypeError, match=f"expects an int, but got {type(count).__name__}"):
        set_num_threads(count)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "expected"), [("1", "1"), ("999999", str(free_processors())), ("", str(free_processors()))]
)
def test_the_environment_limits_the_threads(setting: str, expected: str) -> None:
    command = "from lazygrad.host.threads import get_num_threads; print(get_num_threads())"
    environment = {**os.environ, "LAZYGRAD_NUM_THREADS": setting}
    run = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == expected


def test_a_senseless_environment_setting_is_refused() -> None:
    environment = {**os.environ, "LAZYGRAD_NUM_THREADS": "two"}
    run = subprocess.run(
        [sys.executable, "-c", "import lazygrad.host.threads"], env=environment, capture_output=True, text=True
    )
    assert run.returncode != 0
    assert "LAZYGRAD_NUM_THREADS must be a positive integer, not 'two'" in run.stderr
