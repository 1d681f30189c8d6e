"""The compiler as a child process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from lazygrad.host import background
from lazygrad.targets.c.process import run_compiler

_UNTIL_IT_IS_NICER = """
import os, sys, time
end = time.monotonic() + float(sys.argv[2])
while os.nice(0) == int(sys.argv[1]) and time.monotonic() < end:
    time.sleep(0.01)
print(os.nice(0))
"""


def _niceness(folder: Path, patience: float) -> int:
    command = [sys.executable, "-c", _UNTIL_IT_IS_NICER, str(os.nice(0)), str(patience)]
    return int(run_compiler(command, folder, timeout=60.0))


def test_a_compiler_beside_the_program_leaves_it_the_processors(tmp_path: Path) -> None:
    seen: list[int] = []
    background.submit("a nice compiler", lambda: seen.append(_niceness(tmp_path, 30.0)))
    assert background.wait("a nice compiler", 60.0)
    assert seen[0] > os.nice(0) or os.nice(0) == 19


def test_a_compiler_that_is_waited_for_is_as_urgent_as_the_program(tmp_path: Path) -> None:
    assert _niceness(tmp_path, 0.0) == os.nice(0)
