"""Children of a process with compiled plans, teams of threads, and a compiler at work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.runtime.fork_programs import COMPUTE, run
from tests.runtime.toolchains import compiler_script, needs_compiler

pytestmark = [needs_compiler, pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")]


def test_a_child_has_a_team_of_threads_of_its_own(tmp_path: Path) -> None:
    body = """
lg.set_num_threads(3)


def threads():
    return len(os.listdir("/proc/self/task"))


def child():
    before = threads()
    return compute() == expected and before == 1 and threads() == 3


compute()
assert threads() >= 3
for _ in range(3):
    in_child(child)
    assert compute() == expected and threads() >= 3
"""
    run(COMPUTE + body, tmp_path, "c")


def test_plans_that_are_being_compiled_are_compiled_in_the_child_too(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    body = f'case "$*" in *object.c*) echo $$ >> {pids}; sleep 1;; esac; exec "$REAL" "$@"'
    compiler = compiler_script(tmp_path / "cc", body)
    program = f"""
from lazygrad.runtime.realize import cache

compute()
plan = cache.last
deadline = time.monotonic() + 30
while not (os.path.exists({str(pids)!r}) and os.path.getsize({str(pids)!r})) and time.monotonic() < deadline:
    compute()
assert not plan.is_compiled


def child():
    while not plan.is_compiled:
        assert compute() == expected or plan.is_compiled
    return np.isclose(compute(), expected)


in_child(child)
lg.wait_for_compiler()
assert plan.is_compiled and np.isclose(compute(), expected)
"""
    environment = {
        "CC": str(compiler),
        "LAZYGRAD_CACHE_DIR": str(tmp_path / "cache"),
        "LAZYGRAD_WAIT_FOR_COMPILER": "0",
    }
    run(COMPUTE + program, tmp_path, "c", **environment)
    assert 1 <= len(pids.read_text().split()) <= 2
    assert not list((tmp_path / "cache").glob(".building-*"))


@pytest.mark.parametrize("delay", [0.0, 0.03])
def test_while_the_background_loads_what_it_needs(delay: float, tmp_path: Path) -> None:
    """Python's own locks on modules are not given back in a child."""
    body = f"""
compute()
time.sleep({delay})


def child():
    compute()
    lg.wait_for_compiler()
    from lazygrad.targets.c import build as c_build, code as c_code
    from lazygrad.host import disk_cache
    return np.isclose(compute(), expected)


for _ in range(10):
    in_child(child)
"""
    run(COMPUTE + body, tmp_path, "auto", LAZYGRAD_WAIT_FOR_COMPILER="0", LAZYGRAD_CACHE_DIR=str(tmp_path / "cache"))


def test_a_child_that_ends_removes_nothing_of_its_parents(tmp_path: Path) -> None:
    body = """
from lazygrad.host.cache_folder import cache_folder

folder = cache_folder()
child = os.fork()
if child == 0:
    assert compute() == expected
    sys.exit(0)  # with all that happens at the end of a program
assert os.waitpid(child, 0)[1] == 0
assert folder.is_dir()
assert (lg.ones(5) * 3).sum().item() == 15
print(folder)
"""
    folder = run(COMPUTE + body, tmp_path, "c", LAZYGRAD_CACHE="0").strip()
    assert not Path(folder).exists()
