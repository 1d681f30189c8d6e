"""Every call of the C library does what numpy does, and nothing that a sanitizer sees, with degenerate operands.

With ``LAZYGRAD_SANITIZED_SECONDS`` calls are drawn for that long; ``LAZYGRAD_FUZZ_SEED`` draws others.
"""

from __future__ import annotations

import os
import re

from lazygrad.targets.c.library_functions import ATTRIBUTES
from tests.targets.c.sanitizing import run_sanitized

from .degenerate_calls import DRAWS
from .library import LIBRARY, needs_compiler

pytestmark = needs_compiler

CALLS = "60"  # of each name
SECONDS = os.environ.get("LAZYGRAD_SANITIZED_SECONDS", "0")
SEED = os.environ.get("LAZYGRAD_FUZZ_SEED", "0")


def test_every_call_of_the_library_has_degenerate_operands() -> None:
    declared = set(re.findall(r"\blg_(\w+)\(", (LIBRARY / "calls.h").read_text()))
    assert {name for name in declared if not name.endswith("_epilogue")} == set(DRAWS)
    assert {op.name for op in ATTRIBUTES} == set(DRAWS)


def test_degenerate_calls_agree_with_numpy_and_run_clean() -> None:
    done = run_sanitized("tests.targets.c.sanitized_calls", CALLS, SECONDS, SEED)
    assert done.returncode == 0, done.stderr[-6000:]
    assert "runtime error" not in done.stderr
    assert f"calls of each of {', '.join(DRAWS)}," in done.stdout
