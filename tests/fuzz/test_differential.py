"""Differential fuzzing: one random program, several ways of running it, one answer.

``LAZYGRAD_FUZZ_EXAMPLES`` says how many programs are compared between numpy and C; each needs the compiler a few times.
"""

from __future__ import annotations

import os
from contextlib import nullcontext

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lazygrad.runtime.realize import cache, unfused
from tests.codegen.c_backend import QUICKLY, running_c, small_loops
from tests.fuzz.comparing import assert_numpy_agrees, assert_same
from tests.fuzz.programs import Program, execute, long_programs, programs, values
from tests.runtime.toolchains import needs_compiler
from tests.selection import share

C_EXAMPLES = int(os.environ.get("LAZYGRAD_FUZZ_EXAMPLES", "0"))


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs)
def test_four_ways_of_running_agree(program: Program) -> None:
    expected = values(execute(program, realize_each=True))
    ways = {"lazy, unfused": unfused, "lazy, fused": nullcontext}
    for way, context in ways.items():
        with context():
            assert_same(values(execute(program)), expected, way)
    misses = cache.misses
    assert_same(values(execute(program)), expected, "from the plan cache")
    assert cache.misses == misses, "the second run of a program must find its plans"


@pytest.mark.deeper
@needs_compiler
@settings(max_examples=C_EXAMPLES or share(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(long_programs, st.booleans())
def test_numpy_and_c_agree(program: Program, fused: bool) -> None:
    with small_loops(), running_c(threads=2, flags=QUICKLY), nullcontext() if fused else unfused():
        actual = values(execute(program))
    assert_numpy_agrees(program, actual)
