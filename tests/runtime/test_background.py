"""The background thread: order, failures, forks, and the end of the program."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lazygrad.host import background
from lazygrad.host.background import is_pending, submit, wait
from tests.runtime.toolchains import compiler_script, fresh_process, needs_compiler, wait_as_for_a_compiler


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    background.wait_for_all()  # what earlier tests left to do
    monkeypatch.setattr(background, "_worker", background._Worker())
    with fresh_process(monkeypatch, tmp_path / "cache"):
        yield


def test_work_is_done_in_order_by_one_thread() -> None:
    seen: list[tuple[int, str]] = []
    for number in range(5):
        submit(number, lambda number=number: seen.append((number, threading.current_thread().name)))
    assert wait(4)
    assert seen == [(number, "lazygrad-background") for number in range(5)]


def test_the_same_work_is_not_done_twice_at_a_time() -> None:
    gate, calls = threading.Event(), []
    submit("gate", gate.wait)
    for _ in range(3):
        submit("work", lambda: calls.append(1))
    assert is_pending("work") and not wait("work", timeout=0.01)
    gate.set()
    assert wait("work") and not is_pending("work")
    assert calls == [1]
    submit("work", lambda: calls.append(2))
    assert wait("work") and calls == [1, 2]


def test_quick_work_waits_for_no_other_work() -> None:
    gate = threading.Event()
    submit("slow", gate.wait)
    try:
        submit("quick", lambda: None, is_quick=True)
        assert wait("quick", timeout=10) and is_pending("slow")
    finally:
        gate.set()
    assert wait("slow")


def test_turns_are_short_while_there_is_work() -> None:
    usual, seen = sys.getswitchinterval(), []
    submit("looks", lambda: seen.append(sys.getswitchinterval()))
    assert wait("looks") and seen[0] < usual
    wait_until(lambda: sys.getswitchinterval() == usual)


def test_turns_that_the_program_changes_stay_so() -> None:
    usual, gate = sys.getswitchinterval(), threading.Event()
    submit("gate", gate.wait)
    try:
        wait_until(lambda: sys.getswitchinterval() < usual)
        sys.setswitchinterval(0.02)
        gate.set()
        submit("after", lambda: None)
        assert wait("after")
        assert sys.getswitchinterval() == pytest.approx(0.02)
    finally:
        gate.set()
        sys.setswitchinterval(usual)


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_waiting_for_nothing() -> None:
    assert wait("never submitted")


def test_failures_are_warned_of_once() -> None:
    def fail() -> None:
        raise ValueError("the reason")

    with pytest.warns(RuntimeWarning, match="numpy is used instead: the reason") as warned:
        for number in range(3):
            submit(number, fail)
        assert wait(2)
    assert len(warned) == 1


@pytest.mark.filterwarnings("error")
def test_warnings_that_are_errors_do_not_end_the_thread() -> None:
    calls = []
    submit("fails", lambda: 1 / 0)
    submit("works", lambda: calls.append(1))
    assert wait("works") and calls == [1]


def test_a_forked_child_forgets_and_can_work() -> None:
    gate = threading.Event()
    submit("gate", lambda: wait_as_for_a_compiler(gate))
    child = os.fork()
    if child == 0:
        forgotten = wait("gate", timeout=0) and not is_pending("gate")
        calls: list[int] = []
        submit("gate", lambda: calls.append(1))
        os._exit(0 if forgotten and wait("gate", timeout=5) and calls == [1] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    gate.set()
    assert wait("gate")


@needs_compiler
def test_the_program_ends_while_the_compiler_runs(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    body = f'case "$*" in *object.c*) echo $$ >> {pids}; sleep 100;; esac; exec "$REAL" "$@"'
    program = f"""if True:
        import os, time
        from lazygrad.host import background
        from lazygrad.targets.c.build import build
        for name in "ab":
            background.submit(name, lambda name=name: build(f"int {{name}};", name))
        while not (os.path.exists({str(pids)!r}) and os.path.getsize({str(pids)!r})):
            time.sleep(0.01)
        """
    environment = os.environ | {"CC": str(compiler_script(tmp_path / "cc", body))}
    start = time.monotonic()
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert time.monotonic() - start < 30
    assert run.stderr == ""
    (pid,) = pids.read_text().split()
    assert not Path(f"/proc/{pid}").exists()
    assert not list((tmp_path / "cache").glob(".building-*"))
