"""No template and no plan reads memory through a type that the compiler may take for another's.

Everything is compiled without the optimization that relies on it. Here it is on, with its warnings as errors, and what
it would make wrong is compared.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from lazygrad.runtime.backend_choice import backend
from lazygrad.targets.c.build import include_folder, working_toolchain
from tests.codegen.c_backend import running_c
from tests.codegen.plans import PROGRAMS, plan_of
from tests.fuzz.comparing import assert_same
from tests.fuzz.forms import results
from tests.runtime.toolchains import needs_compiler

WARNED = ("-fstrict-aliasing", "-Wstrict-aliasing=1", "-Werror=strict-aliasing")
ROOT = Path(__file__).parents[3]
LEVELS = [pytest.param(level, marks=() if level == "-O3" else pytest.mark.whole) for level in ("-O1", "-O2", "-O3")]


@cache
def _why_not(compiler: str) -> str | None:
    """Why a compiler cannot be used here, or None."""
    if shutil.which(compiler) is None:
        return f"{compiler} is not installed"
    program = "_Float16 half(_Float16 x) { return x + x; }"
    command = [compiler, "-march=native", "-x", "c", "-c", "-o", os.devnull, "-"]
    done = subprocess.run(command, input=program, capture_output=True, text=True)
    return None if done.returncode == 0 else f"{compiler} has no half precision on this machine"


@pytest.fixture(params=["gcc", "clang"])
def compiler(request: pytest.FixtureRequest) -> str:
    reason = _why_not(request.param)
    if reason is not None:
        pytest.skip(reason)
    return str(request.param)


def _sources() -> dict[str, str]:
    folder = include_folder()
    files = [*sorted((folder / "library").glob("*.c")), folder / "team.c"]
    host = "".join(path.read_text(encoding="utf-8") for path in sorted((folder / "host").glob("*.c")))
    plans = {name: plan_of(text).sources["c"].text for name, text in PROGRAMS.items()}
    return {path.name: path.read_text(encoding="utf-8") for path in files} | {"host": host} | plans


def test_plans_are_compiled_without_assumptions_about_types() -> None:
    assert "-fno-strict-aliasing" in working_toolchain().flags


def test_every_template_compiles_without_a_warning(compiler: str) -> None:
    options = ["-std=gnu11", "-march=native", "-fwrapv", "-O1", *WARNED, "-fsyntax-only"]
    folders = [f"-I{include_folder()}", f"-I{include_folder() / 'library'}", f"-I{include_folder() / 'host'}"]
    for name, source in _sources().items():
        command = [compiler, *options, *folders, "-x", "c", "-"]
        done = subprocess.run(command, input=source, capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stderr[:2000]}"


@needs_compiler
def test_every_form_of_kernel_compiles_without_a_warning() -> None:
    with running_c(threads=2, flags=(*WARNED, "-O1")):
        have = results((64, 65))
    with backend("numpy"):
        assert_same(have, results((64, 65)), "C")


@pytest.mark.parametrize("level", LEVELS)
def test_strict_aliasing_makes_no_number_wrong(compiler: str, level: str) -> None:
    environment = os.environ | {"CC": f"{compiler} -march=native"}
    command = [sys.executable, "-m", "tests.targets.c.aliasing", level, "-fstrict-aliasing"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ": 0 of " in done.stdout, done.stdout + done.stderr[-2000:]
