"""The team of threads: every unit is done once, whoever does it, and nobody is waited for who has nothing to do."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest

from .library import LIBRARY, needs_compiler

pytestmark = needs_compiler

STRESS = Path(__file__).with_name("team_stress.c")
_built = TemporaryDirectory(prefix="lazygrad_team_")  # removed when the process ends
PART = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


@cache
def stress_program(*flags: str) -> Path:
    program = Path(mkdtemp(dir=_built.name)) / "stress"
    sources = [str(STRESS), str(LIBRARY.parent / "team.c")]
    subprocess.run(
        ["gcc", "-std=gnu11", "-O2", "-g", "-pthread", f"-I{LIBRARY}", *flags, *sources, "-o", str(program)], check=True
    )
    return program


@cache
def team_alone() -> ctypes.CDLL:
    """The team without the library."""
    built = Path(mkdtemp(dir=_built.name)) / "team.so"
    source = str(LIBRARY.parent / "team.c")
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-pthread", source, "-o", str(built)], check=True)
    return ctypes.CDLL(str(built))


def has_thread_sanitizer() -> bool:
    source = "int main(void) { return 0; }"
    command = ["gcc", "-fsanitize=thread", "-x", "c", "-", "-o", str(Path(_built.name) / "probe")]
    return subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0


@pytest.mark.parametrize(("threads", "callers"), [(1, 1), (2, 1), (5, 1), (2, 3), (7, 3)])
def test_every_unit_is_done_once(threads: int, callers: int) -> None:
    command = [str(stress_program()), "2000", str(threads), str(callers)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not has_thread_sanitizer(), reason="gcc's thread sanitizer is not installed")
@pytest.mark.parametrize("callers", [1, 3])
def test_the_thread_sanitizer_sees_no_race(callers: int) -> None:
    command = ["setarch", "-R", str(stress_program("-fsanitize=thread")), "300", "4", str(callers)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "WARNING: ThreadSanitizer" not in done.stderr, done.stderr[-4000:]


def share(run: Callable[[int, int], None], extent: int, threads: int) -> None:
    """``lg_share`` with a grain of 1. What ``run`` raises would only be printed."""
    library = team_alone()
    library.lg_share.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, PART, ctypes.c_void_p]
    library.lg_share.restype = None
    team = ctypes.c_int32(threads)
    library.lg_share(ctypes.addressof(team), extent, 1, PART(lambda _, begin, end: run(begin, end)), None)


def test_a_second_caller_does_not_wait_for_the_first_one() -> None:
    team_alone()
    inside, goes_on = threading.Event(), threading.Event()

    def wait(begin: int, end: int) -> None:
        inside.set()
        goes_on.wait(60)

    first = threading.Thread(target=share, args=(wait, 16, 3))
    first.start()
    assert inside.wait(60)
    done: list[int] = []
    share(lambda begin, end: done.extend(range(begin, end)), 100, 3)
    assert first.is_alive() and done == list(range(100))
    goes_on.set()
    first.join()


def test_the_caller_does_what_helpers_are_not_there_to_do() -> None:
    """No thread can be made, for want of memory for its stack."""
    program = """
import resource
from tests.targets.c.test_team import share, team_alone
team_alone()
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (4 << 20),) * 2)
done = []
share(lambda begin, end: done.extend(range(begin, end)), 1000, 4)
assert sorted(done) == list(range(1000)), done
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300, cwd=Path(__file__).parents[3])


def test_only_parts_that_somebody_is_in_the_middle_of_are_waited_for() -> None:
    """A helper that is held up in a part goes on when all other parts are done, which then others have to do."""
    team_alone()
    lock, caller = threading.Lock(), threading.get_ident()
    done: set[int] = set()
    held: list[range] = []
    is_held, others_are_done = threading.Event(), threading.Event()

    def run(begin: int, end: int) -> None:
        own = range(begin, end)
        with lock:
            holds_up = threading.get_ident() != caller and not held
            if holds_up:
                held.append(own)
        if holds_up:
            is_held.set()
            others_are_done.wait(60)
        else:
            is_held.wait(5)  # so that a helper gets a part
        with lock:
            done.update(own)
            if held and len(done) == 64 - len(held[0]):
                others_are_done.set()

    share(run, 64, 2)
    assert held and others_are_done.is_set() and done == set(range(64))
