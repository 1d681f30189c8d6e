"""When two ways of running one random program agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import lazygrad as lg
from lazygrad.runtime.backend_choice import backend
from lazygrad.tensor import Tensor
from tests.fuzz.programs import Program, execute, values

# Ways of running may round in a different order, by a few units in the last place of the dtype.
RELATIVE_TOLERANCE = {"float16": 2e-2, "bfloat16": 2e-2}

_DISTURBANCE = 4  # units in the last place
_DISTURBED_RUNS = 20
_AMPLIFIED = 8.0  # how far a deviation may exceed those of the disturbed runs


def assert_same(
    actual: list[np.ndarray], expected: list[np.ndarray], way: str, tolerated: list[np.ndarray] | None = None
) -> None:
    """Equal up to rounding, and where ``tolerated`` says so, up to that much."""
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


def assert_numpy_agrees(program: Program, actual: list[np.ndarray], extent: tuple[int, int] = (3, 4)) -> None:
    """What C made of a program is what numpy makes of it, as far as its operations determine that."""
    with backend("numpy"):
        expected = values(execute(program, extent=extent))
        try:
            assert_same(actual, expected, "C")
        except AssertionError:
            assert_same(actual, expected, "C", _sensitivity(program, expected, extent))


def _wide(values: np.ndarray) -> np.ndarray:
    return values.astype(complex if np.iscomplexobj(values) else float)


def _sensitivity(program: Program, expected: list[np.ndarray], extent: tuple[int, int]) -> list[np.ndarray]:
    """How far each element may be off because the last bits of what it comes from are.

    A comparison or a cast to integers can turn the last bit of a sum into a difference of 1, and a subtraction can
    leave nothing but such bits. So the program is run again with them disturbed at random.
    """
    deviations = [np.zeros(e.shape) for e in expected]
    for seed in range(_DISTURBED_RUNS):
        disturbed = values(execute(program, disturb=_disturbance(seed), extent=extent))
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
