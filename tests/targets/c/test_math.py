"""The C math functions of generated plans: their accuracy, the edges of their domains, and whether they vectorize."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.targets.c.vector_math import (
    BINARY,
    FUNCTIONS,
    SAME_TYPE_REFERENCE,
    SCALAR,
    SLACK,
    TYPES,
    Compiled,
    compile_functions,
    is_gcc,
    source,
)

_INF, _NAN = np.inf, np.nan


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """As plans are compiled."""
    remarks = ["-fopt-info-vec-optimized"] if is_gcc() else []
    return compile_functions(tmp_path_factory.mktemp("c_math"), "native", "-O3", "-march=native", *remarks)


@pytest.fixture(scope="session")
def portable(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """Without optimization to speak of, and on x86 without fma."""
    flags = ["-O1"]
    if platform.machine() == "x86_64":
        flags.append("-march=x86-64")
    return compile_functions(tmp_path_factory.mktemp("c_math_portable"), "portable", *flags)


def _samples(dtype: type, dense: tuple[float, float], everywhere: bool, count: int, seed: int) -> np.ndarray:
    """Bit patterns of all exponents and signs, and as many numbers in a range."""
    random = np.random.default_rng(seed)
    numbers = random.uniform(*dense, count).astype(dtype)
    if not everywhere:
        return numbers
    bits = random.integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    return np.concatenate([bits, numbers])


def _units(result: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """|result - expected| in units in the last place of the result's dtype; inf where one is NaN or infinite alone."""
    dtype, wide = result.dtype, expected.dtype
    info = np.finfo(dtype)
    with np.errstate(over="ignore"):
        rounded = expected.astype(dtype)
    magnitude = np.maximum(np.abs(expected), wide.type(info.smallest_normal))
    _, exponent = np.frexp(np.where(np.isfinite(magnitude), magnitude, 1))
    unit = np.ldexp(wide.type(1), np.minimum(exponent, info.maxexp) - 1 - info.nmant)
    finite = np.isfinite(rounded) & np.isfinite(result)
    same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
    error = np.where(same, 0.0, np.inf)
    error[finite] = np.abs(result[finite].astype(wide) - expected[finite]) / unit[finite]
    return error


def _assert_accurate(
    name: str, result: np.ndarray, expected: np.ndarray, bound: float, inputs: Sequence[np.ndarray]
) -> None:
    error = _units(result, expected)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, (
        f"{name}({', '.join(repr(float(x[worst])) for x in inputs)}) = {result[worst]!r}, "
        f"but {expected[worst]!r}: {error[worst]:.3f} units in the last place, allowed {bound}"
    )


def _inputs(name: str, dtype: type, count: int) -> tuple[np.ndarray, ...]:
    function = FUNCTIONS[name]
    x = _samples(dtype, function.dense, function.everywhere, count, 0)
    if name not in BINARY:
        return (x,)
    y = _samples(dtype, (-30, 30) if name == "pow" else function.dense, function.everywhere, count, 1)
    return x, y


def _expected(name: str, inputs: Sequence[np.ndarray]) -> np.ndarray:
    wide = np.float64 if inputs[0].dtype == np.float32 else np.longdouble
    with np.errstate(all="ignore"):
        if name in SAME_TYPE_REFERENCE:
            return FUNCTIONS[name].reference(*inputs)
        return FUNCTIONS[name].reference(*(x.astype(wide) for x in inputs))


def _build(request: pytest.FixtureRequest, name: str) -> Compiled:
    return request.getfixturevalue(name)


@pytest.mark.parametrize("build", SLACK)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_f32_accuracy(name: str, build: str, request: pytest.FixtureRequest) -> None:
    count = {"native": 400_000, "portable": 50_000}[build] if FUNCTIONS[name].everywhere else 50_000
    inputs = _inputs(name, np.float32, count)
    bound = FUNCTIONS[name].f32
    slack = SLACK[build] if bound > 0.6 else 0.0
    _assert_accurate(name, _build(request, build)(name, *inputs), _expected(name, inputs), bound + slack, inputs)


@pytest.mark.parametrize("build", SLACK)
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not FUNCTIONS[name].mpmath])
def test_f64_accuracy(name: str, build: str, request: pytest.FixtureRequest) -> None:
    if np.finfo(np.longdouble).nmant < 63 and name not in SAME_TYPE_REFERENCE:
        pytest.skip("long double is no more precise than f64 here")
    inputs = _inputs(name, np.float64, {"native": 60_000, "portable": 20_000}[build])
    bound = FUNCTIONS[name].f64 + (SLACK[build] if FUNCTIONS[name].f64 > 0.6 else 0.0)
    _assert_accurate(name, _build(request, build)(name, *inputs), _expected(name, inputs), bound, inputs)


@pytest.mark.parametrize("build", SLACK)
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if FUNCTIONS[name].mpmath])
def test_f64_accuracy_of_special_functions(name: str, build: str, request: pytest.FixtureRequest) -> None:
    mpmath = pytest.importorskip("mpmath")
    precise: dict[str, Any] = {"trigamma": lambda x: mpmath.psi(1, x)}
    x = np.random.default_rng(2).uniform(*FUNCTIONS[name].dense, 1000)
    result = _build(request, build)(name, x)
    with mpmath.workprec(120):
        reference = precise.get(FUNCTIONS[name].mpmath) or getattr(mpmath, FUNCTIONS[name].mpmath)
        exact = [reference(mpmath.mpf(value)) for value in x.tolist()]
        units = [float(abs(mpmath.mpf(got) - want)) for got, want in zip(result.tolist(), exact, strict=True)]
        error = np.array(units) / np.spacing(np.abs(np.array([float(want) for want in exact])))
    bound = FUNCTIONS[name].f64 + SLACK[build]
    worst = int(np.argmax(error))
    assert error[worst] <= bound, f"{name}({x[worst]!r}) = {result[worst]!r}: {error[worst]:.3f} units, allowed {bound}"


@pytest.mark.parametrize("build", SLACK)
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_hard_reductions(name: str, build: str, request: pytest.FixtureRequest) -> None:
    """Arguments so close to a multiple of pi/2 that most bits of the product with 2/pi cancel; the largest."""
    mpmath = pytest.importorskip("mpmath")
    for dtype in TYPES.values():
        hard = [6381956970095103 * 2.0**797, 5.319372648326541e255, 16367173 * 2.0**72, 1e22, np.pi / 2, 11.0, 355.0]
        with np.errstate(over="ignore"):
            x = np.array([*hard, np.finfo(dtype).max], dtype)
        x = np.concatenate([x[np.isfinite(x)], -x[np.isfinite(x)]])
        result = _build(request, build)(name, x)
        with mpmath.workprec(1300):
            exact = [getattr(mpmath, name)(mpmath.mpf(float(value))) for value in x]
            expected = [float(value) for value in exact]
            error = [float(abs(mpmath.mpf(float(got)) - want)) for got, want in zip(result, exact, strict=True)]
        units = np.array(error) / np.spacing(np.abs(np.array(expected, dtype))).astype(np.float64)
        assert units.max() <= 3, (name, dtype, x[units.argmax()], result[units.argmax()], expected[units.argmax()])


# name, arguments, result; what no formula may be trusted with.
SPECIAL_VALUES: list[tuple[str, tuple[float, ...], float]] = [
    *[("exp", (x,), y) for x, y in ((_INF, _INF), (-_INF, 0), (_NAN, _NAN), (-0.0, 1), (1000, _INF), (-1e9, 0))],
    *[("exp2", (x,), y) for x, y in ((_INF, _INF), (-_INF, 0), (_NAN, _NAN), (3, 8), (-2, 0.25), (127, 2.0**127))],
    *[("expm1", (x,), y) for x, y in ((_INF, _INF), (-_INF, -1), (_NAN, _NAN), (0.0, 0.0), (-0.0, -0.0))],
    *[("sigmoid", (x,), y) for x, y in ((_INF, 1), (-_INF, 0), (_NAN, _NAN), (0.0, 0.5), (1e9, 1), (-1e9, 0))],
    *[(f"log{base}", (x,), y) for base in ("", "2", "10")
      for x, y in ((_INF, _INF), (-_INF, _NAN), (_NAN, _NAN), (0.0, -_INF), (-0.0, -_INF), (1, 0.0), (-1, _NAN))],
    ("log2", (2.0**-140,), -140), ("log2", (8,), 3), ("log10", (1000,), 3),
    *[("log1p", (x,), y) for x, y in ((_INF, _INF), (-1, -_INF), (-2, _NAN), (_NAN, _NAN), (0.0, 0.0), (-0.0, -0.0))],
    *[("sqrt", (x,), y) for x, y in ((_INF, _INF), (-1, _NAN), (_NAN, _NAN), (0.0, 0.0), (-0.0, -0.0))],
    *[(name, (x,), _NAN) for name in ("sin", "cos", "tan", "asin", "acos", "atanh") for x in (_INF, -_INF, _NAN)],
    *[(name, (x,), x) for name in ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf", "erfinv")
      for x in (0.0, -0.0)],
    *[("cos", (x,), 1) for x in (0.0, -0.0)], ("acos", (1,), 0.0), ("acos", (2,), _NAN), ("asin", (-2,), _NAN),
    *[(name, (x,), x) for name in ("sinh", "asinh") for x in (_INF, -_INF, _NAN)],
    *[(name, (s * x,), s) for name in ("tanh", "erf") for x in (_INF, 100.0, 1e30) for s in (1, -1)],
    *[(name, (_NAN,), _NAN) for name in ("tanh", "erf", "erfc", "erfinv", "atan", "cosh", "acosh")],
    *[(name, (_NAN,), _NAN) for name in ("lgamma", "digamma", "trigamma")],
    *[("cosh", (x,), y) for x, y in ((_INF, _INF), (-_INF, _INF), (0.0, 1))],
    *[("acosh", (x,), y) for x, y in ((_INF, _INF), (-_INF, _NAN), (1, 0.0), (0.5, _NAN))],
    *[("atanh", (x,), y) for x, y in ((1, _INF), (-1, -_INF), (1.5, _NAN))],
    *[("erfc", (x,), y) for x, y in ((_INF, 0), (-_INF, 2), (0.0, 1), (-0.0, 1), (30, 0), (-30, 2))],
    *[("erfinv", (x,), y) for x, y in ((1, _INF), (-1, -_INF), (1.5, _NAN), (_INF, _NAN))],
    *[("lgamma", (x,), y) for x, y in ((_INF, _INF), (-_INF, _INF), (0.0, _INF), (-3, _INF), (1, 0.0), (2, 0.0))],
    *[("digamma", (x,), y) for x, y in ((_INF, _INF), (-_INF, _NAN), (0.0, -_INF), (-0.0, _INF), (-3, _NAN))],
    *[("trigamma", (x,), y) for x, y in ((_INF, 0.0), (-_INF, _NAN), (0.0, _INF), (-3, _INF))],
    *[("round", (x,), y) for x, y in ((0.5, 0.0), (1.5, 2), (2.5, 2), (-0.5, -0.0), (-0.2, -0.0), (_NAN, _NAN))],
    *[("sign", (x,), y) for x, y in ((0.0, 0.0), (-0.0, 0.0), (_NAN, _NAN), (-_INF, -1), (1e-42, 1))],
]  # fmt: skip

_MAGNITUDES = (0.0, 0.5, 1.0, 2.0, 2.5, 3.0, 1e-40, 1e30, 2.0**24 + 1, 2.0**53 - 1, _INF)
EDGES = [*_MAGNITUDES, *(-magnitude for magnitude in _MAGNITUDES), _NAN]


def _same_bits(result: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Equal, zeros by sign too; all NaN are one."""
    equal = (result == expected) & (np.signbit(result) == np.signbit(expected))
    return equal | (np.isnan(result) & np.isnan(expected))


@pytest.mark.parametrize("build", SLACK)
@pytest.mark.parametrize("c_type", TYPES)
def test_special_values(build: str, c_type: str, request: pytest.FixtureRequest) -> None:
    compiled, dtype = _build(request, build), TYPES[c_type]
    for name, arguments, expected in SPECIAL_VALUES:
        # More than one vector, so that the vector code is what runs.
        with np.errstate(all="ignore"):
            result = compiled(name, *(np.full(37, argument, dtype) for argument in arguments))
        assert _same_bits(result, np.full(37, expected, dtype)).all(), (name, arguments, result[0], expected)


@pytest.mark.parametrize("build", SLACK)
@pytest.mark.parametrize("c_type", TYPES)
@pytest.mark.parametrize("name", BINARY)
def test_pairs_of_special_values(name: str, build: str, c_type: str, request: pytest.FixtureRequest) -> None:
    edges = np.array(EDGES, TYPES[c_type])
    x, y = (np.ascontiguousarray(grid.reshape(-1)) for grid in np.meshgrid(edges, edges))
    result = _build(request, build)(name, x, y)
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[name].reference(x, y)
    if name in ("pow", "atan2"):  # others may differ from libm's in the last place
        inexact = np.isfinite(expected) & (expected != 0) & (np.abs(expected) != 1)
        np.testing.assert_allclose(result[inexact], expected[inexact], rtol=4 * np.finfo(x.dtype).eps)
        x, y, result, expected = x[~inexact], y[~inexact], result[~inexact], expected[~inexact]
    wrong = ~_same_bits(result, expected)
    assert not wrong.any(), list(zip(x[wrong], y[wrong], result[wrong], expected[wrong], strict=True))[:10]


@pytest.mark.parametrize("name", "sin tan asin atan sinh tanh asinh atanh erf erfinv expm1 log1p".split())
def test_subnormal_arguments(name: str, native: Compiled) -> None:
    """They come out as the function's slope at 0 times themselves."""
    slope = {"erf": 2 / np.sqrt(np.pi), "erfinv": np.sqrt(np.pi) / 2}.get(name, 1.0)
    units = np.arange(-40, 41)
    for dtype in TYPES.values():
        smallest = np.finfo(dtype).smallest_subnormal
        result = native(name, units.astype(dtype) * smallest) / smallest
        np.testing.assert_allclose(result, units * slope, rtol=0, atol=0 if slope == 1 else 1)


@pytest.mark.parametrize("name", ["tanh", "erf", "sigmoid"])
def test_bounded_functions_stay_bounded(name: str, native: Compiled) -> None:
    for dtype in TYPES.values():
        assert np.abs(native(name, np.linspace(0, 40, 400_001).astype(dtype))).max() == 1


def test_loops_vectorize(native: Compiled) -> None:
    if not is_gcc():
        pytest.skip("only gcc's remarks are read")
    if not re.search(r"\bavx2\b", Path("/proc/cpuinfo").read_text()):  # rounding and gathers have no vector form
        pytest.skip("no wide vectors on this machine")
    vectorized = {int(line) for line in re.findall(r"native\.c:(\d+):\d+: optimized: loop vectorized", native.remarks)}
    missing = []
    for number, line in enumerate(source().splitlines(), 1):
        function = re.match(r"void (\w+)_f\d\d\(", line)
        if function and function[1] not in SCALAR and number not in vectorized:
            missing.append(line.split("(")[0])
    assert not missing, f"not vectorized: {missing}"
