"""Gamma and Dirichlet numbers of parameters near the limits, bit by bit, and how they move with their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.special

import lazygrad as lg
from lazygrad.host.calls.quantile_slopes import dirichlet_slope, gamma_slope
from lazygrad.ops.random.gamma import dirichlet, standard_gamma
from tests.oracle.comparing import assert_close

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

_SHAPES = np.tile([0.0, 0.01, 0.3, 0.9, 1.0, 1.5, 3.0, 1e3], 50)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_numbers_are_those_of_torch(dtype: Any) -> None:
    torch.manual_seed(3), lg.manual_seed(3)
    expected = torch._standard_gamma(torch.tensor(_SHAPES.astype(dtype))), torch.randn(3)
    actual = standard_gamma(lg.tensor(_SHAPES.astype(dtype))), lg.randn(3)
    assert_close(actual, expected, slack=0)


@pytest.mark.parametrize("shape", [1.0, 1.6, 2.5, 40.0])
@pytest.mark.parametrize("drawn_before", [0, 1])
def test_many_numbers_of_one_shape_are_those_of_torch(shape: float, drawn_before: int) -> None:
    """They are drawn together, also where a normal number is kept from before, and where one is too small."""
    for count in (63, 64, 65, 3000, 40_001):
        torch.manual_seed(count), lg.manual_seed(count)
        expected = [torch.randn(drawn_before), torch._standard_gamma(torch.full((count,), shape)), torch.randn(3)]
        actual = [lg.randn(drawn_before), standard_gamma(lg.full((count,), shape)), lg.randn(3)]
        assert_close(actual, expected, slack=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dirichlet_points_are_those_of_torch(dtype: Any) -> None:
    rows = _SHAPES.reshape(-1, 4)[:, 1:].astype(dtype)
    torch.manual_seed(3), lg.manual_seed(3)
    assert_close(dirichlet(lg.tensor(rows)), torch._sample_dirichlet(torch.tensor(rows)), slack=0)


@pytest.fixture(autouse=True)
def _quietly() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("draw", [standard_gamma, dirichlet])
def test_short_floats_are_refused_as_by_torch(draw: Any) -> None:
    with pytest.raises(NotImplementedError, match="float16"):
        draw(lg.ones(3, dtype=lg.float16))


def test_a_gamma_number_stays_at_its_quantile() -> None:
    shapes, levels = np.meshgrid(10.0 ** np.linspace(-0.5, 4, 19), np.linspace(0.02, 0.98, 13))
    step = 1e-4 * shapes
    x = scipy.special.gammaincinv(shapes, levels)
    below, above = (scipy.special.gammaincinv(shapes + moved, levels) for moved in (-step, step))
    np.testing.assert_allclose(gamma_slope(shapes, x), (above - below) / (2 * step), rtol=2e-6)


def test_a_beta_number_stays_at_its_quantile() -> None:
    first, second, levels = np.meshgrid([0.3, 1.0, 4.0, 300.0], [0.5, 1.0, 2.5, 100.0], np.linspace(0.02, 0.98, 7))
    step = 1e-4 * first
    x = scipy.special.betaincinv(first, second, levels)
    below, above = (scipy.special.betaincinv(first + moved, second, levels) for moved in (-step, step))
    expected = (above - below) / (2 * step) / (1 - x)
    np.testing.assert_allclose(dirichlet_slope(x, first, first + second), expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_slopes_at_the_ends_are_finite(dtype: Any) -> None:
    shapes = np.array([1e-3, 1e-2, 1.0, 1e4], dtype)
    tiny, almost_one = np.finfo(dtype).tiny, np.nextafter(dtype(1), dtype(0))
    assert np.isfinite(gamma_slope(shapes, np.full_like(shapes, tiny))).all()
    for x in (tiny, almost_one):
        assert np.isfinite(dirichlet_slope(np.full_like(shapes, x), shapes, shapes + 1)).all()


@pytest.mark.parametrize(("draw", "slope"), [(standard_gamma, "gamma_slope"), (dirichlet, "dirichlet_slope")])
def test_a_second_derivative_of_samples_is_refused(draw: Any, slope: str) -> None:
    shape = lg.tensor([2.0, 3.0], requires_grad=True)
    (first,) = lg.autograd.grad((draw(shape) * lg.arange(2)).sum(), [shape], create_graph=True)
    with pytest.raises(NotImplementedError, match=slope):
        first.sum().backward()
        _ = shape.grad.numpy() if shape.grad is not None else None
