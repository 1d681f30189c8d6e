"""However a DataLoader with workers ends, it says why, and leaves no process behind, nor memory, which has no name."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import lazygrad

ROOT = Path(lazygrad.__file__).parent.parent

BEGINNING = """
import os, signal, sys, threading, time, warnings
import numpy as np
from lazygrad import data

warnings.simplefilter("ignore", DeprecationWarning)


class Large:
    def __init__(self, length, at=None, action=None):
        self.length, self.at, self.action = length, at, action

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if index == self.at:
            self.action()
        return np.full((100, 100), index)


def pids(iterator):
    return [worker.process.pid for worker in iterator._crew.workers]


def all_gone(processes, seconds=10.0):
    deadline = time.monotonic() + seconds
    while any(is_alive(each) for each in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def is_alive(process):
    try:
        return open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
"""


def start(body: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", BEGINNING + textwrap.dedent(body)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def run(body: str) -> str:
    process = start(body)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert not error, error
    return out


def test_a_worker_that_is_killed_and_one_that_ends() -> None:
    run("""
    for action, how in [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "killed by SIGKILL, perhaps for want of memory"),
        (lambda: os._exit(3), "with status 3"),
    ]:
        iterator = iter(data.DataLoader(Large(30, 7, action), num_workers=2))
        processes = pids(iterator)
        try:
            for count, batch in enumerate(iterator):
                assert (batch == count).all()
            raise AssertionError
        except RuntimeError as error:
            text = str(error)
            assert text.startswith("DataLoader worker (pid(s) ") and text.endswith(f"exited unexpectedly, {how}"), text
        assert count == 6 and all_gone(processes)
        assert list(iterator) == []
        assert len(list(data.DataLoader(Large(4), num_workers=2))) == 4
    """)


@pytest.mark.whole
def test_a_timeout() -> None:
    run("""
    iterator = iter(data.DataLoader(Large(6, 3, lambda: time.sleep(60)), num_workers=2, timeout=0.7))
    processes, begin = pids(iterator), time.monotonic()
    import lazygrad.data.crew
    lazygrad.data.crew._SECONDS_TO_END = 0.3
    try:
        list(iterator)
        raise AssertionError
    except RuntimeError as error:
        assert str(error) == "DataLoader timed out after 0.7 seconds"
    assert all_gone(processes) and time.monotonic() - begin < 30
    """)


@pytest.mark.whole
def test_no_memory_is_an_error_of_the_batch() -> None:
    run("""
    def refuse(descriptor, offset, size):
        raise OSError(28, "No space left on device")

    real = os.posix_fallocate
    loader = data.DataLoader(Large(4), num_workers=1, worker_init_fn=lambda _: setattr(os, "posix_fallocate", refuse))
    try:
        list(loader)
        raise AssertionError
    except MemoryError as error:
        assert "a worker found no memory for a batch of" in str(error) and "No space left" in str(error)
    assert os.posix_fallocate is real
    """)


def test_loaders_that_are_left_forgotten_and_nested() -> None:
    run("""
    loader = data.DataLoader(Large(50), num_workers=2)
    processes = []
    for batch in loader:
        iterator = iter(data.DataLoader(Large(3), num_workers=1))
        processes += pids(iterator)
        assert len(list(iterator)) == 3
        if batch[0, 0, 0] == 2:
            break
    kept = data.DataLoader(Large(5), num_workers=2, persistent_workers=True)
    iterator = iter(kept)
    processes += pids(iterator)
    assert len(list(iterator)) == len(list(kept)) == 5 and not all_gone(processes, 0.0)
    child = os.fork()
    if child == 0:
        del iterator, kept  # the other process' workers go on
        os._exit(0)
    os.waitpid(child, 0)
    assert len(list(kept)) == 5
    del iterator, kept
    assert all_gone(processes)
    last = iter(data.DataLoader(Large(50), num_workers=2, persistent_workers=True))
    next(last)
    """)


@pytest.mark.whole
def test_large_indices_and_large_texts_pass_each_other() -> None:
    """Both processes have more to say than fits into a pipe."""
    run("""
    class Texts(Large):
        def __getitem__(self, index):
            return "x" * 10_000

    loader = data.DataLoader(Texts(20_000), batch_size=10_000, num_workers=1, prefetch_factor=4, collate_fn=len)
    assert list(loader) == [10_000, 10_000]
    batches = [[0] * 30_000] * 4
    some = lambda batch: batch[:300]
    loader = data.DataLoader(Texts(1), batch_sampler=batches, num_workers=1, prefetch_factor=4, collate_fn=some)
    assert [sum(map(len, batch)) for batch in loader] == [3_000_000] * 4
    """)


@pytest.mark.parametrize("interrupted", ["ctrl-c", "kill"])
def test_an_interrupted_training(interrupted: str) -> None:
    process = start("""
    iterator = iter(data.DataLoader(Large(10_000, 40, lambda: time.sleep(0.5)), num_workers=2))
    next(iterator)
    print(*pids(iterator), flush=True)
    try:
        for batch in iterator:
            pass
    except KeyboardInterrupt:
        del iterator
        raise
    """)
    assert process.stdout is not None
    workers = [int(each) for each in process.stdout.readline().split()]
    assert len(workers) == 2
    if interrupted == "kill":
        process.kill()
        expected = -9
    else:
        os.killpg(process.pid, 2)
        expected = -2
    _, error = process.communicate(timeout=60)
    assert process.returncode == expected
    assert error.count("Traceback") == (interrupted == "ctrl-c"), error
    namespace: dict[str, object] = {}
    exec(BEGINNING.split("class Large")[0] + BEGINNING[BEGINNING.index("def all_gone") :], namespace)
    assert namespace["all_gone"](workers)  # type: ignore[operator]
