"""Random interleavings of what training programs do find the same numbers as torch.

``LAZYGRAD_FUZZ_PROGRAMS`` says how many programs are compared.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import lazygrad as lg
from tests.fuzz.training import Instruction, Training, training_programs
from tests.selection import share

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")

PROGRAMS = int(os.environ.get("LAZYGRAD_FUZZ_PROGRAMS", "0"))


@pytest.mark.deeper
@settings(
    max_examples=PROGRAMS or share(60),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize="LAZYGRAD_FUZZ_PROGRAMS" not in os.environ,  # a long run draws others
)
@given(training_programs)
def test_interleavings_find_what_torch_finds(program: list[Instruction]) -> None:
    assert_same_as_torch(program)


def assert_same_as_torch(program: list[Instruction]) -> None:
    want, have = Training(torch).run(program), Training(lg).run(program)
    if have.done > want.done:
        # See `Training`: the gradient is that of the recorded values.
        assert want.unchecked and "modified by an inplace operation" in str(want.refused), want.refused
        return
    assert type(have.refused) is type(want.refused), (want.refused, have.refused)
    assert len(have.seen) == len(want.seen)
    for position, (ours, theirs) in enumerate(zip(have.seen, want.seen, strict=True)):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, position
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9, err_msg=f"value {position}")
