"""Pointwise operations on many elements, computed a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad.host.threads import get_num_threads, set_num_threads
from lazygrad.targets.numpy import pieces

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

SHAPES = [
    ((70_000,), (70_000,)),
    ((3, 50, 700), (50, 1)),
    ((1, 2, 300, 200), (2, 1, 1)),
    ((1, 100_000), (1, 1)),
    ((260, 1, 260), (1, 260)),
]


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    before, interpreted = get_num_threads(), lg.get_interpreted_runs()
    set_num_threads(2)
    lg.set_interpreted_runs(1_000_000)
    yield
    set_num_threads(before)
    lg.set_interpreted_runs(interpreted)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_values_do_not_depend_on_pieces(shapes: tuple[tuple[int, ...], ...], monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (torch.randn(shape, generator=torch.Generator().manual_seed(0)).numpy() for shape in shapes)

    def computed() -> list[np.ndarray]:
        a, b = lg.tensor(x), lg.tensor(y)
        return [F.gelu(a).numpy(), lg.lerp(a, b, 0.3).numpy(), (a + b).numpy(), F.silu(a.flip(0)).numpy()]

    in_pieces = computed()
    assert x.size > 2 * pieces.PIECE
    monkeypatch.setattr(pieces, "PIECE", 1 << 30)
    monkeypatch.setattr(pieces, "_GRAIN", 1 << 30)
    for found, expected in zip(in_pieces, computed(), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(in_pieces[0], torch.nn.functional.gelu(torch.tensor(x)).numpy(), atol=1e-6)


def test_each_piece_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def add(node: object, out: np.ndarray, operands: list[np.ndarray]) -> None:
        seen.append(out.size)
        np.add(*operands, out=out)

    x = np.arange(100_000.0).reshape(100, 1000)
    out = np.empty_like(x)
    pieces.in_pieces(add)(None, out, [x, np.float64(1)])  # type: ignore[arg-type]
    np.testing.assert_array_equal(out, x + 1)
    assert sum(seen) == x.size and max(seen) <= pieces.PIECE
    seen.clear()
    pieces.in_pieces(add)(None, out, [x.T.copy().T, np.ones((1, 1000))])  # type: ignore[arg-type]
    np.testing.assert_array_equal(out, x + 1)
    assert sum(seen) == x.size and max(seen) <= pieces.PIECE


def test_many_elements_are_updated_in_place() -> None:
    x = torch.randn(200, 500)
    found = lg.tensor(x.numpy()).mul_(2).exp_()
    np.testing.assert_allclose(found.numpy(), x.mul(2).exp().numpy(), rtol=1e-6)
