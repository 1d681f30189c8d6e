"""Resizing to whole multiples, to other sizes and of bytes, equal to PyTorch's; what its graphs are made of."""

from __future__ import annotations

from functools import partial
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


_FACTORS_AND_SIZES: list[dict[str, Any]] = [
    *[{"scale_factor": factor} for factor in (0.5, 0.75, 1.0, 1.1, 1.3, 1.34, 1.5, 2.0, 2.1, 2.4, 3.3)],
    *[{"scale_factor": factor, "recompute_scale_factor": True} for factor in (0.75, 1.1, 1.3, 2.4)],
    *[{"size": size} for size in (1, 2, 3, 5, 6, 10)],
]
_OF_RANK = {1: ("linear", "nearest", "nearest-exact", "area"),
            2: ("bilinear", "bicubic", "nearest", "nearest-exact", "area"),
            3: ("trilinear", "nearest", "nearest-exact", "area")}  # fmt: skip
_FORMS = [(rank, mode, corners, antialias)
          for rank, modes in _OF_RANK.items()
          for mode in modes
          for corners in ((None, True) if mode in ("linear", "bilinear", "trilinear", "bicubic") else (None,))
          for antialias in ((False, True) if mode in ("bilinear", "bicubic") else (False,))]  # fmt: skip


@pytest.mark.parametrize(("rank", "mode", "corners", "antialias"), _FORMS)
def test_every_factor_and_size(rank: int, mode: str, corners: bool | None, antialias: bool, torch: Any) -> None:
    """Values are PyTorch's; gradients are those of these values.

    PyTorch's own gradients are those of a copy where an extent stays, also where its values are not a copy: in the
    modes nearest (signals, volumes, images of more than 128 rows and columns) and bicubic. With antialias it is the
    other way around. Its values of an antialiased image with one row or column are not those that its gradient is of;
    the next test has these.
    """
    for size in (2, 3, 5) if antialias else (1, 2, 3, 5):
        for options in _FACTORS_AND_SIZES:
            if int(size * options.get("scale_factor", 1)) == 0:
                continue
            options = options | {"mode": mode, "align_corners": corners, "antialias": antialias}
            shape = (*(2,) * (rank - 1), size)
            assert_alike(partial(_with_gradient, shape, options), torch, lg, slack=20)


def _with_gradient(shape: tuple[int, ...], options: dict[str, Any], t: Any) -> Any:
    x = t.tensor(_numbers((2, 3, *shape)), requires_grad=True)
    y = t.nn.functional.interpolate(x, **options)
    weights = t.cos(t.arange(y.numel(), dtype=t.float32)).reshape(y.shape)
    (gradient,) = t.autograd.grad((y * weights).sum(), x) if t is lg else (_of_its_values(t, shape, options, weights),)
    return y.detach(), gradient


def _of_its_values(torch: Any, shape: tuple[int, ...], options: dict[str, Any], weights: Any) -> Any:
    """The gradient of a linear function from its values: what it makes of each unit vector, weighed."""
    units = torch.eye(int(np.prod(shape))).reshape(-1, 1, *shape)
    made = torch.nn.functional.interpolate(units, **options).flatten(1)
    return (weights.flatten(2) @ made.T).reshape(*weights.shape[:2], *shape)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("factor", [1.1, 1.5, 2, 0.5])
@pytest.mark.parametrize("shape", [(6, 1), (1, 6)])
def test_one_antialiased_column(mode: str, factor: float, shape: tuple[int, int], torch: Any) -> None:
    """PyTorch repeats the first element of a column, or copies; its gradient is that of the values here."""
    x = torch.tensor(_numbers((1, 1, *shape)))
    options = {"size": tuple([max(int(n * factor), 1) for n in shape]), "mode": mode, "antialias": True}
    (slopes,) = torch.autograd.functional.jacobian(
        lambda x: (torch.nn.functional.interpolate(x, **options),), x
    )  # of a linear function: its matrix
    expected = (slopes.flatten(4) @ x.flatten()).flatten()
    found = lg.nn.functional.interpolate(lg.tensor(x.numpy()), **options)
    np.testing.assert_allclose(found.flatten().tolist(), expected.tolist(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(60, 68), (60, 69), (3, 125), (3, 126), (30, 34), (30, 35)])
def test_small_images_of_nearest_elements_go_by_their_sizes(shape: tuple[int, int], torch: Any) -> None:
    """The sizes decide up to 128 rows and columns of output; from there on the factor does."""
    for factor in (1.001, 2.01):

        def resized(t: Any, factor: float = factor) -> Any:
            return t.nn.functional.interpolate(t.tensor(_numbers((1, 2, *shape))), scale_factor=factor)

        assert_alike(resized, torch, lg, slack=0)


@pytest.mark.parametrize("mode", SHAPES)
def test_what_stays_is_a_copy(mode: str) -> None:
    x = lg.tensor(_numbers(SHAPES[mode]))
    y = lg.nn.functional.interpolate(x, size=SHAPES[mode][2:], mode=mode)
    y.zero_()
    assert x.tolist() == _numbers(SHAPES[mode]).tolist()


@pytest.mark.parametrize("factor", [1, 1.15])
@pytest.mark.parametrize("mode", ["linear", "bilinear", "trilinear"])
def test_nothing_is_computed_along_an_extent_that_stays(mode: str, factor: float) -> None:
    """An infinity stays one: PyTorch multiplies it by 0, which makes it NaN."""
    x = _numbers(SHAPES[mode])
    x[0, 0].flat[0] = np.inf
    x = x[..., :4]
    assert lg.nn.functional.interpolate(lg.tensor(x), scale_factor=factor, mode=mode).tolist() == x.tolist()


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_bytes_by_factors(mode: str, antialias: bool, corners: bool, torch: Any) -> None:
    values = np.random.default_rng(1).integers(0, 256, (2, 3, 5, 4)).astype("uint8")
    for factor in (0.75, 1.0, 1.1, 1.2, 1.5, 2.1):

        def resized(t: Any, factor: float = factor) -> Any:
            return t.nn.functional.interpolate(
                t.tensor(values), scale_factor=factor, mode=mode, align_corners=corners, antialias=antialias
            )

        assert_alike(resized, torch, lg, slack=0)
