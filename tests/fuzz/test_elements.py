"""Random reads and writes of elements and parts, between work that is pending, find the same numbers as torch.

``LAZYGRAD_FUZZ_PROGRAMS`` says how many programs are compared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import lazygrad as lg
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from tests.fuzz.elements import Elements, Instruction, element_programs

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
pytestmark = pytest.mark.host_memory("numpy is shown the memory of tensors")

PROGRAMS = int(os.environ.get("LAZYGRAD_FUZZ_PROGRAMS", "60"))


@pytest.fixture(params=[None, 0], ids=["by default", "planned"])
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small programs are computed at once by default; else each has a plan."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    before = get_interpreted_runs()
    set_interpreted_runs(request.param)
    yield
    set_interpreted_runs(before)


@settings(
    max_examples=PROGRAMS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize="LAZYGRAD_FUZZ_PROGRAMS" not in os.environ,  # a long run draws others
)
@given(element_programs)
@pytest.mark.usefixtures("tier")
def test_elements_are_what_torch_finds(program: list[Instruction]) -> None:
    want, have = Elements(torch, lambda call: call).run(program), Elements(lg, lg.compile).run(program)
    if have.done > want.done:  # the gradient is that of the recorded values
        assert "modified by an inplace operation" in str(want.refused), want.refused
        return
    assert type(have.refused) is type(want.refused), (want.refused, have.refused)
    assert len(have.seen) == len(want.seen)
    for position, (ours, theirs) in enumerate(zip(have.seen, want.seen, strict=True)):
        _compare(ours, theirs, position)


def _compare(ours: object, theirs: object, position: int) -> None:
    if isinstance(theirs, (list, tuple)):
        assert isinstance(ours, type(theirs)) and len(ours) == len(theirs), (position, ours, theirs)
        for mine, other in zip(ours, theirs, strict=True):
            _compare(mine, other, position)
    else:
        assert type(ours) is type(theirs), (position, ours, theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9, err_msg=f"value {position}")
