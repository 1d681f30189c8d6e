"""Random programs, and every form of kernel, run clean under the sanitizers and agree with numpy.

With ``LAZYGRAD_SANITIZED_SECONDS`` random programs are run for that long; ``LAZYGRAD_FUZZ_SEED`` chooses others.
"""

from __future__ import annotations

import os
import re

import pytest

from tests.fuzz.forms import EXTENTS
from tests.fuzz.sanitized import FORMS, WORDS
from tests.runtime.toolchains import needs_compiler
from tests.selection import share
from tests.targets.c.sanitizing import run_sanitized

PROGRAMS = "5"
SECONDS = os.environ.get("LAZYGRAD_SANITIZED_SECONDS", "0")
SEED = os.environ.get("LAZYGRAD_FUZZ_SEED", "0")


@pytest.mark.deeper
@needs_compiler
def test_every_form_of_kernel_and_random_programs_run_clean() -> None:
    done = run_sanitized("tests.fuzz.sanitized", str(share(len(EXTENTS))), PROGRAMS, SECONDS, SEED)
    assert done.returncode == 0, done.stderr[-6000:]
    assert "runtime error" not in done.stderr
    counts = dict(re.findall(r"^([a-z ]+): (\d+)$", done.stdout, re.MULTILINE))
    assert set(counts) == {"plans", *FORMS, *WORDS}, done.stdout
