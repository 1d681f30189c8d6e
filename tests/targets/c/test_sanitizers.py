"""Generated C and the library do nothing that the address and undefined-behaviour sanitizers object to."""

from __future__ import annotations

import subprocess

from .sanitizing import run_sanitized


def run(*parts: str) -> subprocess.CompletedProcess[str]:
    return run_sanitized("tests.targets.c.sanitized", *parts)


def test_plans_a_training_step_and_calls_run_clean() -> None:
    parts = ["small_plans", "training_step", "library_calls", "convolutions"]
    done = run(*parts)
    assert done.returncode == 0, done.stdout + done.stderr[-6000:]
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == parts
    assert "runtime error" not in done.stderr


def test_an_access_beyond_the_end_would_be_seen() -> None:
    done = run("beyond_the_end")
    assert done.returncode != 0 and "AddressSanitizer: heap-buffer-overflow" in done.stderr
