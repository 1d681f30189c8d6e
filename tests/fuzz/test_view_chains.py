"""Random chains of views, dtypes and writes find what torch finds: numbers, layouts, shared memory, refusals.

``LAZYGRAD_FUZZ_PROGRAMS`` says how many programs are compared.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from tests.fuzz.view_chains import (
    DTYPES,
    INSTRUCTIONS,
    LOOKS,
    SHAPES,
    Chains,
    Instruction,
    chain_programs,
    strides_that_count,
)
from tests.selection import share

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
pytestmark = pytest.mark.host_memory("the addresses of tensors are compared")

PROGRAMS = int(os.environ.get("LAZYGRAD_FUZZ_PROGRAMS", "0"))
_AS_DRAWN = settings(
    max_examples=PROGRAMS or share(300),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=not PROGRAMS,  # a long run draws others
)
_starts = st.lists(st.tuples(st.sampled_from(SHAPES), st.sampled_from(DTYPES)), min_size=1, max_size=2)


@pytest.fixture(params=[sys.maxsize, None, 0], ids=["interpreted", "by default", "planned"])
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs are computed at once, or have a plan at once, or the one after the other."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    before = get_interpreted_runs()
    set_interpreted_runs(request.param)
    yield
    set_interpreted_runs(before)


@pytest.mark.deeper
@_AS_DRAWN
@given(_starts, chain_programs)
@pytest.mark.usefixtures("tier")
def test_chains_are_what_torch_finds(starts: list[Any], program: list[Instruction]) -> None:
    compare_chain(starts, program)


def compare_chain(starts: list[Any], program: list[Instruction]) -> None:
    want, have = _run(torch, starts, program), _run(lg, starts, program)
    assert have.refused.keys() == want.refused.keys(), (have.refused, want.refused)
    for position, error in want.refused.items():
        assert issubclass(have.refused[position], error), position
    assert [_text(value) for value in have.seen] == [_text(value) for value in want.seen]
    _compare(have.tensors, want.tensors)
    for (ours, others), (theirs, their_others) in zip(
        combinations(have.tensors, 2), combinations(want.tensors, 2), strict=True
    ):
        assert _distance(ours, others) == _distance(theirs, their_others)


@pytest.mark.deeper
@_AS_DRAWN
@given(_starts, chain_programs)
def test_compiled_chains_are_what_torch_finds(starts: list[Any], program: list[Instruction]) -> None:
    compare_compiled(starts, program)


def compare_compiled(starts: list[Any], program: list[Instruction]) -> None:
    program = [step for step in program if INSTRUCTIONS[step[0] % len(INSTRUCTIONS)] not in LOOKS]
    refused = Chains(torch, _arguments(torch, starts, 0)).run(program).refused
    program = [step for position, step in enumerate(program) if position not in refused]

    def call(*tensors: Any) -> list[Any]:
        return Chains(lg, list(tensors)).follow(program)

    compiled = lg.compile(call)
    for time in range(4):
        ours, theirs = _arguments(lg, starts, time), _arguments(torch, starts, time)
        wanted = Chains(torch, theirs).follow(program)
        _compare(compiled(*ours), wanted)
        _compare(ours, theirs)


def _arguments(lib: Any, starts: list[Any], time: int) -> list[Any]:
    numbers = [_numbers(shape, number + time) for number, (shape, _) in enumerate(starts)]
    return [lib.tensor(array).to(getattr(lib, dtype)) for array, (_, dtype) in zip(numbers, starts, strict=True)]


def _run(lib: Any, starts: list[Any], program: list[Instruction]) -> Chains:
    tensors = []
    for number, (shape, dtype) in enumerate(starts):
        tensors.append(lib.tensor(_numbers(shape, number)).to(getattr(lib, dtype)) + number)
    return Chains(lib, tensors).run(program)


def _numbers(shape: tuple[int, ...], number: int) -> np.ndarray:
    return np.arange(float(np.prod(shape))).reshape(shape) % 100 + number


def _compare(ours: list[Any], theirs: list[Any]) -> None:
    assert len(ours) == len(theirs)
    for position, (have, want) in enumerate(zip(ours, theirs, strict=True)):
        assert tuple(have.shape) == tuple(want.shape), position
        assert strides_that_count(have) == strides_that_count(want), position
        assert have.storage_offset() == want.storage_offset(), position
        assert str(have.dtype).rpartition(".")[2] == str(want.dtype).rpartition(".")[2]
        assert _text(have.tolist()) == _text(want.tolist()), position


def _text(value: object) -> str:
    """What a value looks like; bytes that are no number have no sign that could be compared."""
    return repr(value).replace("-nan", "nan")


def _distance(one: Any, other: Any) -> int | None:
    """How far apart two tensors begin in the memory that they share; None where they share none, or are empty."""
    if not (one.numel() and other.numel()):
        return None
    if one.untyped_storage().data_ptr() != other.untyped_storage().data_ptr():
        return None
    return int(one.data_ptr() - other.data_ptr())
