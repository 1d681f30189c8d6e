"""Generated C and the library do nothing that the address and undefined-behaviour sanitizers object to."""

from __future__ import annotations

import subprocess

import pytest

from .sanitizing import run_sanitized


def run(*parts: str) -> subprocess.CompletedProcess[str]:
    return run_sanitized("tests.targets.c.sanitized", *parts)


@pytest.mark.parametrize("part", ["small_plans", "training_step", "library_calls"])
def test_runs_clean(part: str) -> None:
    done = run(part)
    assert done.returncode == 0, done.stderr[-6000:]
    assert done.stdout.startswith(part) and "runtime error" not in done.stderr


def test_an_access_beyond_the_end_would_be_seen() -> None:
    done = run("beyond_the_end")
    assert done.returncode != 0 and "AddressSanitizer: heap-buffer-overflow" in done.stderr
