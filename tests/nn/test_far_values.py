"""Means, variances, norms and normalisations of float32 where the mean is large beside the spread, or squares overflow.

Each result lies no farther from float64's than PyTorch's float32 does, or than a few units in the last place of the
largest result. A sum that cancels is measured by the magnitudes that it adds up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from tests.runtime.toolchains import needs_compiler

torch = pytest.importorskip("torch", reason="torch is the oracle of moments, and is not installed")

Function = Callable[[Any, Any, int], Any]  # of a library, a matrix and an axis
FEW_ULPS = 8 * float(np.finfo(np.float32).eps)  # how many lanes add up is the machine's choice
LARGEST = float(np.finfo(np.float32).max)


def rows(x: Any, axis: int) -> Any:
    return x.movedim(axis, -1)


def columns(x: Any, axis: int) -> Any:
    return x.movedim(axis, 0)


FUNCTIONS: dict[str, Function] = {
    "sum": lambda library, x, axis: x.sum(axis),
    "mean": lambda library, x, axis: x.mean(axis),
    "var": lambda library, x, axis: x.var(axis),
    "std": lambda library, x, axis: x.std(axis),
    "vector_norm": lambda library, x, axis: library.linalg.vector_norm(x, dim=axis),
    "layer_norm": lambda library, x, axis: library.nn.functional.layer_norm(rows(x, axis), (x.shape[axis],)),
    "rms_norm": lambda library, x, axis: library.nn.functional.rms_norm(rows(x, axis), (x.shape[axis],)),
    "group_norm": lambda library, x, axis: library.nn.functional.group_norm(
        rows(x, axis)[:, None].repeat(1, 2, 1), 2),
    "instance_norm": lambda library, x, axis: library.nn.functional.instance_norm(rows(x, axis)[:, None]),
    "batch_norm": lambda library, x, axis: library.nn.functional.batch_norm(
        columns(x, axis), None, None, training=True),
    "batch_norm_of_lines": lambda library, x, axis: library.nn.functional.batch_norm(
        columns(x, axis)[..., None].repeat(1, 1, 3), None, None, training=True),
}  # fmt: skip
CANCELLING = ("sum", "mean")
OFFSETS_AND_SCALES = [(0, 1), (1e4, 1), (1e5, 1), (1e6, 1), (1e7, 1), (0, 1e19), (0, 1e25), (0, 1e30), (0, 1e-25),
                      (1e25, 1e20)]  # fmt: skip


@pytest.fixture(params=["interpreted", "planned", pytest.param("c", marks=needs_compiler), "compiled"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A way of running; a device has the ways that its target has."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "1")
    before = get_interpreted_runs()
    set_interpreted_runs(sys.maxsize if request.param == "interpreted" else 0)
    with lg.backend("c" if request.param == "c" else "numpy"):
        yield request.param
    set_interpreted_runs(before)


def matrices(length: int, axis: int) -> Iterator[tuple[str, np.ndarray]]:
    """Four rows or columns of this length for each offset and scale, and such as have one element far from the rest."""
    generator = np.random.default_rng(length)
    spread = generator.normal(size=(length, 4) if axis == 0 else (4, length))
    for offset, scale in OFFSETS_AND_SCALES:
        yield f"{offset:g} + {scale:g} x", (spread * scale + offset).astype(np.float32)
    far = spread.astype(np.float32)
    far[(1,) if axis == 0 else (slice(None), 1)] = 1e4
    yield "the second is 1e4", far


def computed(
    library: Any, function: Function, array: np.ndarray, axis: int, compiled: bool = False
) -> list[np.ndarray]:
    """The function's result and the gradient that random cotangents give, in the dtype of ``array``."""
    x = library.tensor(array, requires_grad=True)

    def both(x: Any) -> tuple[Any, Any]:
        y = function(library, x, axis)
        return y, library.autograd.grad(y, x, cotangents(library, tuple(y.shape), array.dtype))[0]

    results = library.compile(both)(x) if compiled else both(x)
    return [result.detach().cpu().numpy().astype(np.float64) for result in results]


def cotangents(library: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    values = np.random.default_rng(1).normal(size=997).astype(np.float32)
    return library.tensor(np.resize(values, shape).astype(dtype))


def distance(found: np.ndarray, expected: np.ndarray, size: float) -> float:
    """The largest, in shares of ``size``; infinite where one is NaN or infinite and the other is not."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(found - expected)
    apart[(found == expected) | (np.isnan(found) & np.isnan(expected))] = 0
    return float(np.where(np.isnan(apart), np.inf, apart).max() / (size or 1))


def largest(values: np.ndarray) -> float:
    return float(np.abs(values).max(initial=0, where=np.isfinite(values)))


@pytest.mark.parametrize("length", [8, 1000, pytest.param(40_000, marks=pytest.mark.whole)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_farther_from_float64_than_torch(name: str, length: int, way: str) -> None:
    function, farther = FUNCTIONS[name], []
    for axis in (0, 1):
        for what, array in matrices(length, axis):
            wide = array.astype(np.float64)
            expected = computed(torch, function, wide, axis)
            for values in expected:
                values[np.abs(values) > LARGEST] *= np.inf
            sizes = [largest(values) for values in expected]
            if name in CANCELLING:
                sizes[0] = largest(function(torch, torch.tensor(np.abs(wide)), axis).numpy())
            theirs = computed(torch, function, array, axis)
            ours = computed(lg, function, array, axis, way == "compiled")
            for of, *values, size in zip(("result", "gradient"), ours, theirs, expected, sizes, strict=True):
                error, bound = distance(values[0], values[2], size), distance(values[1], values[2], size)
                if not error <= max(bound, FEW_ULPS):
                    farther.append(f"{of} along {axis} of {what}: {error:.1e} where PyTorch's is {bound:.1e}")
    assert not farther, "\n".join(farther)


@pytest.mark.parametrize(("scale", "expected"), [(1e19, 3.0956959e19), (1e-25, 3.0956959e-25)])
def test_squares_of_a_spread_may_lie_beyond_float32(scale: float, expected: float, way: str) -> None:
    x = lg.tensor(np.array([1, 2, 4, 8]) * scale, dtype=lg.float32)
    assert x.std().item() == pytest.approx(expected, rel=1e-6)


def test_a_layer_normalizes_about_a_large_mean(way: str) -> None:
    array = np.random.default_rng(3).normal(1e5, 1.0, (64, 256)).astype(np.float32)
    expected = computed(torch, FUNCTIONS["layer_norm"], array.astype(np.float64), 1)
    ours = computed(lg, FUNCTIONS["layer_norm"], array, 1, way == "compiled")
    for values, wanted in zip(ours, expected, strict=True):
        np.testing.assert_allclose(values, wanted, rtol=0, atol=2e-6)


def test_running_statistics_move_to_those_of_large_means(way: str) -> None:
    array = np.random.default_rng(4).normal(1e6, 1.0, (500, 3)).astype(np.float32)
    average, variance = lg.zeros(3), lg.zeros(3)
    lg.nn.functional.batch_norm(lg.tensor(array), average, variance, training=True, momentum=1.0)
    wide = array.astype(np.float64)
    np.testing.assert_allclose(average.cpu().numpy(), wide.mean(0), rtol=1e-7)
    np.testing.assert_allclose(variance.cpu().numpy(), wide.var(0, ddof=1), rtol=3e-7)
