"""grid_sample at, beyond and near the edges, and where the grid is not finite: values and gradients are PyTorch's."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike

inf, nan = float("inf"), float("nan")
_MODES = {2: ("bilinear", "nearest", "bicubic"), 3: ("bilinear", "nearest")}
_SIZES = {2: ((1, 4), (3, 1), (4, 5)), 3: ((1, 4, 2), (3, 1, 4), (1, 1, 1))}
_FORMS = [
    (rank, mode, padding, corners)
    for rank, modes in _MODES.items()
    for mode in modes
    for padding in ("zeros", "border", "reflection")
    for corners in (False, True)
]
_POINTS = 24


def _edges(size: int) -> list[float]:
    """Coordinates of the elements' centers and borders in both conventions, of the edges, around and beyond them."""
    centers = [(2 * i + 1) / size - 1 for i in range(size)] + [2 * i / max(size - 1, 1) - 1 for i in range(size)]
    return [-1, 1, 0, 1 - 1 / size, 1 + 1 / size, -1 - 1 / size, 2, -2, 3.5, -3.5, 0.3, -0.7, 10, -1e7, *centers]


def _grid(sizes: tuple[int, ...], special: tuple[float, ...] = ()) -> Any:
    random = np.random.default_rng(len(special))
    columns = [random.choice(_edges(size), size=(2, _POINTS)) for size in reversed(sizes)]
    if special:
        columns = [
            np.where(random.random((2, _POINTS)) < 0.4, random.choice(special, (2, _POINTS)), c) for c in columns
        ]
    return np.stack(columns, -1).reshape(2, *(1,) * (len(sizes) - 1), _POINTS, len(sizes))


def _sampled(grid: Any, sizes: tuple[int, ...], options: dict[str, Any], needing: str, t: Any) -> Any:
    numbers = np.random.default_rng(1)
    image = t.tensor(numbers.standard_normal((2, 3, *sizes)) * 10, requires_grad="input" in needing)
    places = t.tensor(grid, requires_grad="grid" in needing)
    result = t.nn.functional.grid_sample(image, places, **options)
    if not needing:
        return result
    weights = t.tensor(numbers.standard_normal(tuple(result.shape)))
    wanted = [x for x in (image, places) if x.requires_grad]
    return result.detach(), t.autograd.grad((result * weights).sum(), wanted)


def _options(mode: str, padding: str, corners: bool) -> dict[str, Any]:
    return {"mode": mode, "padding_mode": padding, "align_corners": corners}


@pytest.mark.parametrize("needing", ["input, grid", "grid", "input"])
@pytest.mark.parametrize(("rank", "mode", "padding", "corners"), _FORMS)
def test_at_the_edges(rank: int, mode: str, padding: str, corners: bool, needing: str, torch: Any) -> None:
    for sizes in _SIZES[rank]:
        program = partial(_sampled, _grid(sizes), sizes, _options(mode, padding, corners), needing)
        assert_alike(program, torch, lg, slack=1e4)  # places of 1e7 have fewer digits behind the point


@pytest.mark.parametrize(("rank", "mode", "padding", "corners"), _FORMS)
def test_where_the_grid_is_not_finite(rank: int, mode: str, padding: str, corners: bool, torch: Any) -> None:
    """Values are PyTorch's, and gradients where it has those of its values.

    PyTorch's process ends in the backward pass of bilinear images with other paddings than zeros. Its gradient of a
    volume that is read at a place that is NaN does not reach the element that was read.
    """
    options = _options(mode, padding, corners)
    for sizes in _SIZES[rank]:
        grid = _grid(sizes, (nan, inf, -inf))
        has_gradient = padding == "zeros" or mode == "bicubic"
        program = partial(_sampled, grid, sizes, options, "input, grid" if has_gradient else "")
        assert_alike(program, torch, lg, slack=1e4)


@pytest.mark.parametrize(("rank", "mode", "padding", "corners"), [
    form for form in _FORMS if form[1] != "bicubic" and form[2] != "zeros"
])  # fmt: skip
def test_a_place_that_is_no_number_is_outside(rank: int, mode: str, padding: str, corners: bool) -> None:
    """Below the first element of an image and above the last one of a volume; reflection makes infinity NaN."""
    for sizes in _SIZES[rank]:
        grid = _grid(sizes, (nan, inf, -inf))
        outside = np.where(np.isnan(grid), -1e6 if rank == 2 else 1e6, grid)
        options = _options(mode, "border", corners)
        if padding == "reflection":
            grid = np.where(np.isfinite(grid), 0.3, grid)
            outside = np.where(np.isfinite(grid), 0.3, -1e6 if rank == 2 else 1e6)
            inside = partial(_sampled, np.full_like(grid, 0.3), sizes)
            same = [
                inside(_options(mode, kind, corners), "input, grid", lg)[0].tolist() for kind in (padding, "border")
            ]
            assert same[0] == same[1]
        expected = _sampled(outside, sizes, options, "input, grid", lg)
        found = _sampled(grid, sizes, _options(mode, padding, corners), "input, grid", lg)
        for wanted, got in zip((expected[0], *expected[1]), (found[0], *found[1]), strict=True):
            np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-12, atol=1e-12)


def test_no_slope_at_the_border() -> None:
    """The last element is the border: the place has no gradient there, in either direction."""
    image = lg.tensor([[[[10.0, 20.0, 30.0, 40.0]]]])
    for x in (1.0, -1.0):
        grid = lg.tensor([[[[x, 0.0]]]], requires_grad=True)
        lg.nn.functional.grid_sample(image, grid, padding_mode="border", align_corners=True).sum().backward()
        assert grid.grad.tolist() == [[[[0.0, 0.0]]]]


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [False, True])
def test_an_identity_transformer(padding: str, corners: bool, torch: Any) -> None:
    """Its grid lies on the elements, where slopes differ on either side: rounding decides, and is PyTorch's."""

    def gradient(sizes: tuple[int, ...], t: Any) -> Any:
        rank = len(sizes)
        theta = t.eye(rank, rank + 1).reshape(1, rank, rank + 1).requires_grad_()
        numbers = t.arange(float(np.prod(sizes)))
        image = numbers.square().reshape(1, 1, *sizes)
        grid = t.nn.functional.affine_grid(theta, (1, 1, *sizes), align_corners=corners)
        result = t.nn.functional.grid_sample(image, grid, padding_mode=padding, align_corners=corners)
        return grid, t.autograd.grad((result * numbers.cos().reshape(1, 1, *sizes)).sum(), grid)

    for sizes in ((1, 4), (4, 5), (7, 9), (8, 16), (3, 4, 5), (6, 7, 2)):
        assert_alike(partial(gradient, sizes), torch, lg, slack=100)
