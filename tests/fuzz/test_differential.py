"""Differential fuzzing: one random program, several ways of running it, one answer.

``LAZYGRAD_FUZZ_EXAMPLES`` says how many programs are compared between numpy and C; each needs the compiler a few times.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.realize import cache, unfused
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import QUICKLY, running_c, small_loops
from tests.fuzz.programs import Program, execute, long_programs, programs, values
from tests.runtime.toolchains import needs_compiler

# Ways of running may round in a different order, by a few units in the last place of the dtype.
RELATIVE_TOLERANCE = {"float16": 2e-2, "bfloat16": 2e-2}
C_EXAMPLES = int(os.environ.get("LAZYGRAD_FUZZ_EXAMPLES", "60"))

_DISTURBANCE = 4  # units in the last place
_DISTURBED_RUNS = 20
_AMPLIFIED = 8.0  # how far a deviation may exceed those of the disturbed runs


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs)
def test_four_ways_of_running_agree(program: Program) -> None:
    expected = values(execute(program, realize_each=True))
    ways = {"lazy, unfused": unfused, "lazy, fused": nullcontext}
    for way, context in ways.items():
        with context():
            _assert_same(values(execute(program)), expected, way)
    misses = cache.misses
    _assert_same(values(execute(program)), expected, "from the plan cache")
    assert cache.misses == misses, "the second run of a program must find its plans"


@needs_compiler
@settings(max_examples=C_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(long_programs, st.booleans())
def test_numpy_and_c_agree(program: Program, fused: bool) -> None:
    with backend("numpy"):
        expected = values(execute(program))
    with small_loops(), running_c(threads=2, flags=QUICKLY), nullcontext() if fused else unfused():
        actual = values(execute(program))
    try:
        _assert_same(actual, expected, "C")
    except AssertionError:
        with backend("numpy"):
            _assert_same(actual, expected, "C", _sensitivity(program, expected))


def _assert_same(
    actual: list[np.ndarray], expected: list[np.ndarray], way: str, tolerated: list[np.ndarray] | None = None
) -> None:
    assert len(actual) == len(expected), way
    for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
        assert a.dtype == e.dtype and a.shape == e.shape, (way, i)
        relative = RELATIVE_TOLERANCE.get(a.dtype.name, 2e-5)
        message = f"{way}, tensor {i}"
        a, e = _wide(a), _wide(e)
        if tolerated is not None:
            a = np.where(np.abs(a - e) <= tolerated[i], e, a)
            a = np.where(np.isinf(tolerated[i]), e, a)
        a, e = (np.stack([v.real, v.imag]) if np.iscomplexobj(v) else v for v in (a, e))
        np.testing.assert_allclose(a, e, rtol=relative, atol=relative / 2, err_msg=message)


def _wide(values: np.ndarray) -> np.ndarray:
    return values.astype(complex if np.iscomplexobj(values) else float)


def _sensitivity(program: Program, expected: list[np.ndarray]) -> list[np.ndarray]:
    """How far each element may be off because the last bits of what it comes from are.

    A comparison or a cast to integers can turn the last bit of a sum into a difference of 1, and a subtraction can
    leave nothing but such bits. So the program is run again with them disturbed at random.
    """
    deviations = [np.zeros(e.shape) for e in expected]
    for seed in range(_DISTURBED_RUNS):
        disturbed = values(execute(program, disturb=_disturbance(seed)))
        for deviation, d, e in zip(deviations, disturbed, expected, strict=True):
            d, e = _wide(d), _wide(e)
            with np.errstate(invalid="ignore"):
                moved = np.where((d == e) | (np.isnan(d) & np.isnan(e)), 0.0, np.abs(d - e))
            np.maximum(deviation, np.nan_to_num(moved, nan=np.inf, posinf=np.inf), out=deviation)
    return [_AMPLIFIED * deviation for deviation in deviations]


def _disturbance(seed: int) -> Callable[[Tensor], Tensor]:
    rng = np.random.default_rng(seed)

    def disturb(result: Tensor) -> Tensor:
        exact = result.numpy(force=True)
        unit = lg.finfo(result.dtype).eps * np.maximum(1.0, np.abs(_wide(exact)))
        return lg.tensor((exact + _DISTURBANCE * unit * rng.uniform(-1, 1, exact.shape)).astype(exact.dtype))

    return disturb
