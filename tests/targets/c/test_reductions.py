"""Reductions in C: how accurate sums of many numbers are, what becomes of NaN and infinities, and every dtype."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import ALL_DTYPES, DType
from lazygrad.runtime.backend_choice import backend
from lazygrad.targets.c.loops import LoopShape
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import running_c
from tests.runtime.toolchains import needs_compiler

pytestmark = needs_compiler

Array = np.ndarray
# Shapes and axes for which the loops take each of their shapes, without and with a second function.
LAYOUTS: dict[str, tuple[tuple[int, ...], tuple[int, ...], LoopShape]] = {
    "one short row": ((7,), (0,), LoopShape.ROWS),
    "rows": ((48, 300), (1,), LoopShape.ROWS),
    "long rows": ((48, 5000), (1,), LoopShape.ROWS),
    "lanes": ((40, 20000), (0,), LoopShape.LANES),
    "lanes between": ((20, 60, 33), (1,), LoopShape.LANES),
    "short rows": ((70000, 3), (1,), LoopShape.SHORT),
    "short rows across": ((3, 70000), (0,), LoopShape.SHORT),
    "one long row": ((300000,), (0,), LoopShape.SPLIT),
    "few long rows": ((3, 100000), (1,), LoopShape.SPLIT),
    "few columns": ((50000, 5), (0,), LoopShape.SPLIT),
    "inner and outer axes": ((40, 6, 500), (0, 2), LoopShape.SPLIT),
    "an axis in the middle": ((2, 30000, 3), (1,), LoopShape.SPLIT),
}


def shapes_used() -> set[LoopShape]:
    """The loop shapes of the last plan's kernels."""
    return {kernel.nest.shape for kernel in lg.last_step().plan_object.sources["c"].kernels}


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("count", [1000, 10_000, 100_000, 1_000_000])
def test_sums_of_many_floats_are_as_accurate_as_numpys(kind: str, count: int) -> None:
    """As numpy's along the contiguous axis, where it adds pairwise; across it, numpy is much worse."""
    rng = np.random.default_rng(count)
    rows = getattr(rng, kind)(size=(8, count)).astype(np.float32)
    exact = rows.astype(np.float64).sum(1)
    scale = np.abs(rows).sum(1, dtype=np.float64)
    numpys = error(rows.sum(1), exact, scale)
    with running_c():
        x, columns = lg.tensor(rows), lg.tensor(np.ascontiguousarray(rows.T))
        along = [x.sum(1), (x * 1.0).mean(1) * count, x.flatten().reshape(8, 1, count).sum((1, 2))]
        across = columns.sum(0)
        for result in along:
            assert error(result.numpy(), exact, scale) <= 2 * numpys + 2e-8
        assert error(across.numpy(), exact, scale) <= error(np.ascontiguousarray(rows.T).sum(0), exact, scale) + 2e-8


def error(actual: Array, exact: Array, scale: Array) -> float:
    """Root mean square of the errors, relative to the sums of magnitudes."""
    return float(np.sqrt(np.mean(((actual.astype(np.float64) - exact) / scale) ** 2)))


def test_the_sum_of_ten_million_floats() -> None:
    values = np.random.default_rng(0).uniform(size=10_000_000).astype(np.float32)
    exact = values.sum(dtype=np.float64)
    with running_c():
        x = lg.tensor(values)
        assert abs(x.sum().item() / exact - 1) < 6e-8
        assert abs(x.reshape(1000, 10000).sum((0, 1)).item() / exact - 1) < 6e-8
        assert abs(x.reshape(1_000_000, 10).sum(0).sum().item() / exact - 1) < 1e-6
        assert abs(x.mean().item() * values.size / exact - 1) < 2e-7


def test_sums_of_halves_are_those_of_exact_totals() -> None:
    """Numpy's own add up in half precision; ours round once."""
    values = np.random.default_rng(0).integers(0, 4, (64, 700)).astype(np.float16)
    with running_c():
        for dtype in (lg.float16, lg.bfloat16):
            x = lg.tensor(values).to(dtype)
            for axis in (0, 1):
                expected = values.astype(np.float64).sum(axis).astype(to_numpy(dtype))
                np.testing.assert_array_equal(x.sum(axis).float().numpy(), expected.astype(np.float32))


REDUCTIONS: dict[str, Callable[[Tensor, tuple[int, ...]], Tensor]] = {
    "sum": lambda x, axes: x.sum(axes),
    "amax": lambda x, axes: x.amax(axes),
    "amin": lambda x, axes: x.amin(axes),
    "all": lambda x, axes: (x != 0).all(axes[0]),
    "any": lambda x, axes: (x > 5).any(axes[0]),
    "sum of comparisons": lambda x, axes: (x > 1).sum(axes),
    "prod": lambda x, axes: (x.clamp(1, 2) if len(axes) == 1 else x).prod(axes[0]),
}


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=lambda dtype: dtype.name)
def test_every_dtype_and_layout(dtype: DType) -> None:
    """Small whole numbers: every float sum is exact, and integers wrap around only in products."""
    rng = np.random.default_rng(0)
    arrays = {name: rng.integers(0, 2 if dtype.is_half else 4, shape) for name, (shape, _, _) in LAYOUTS.items()}
    results = []
    for choice in (backend("numpy"), running_c()):
        with choice:
            found = {}
            for name, (_, axes, _) in LAYOUTS.items():
                x = lg.tensor(arrays[name]).to(dtype).realize()
                for reduction, function in REDUCTIONS.items():
                    if dtype.is_complex and reduction not in ("sum", "all"):
                        continue
                    if reduction in ("amax", "amin", "sum of comparisons") or not dtype.is_half:
                        found[name, reduction] = function(x, axes)
            lg.realize_all(list(found.values()))
            results.append({key: value.numpy() for key, value in found.items()})
    for key, expected in results[0].items():
        assert results[1][key].dtype == expected.dtype
        wide = complex if dtype.is_complex else float
        np.testing.assert_array_equal(results[1][key].astype(wide), expected.astype(wide), err_msg=str(key))


def test_layouts_have_the_loops_they_are_meant_for() -> None:
    with running_c():
        for name, (shape, axes, expected) in LAYOUTS.items():
            lg.ones(shape).realize().sum(axes).realize()
            assert shapes_used() == {expected}, name


@pytest.mark.parametrize("special", [[np.nan], [np.inf], [-np.inf], [np.inf, -np.inf], [np.nan, np.inf]], ids=str)
def test_specials_anywhere_in_a_row(special: list[float]) -> None:
    """One plan per special value; every row of every layout has it at another place, and some have none."""
    rng = np.random.default_rng(0)
    inputs = []
    for shape, axes, _ in LAYOUTS.values():
        values = rng.standard_normal(shape).astype(np.float32)
        for value in special:
            rows = [slice(None, None, 2) if axis not in axes else 0 for axis in range(len(shape))]
            values[tuple(rows)] = value
            places = [rng.integers(0, size, 20) for size in shape]
            values[tuple(places)] = value
        inputs.append((values, axes))
    with running_c():
        tensors = [(lg.tensor(values), axes) for values, axes in inputs]
        found = [(x.amax(a), x.amin(a), x.sum(a), x.double().amax(a), x.double().sum(a)) for x, a in tensors]
        lg.realize_all([result for results in found for result in results])
    for (values, axes), results in zip(inputs, found, strict=True):
        wide = values.astype(np.float64)
        with np.errstate(invalid="ignore"):
            expected = [values.max(axes), values.min(axes), wide.sum(axes), wide.max(axes), wide.sum(axes)]
        for number, (result, wanted) in enumerate(zip(results, expected, strict=True)):
            where = f"{values.shape}, result {number}"
            np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-4, atol=1e-2, err_msg=where)


def test_rows_of_infinities_only() -> None:
    with running_c():
        lows = [(lg.full(shape, -float("inf")).realize(), axes) for shape, axes, _ in LAYOUTS.values()]
        extremes = [result for low, axes in lows for result in (low.amax(axes), (-low).amin(axes))]
        lg.realize_all(extremes)
    for highest, lowest in zip(extremes[::2], extremes[1::2], strict=True):
        assert (highest.numpy() == -np.inf).all() and (lowest.numpy() == np.inf).all()


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0,), (3, 0, 5), (0, 40000)], ids=str)
def test_empty(shape: tuple[int, ...]) -> None:
    with running_c():
        x = lg.tensor(np.zeros(shape, np.float32))
        assert (x * 2 + 1).numpy().shape == shape
        found = [(x.sum(axis), x.prod(axis), x.mean(axis), lg.softmax(x, axis)) for axis in range(len(shape))]
        lg.realize_all([(x + 1).sum(), *[result for results in found for result in results]])
    for axis, (total, product, mean, probabilities) in enumerate(found):
        np.testing.assert_array_equal(total.numpy(), np.zeros(shape).sum(axis))
        np.testing.assert_array_equal(product.numpy(), np.zeros(shape).prod(axis))
        assert np.isnan(mean.numpy()[mean.numpy() != 0]).all() and probabilities.numpy().shape == shape


def test_rank_zero() -> None:
    with running_c():
        ones = [lg.tensor(1, dtype=dtype) for dtype in ALL_DTYPES]
        found = [(x.float().exp().amax(), (x + x).sum(), x + x) for x in ones]
        lg.realize_all([result for results in found for result in results])
    for exponential, total, value in found:
        assert exponential.item() == pytest.approx(np.e, rel=1e-6)
        assert total.item() == value.item()
