"""Random programs run as CUDA source, on a device that is emulated, in both orders of threads.

Programs of operations agree with numpy, and trainings with torch. ``LAZYGRAD_FUZZ_EXAMPLES`` says how many of the
first are compared, and ``LAZYGRAD_FUZZ_PROGRAMS`` how many of the second.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lazygrad.targets.cuda.dialect import NoCudaForm
from tests.cuda_emulator.build import missing
from tests.cuda_emulator.driver import Order
from tests.fuzz.comparing import assert_numpy_agrees
from tests.fuzz.forms import EXTENTS
from tests.fuzz.programs import Program, execute, long_programs, values
from tests.fuzz.training import Instruction, assert_same, training_programs
from tests.selection import share
from tests.targets.cuda.emulating import emulating

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

EXAMPLES = int(os.environ.get("LAZYGRAD_FUZZ_EXAMPLES", "0"))
PROGRAMS = int(os.environ.get("LAZYGRAD_FUZZ_PROGRAMS", "0"))


@pytest.mark.deeper
@settings(max_examples=EXAMPLES or share(30), deadline=None, suppress_health_check=list(HealthCheck))
@given(long_programs, st.sampled_from(EXTENTS))
def test_random_program(program: Program, extent: tuple[int, int]) -> None:
    for order in (Order.ASCENDING, Order.DESCENDING):
        try:
            with emulating(order):
                found = values(execute(program, extent=extent))
        except NoCudaForm:
            assume(False)
        assert_numpy_agrees(program, found, extent)


@pytest.mark.deeper
@settings(
    max_examples=PROGRAMS or share(9),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize="LAZYGRAD_FUZZ_PROGRAMS" not in os.environ,
)
@given(training_programs)
def test_random_training(torch: Any, program: list[Instruction]) -> None:
    for order in (Order.ASCENDING, Order.DESCENDING):
        with emulating(order):
            assert_same(program, torch)
