"""Running a module in a process of its own, into which the address and undefined-behaviour sanitizers were loaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"


@cache
def runtimes() -> list[str]:
    """The sanitizers' shared libraries, or fewer where some are missing."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return []
    commands = [[compiler, f"-print-file-name={name}"] for name in ("libasan.so", "libubsan.so")]
    printed = [subprocess.check_output(command, text=True).strip() for command in commands]
    return [path for path in printed if os.path.isabs(path) and os.path.exists(path)]


def run_sanitized(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``python -m module arguments…``; what it compiles through lazygrad is compiled with the sanitizers too."""
    if len(runtimes()) < 2:
        pytest.skip("gcc's sanitizer runtimes, libasan and libubsan, are not installed")
    environment = os.environ | {
        "CC": f"env -u LD_PRELOAD {shutil.which('gcc')} {_FLAGS}",  # the compiler itself is not what is examined
        "LD_PRELOAD": " ".join(runtimes()),
        "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter's own
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "LAZYGRAD_BACKEND": "c",
    }
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True)
