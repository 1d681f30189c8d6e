"""Compilers that misbehave, and forgetting what this process knows about compilers."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lazygrad.host import background, cache_folder, warn_once
from lazygrad.runtime import backend_choice
from lazygrad.targets.c import build as c_build
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c import toolchain as c_toolchain

REAL_COMPILER = next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)
needs_compiler = pytest.mark.skipif(REAL_COMPILER is None, reason="there is no C compiler")

_VARIABLES = "CC LAZYGRAD_CACHE LAZYGRAD_BACKEND LAZYGRAD_WAIT_FOR_COMPILER".split()


@contextmanager
def fresh_process(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Iterator[None]:
    """As if the process had just started, with an empty cache folder and none of our environment variables."""
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LAZYGRAD_CACHE_DIR", str(cache))
    monkeypatch.setattr(warn_once, "_said", set())
    monkeypatch.setattr(c_build, "_hung", [])
    monkeypatch.setattr(c_library, "_state", c_library._State())
    monkeypatch.setattr(backend_choice, "_process", backend_choice._Process())
    forget()
    yield
    forget()


def forget() -> None:
    """Look for the compiler and the cache folder again when they are asked for next."""
    c_toolchain.search.cache_clear()
    cache_folder._usable.cache_clear()


def wait_as_for_a_compiler(gate: threading.Event) -> None:
    """What a task in the background does while a compiler works, until the gate is opened."""
    with background.while_waiting():
        gate.wait()


def compiler_script(path: Path, body: str) -> Path:
    """An executable shell script; in it, ``"$REAL"`` is the machine's compiler and ``"$output"`` follows ``-o``."""
    find_output = 'previous=; for each in "$@"; do [ "$previous" = -o ] && output=$each; previous=$each; done'
    path.write_text(f"#!/bin/sh\nPATH=$PATH:/usr/bin:/bin\nREAL={REAL_COMPILER}\n{find_output}\n{body}\n")
    path.chmod(0o755)
    return path


def logging_compiler(path: Path, log: Path, seconds: float = 0.0) -> Path:
    """The machine's compiler, which writes its arguments to ``log`` and sleeps before it works."""
    return compiler_script(path, f'echo "$@" >> {log}\nsleep {seconds}\nexec "$REAL" "$@"')
