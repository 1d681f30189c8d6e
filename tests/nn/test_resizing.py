"""Resizing to whole multiples, to other sizes and of bytes, equal to PyTorch's; what its graphs are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike

SHAPES = {"linear": (2, 3, 5), "bilinear": (2, 3, 5, 4), "trilinear": (1, 2, 3, 4, 2), "bicubic": (2, 3, 5, 4)}
SHAPES |= {"nearest": (2, 3, 5, 4), "nearest-exact": (2, 3, 5, 4)}
FACTORS = [2, 3, 4, 8, 9, 1, 0.5, 1.5, (2, 3), (4, 1)]


def _numbers(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype("float32")


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("mode", SHAPES)
def test_factors(mode: str, factor: Any, torch: Any) -> None:
    if isinstance(factor, tuple) and len(SHAPES[mode]) != 4:
        factor = factor[0] * factor[1]

    def resized(t: Any) -> Any:
        x = t.tensor(_numbers(SHAPES[mode]), requires_grad=True)
        y = t.nn.functional.interpolate(x, scale_factor=factor, mode=mode)
        (y * t.cos(t.arange(y.numel()).reshape(y.shape))).sum().backward()
        return y, x.grad

    assert_alike(resized, torch, lg, slack=4)


@pytest.mark.parametrize("size", [(10, 8), (5, 4), (15, 7), (3, 2), (40, 31)])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_bytes(mode: str, antialias: bool, corners: bool, size: tuple[int, int], torch: Any) -> None:
    values = np.random.default_rng(1).integers(0, 256, (2, 3, 5, 4)).astype("uint8")

    def resized(t: Any) -> Any:
        x = t.tensor(values)
        return t.nn.functional.interpolate(x, size, mode=mode, align_corners=corners, antialias=antialias)

    assert_alike(resized, torch, lg, slack=0)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_a_multiple_is_made_of_slices(mode: str) -> None:
    x = lg.ones(2, 3, 5, 4, requires_grad=True)
    lg.nn.functional.interpolate(x, scale_factor=2, mode=mode).square().sum().backward()
    primitive = str(lg.stages(x.grad).primitive)
    assert not [op for op in ("gather", "take", "put", "scatter") if f"= {op} " in primitive]


@pytest.mark.parametrize("mode", ["linear", "bilinear", "trilinear", "bicubic"])
def test_integers_are_refused(mode: str, torch: Any) -> None:
    for t in (lg, torch):
        with pytest.raises(NotImplementedError):
            t.nn.functional.interpolate(t.ones(SHAPES[mode], dtype=t.int32), scale_factor=2, mode=mode)


def test_an_infinity_stays_among_its_neighbours(torch: Any) -> None:
    def resized(t: Any) -> Any:
        x = t.zeros(1, 1, 6)
        x[0, 0, 3] = float("inf")
        return t.isfinite(t.nn.functional.interpolate(x, scale_factor=2, mode="linear"))

    assert_alike(resized, torch, lg)
