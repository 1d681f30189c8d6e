"""Random interleavings of what training programs do find the same numbers as torch.

``LAZYGRAD_FUZZ_PROGRAMS`` says how many programs are compared.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz.training import Instruction, assert_same, training_programs
from tests.runtime.interpreted import interpreting
from tests.selection import share

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")

PROGRAMS = int(os.environ.get("LAZYGRAD_FUZZ_PROGRAMS", "0"))


@pytest.mark.host_memory("numpy is shown the memory of weights, and writes to it")
@pytest.mark.deeper
@settings(
    max_examples=PROGRAMS or share(60),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize="LAZYGRAD_FUZZ_PROGRAMS" not in os.environ,  # a long run draws others
)
@given(training_programs)
def test_interleavings_find_what_torch_finds(program: list[Instruction]) -> None:
    assert_same(program, torch)


@pytest.mark.host_memory("numpy is shown the memory of weights, and writes to it")
@pytest.mark.deeper
@settings(
    max_examples=PROGRAMS or share(40),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize="LAZYGRAD_FUZZ_PROGRAMS" not in os.environ,
)
@given(training_programs)
def test_programs_that_come_again_find_the_same(program: list[Instruction]) -> None:
    """Interpreted, with tapes and precedents from the third time on."""
    with interpreting():
        assert_same(program, torch, runs=4)
