"""matplotlib draws tensors as it draws arrays: the same picture, pixel for pixel."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

# On axes, of a vector of eight and a table of eight by eight.
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "plot": lambda axes, x, t: axes.plot(x),
    "plot of two": lambda axes, x, t: axes.plot(x, x * x, "o-"),
    "plot of columns": lambda axes, x, t: axes.plot(t),
    "plot of one number": lambda axes, x, t: axes.plot([1, 2], [x[0], x[1]]),
    "scatter": lambda axes, x, t: axes.scatter(x, x, s=x * 9 + 1, c=x),
    "bar": lambda axes, x, t: axes.bar(x, x),
    "barh": lambda axes, x, t: axes.barh(x, x),
    "errorbar": lambda axes, x, t: axes.errorbar(x, x, yerr=x),
    "fill_between": lambda axes, x, t: axes.fill_between(x, x, x * x),
    "hist": lambda axes, x, t: axes.hist(x, bins=4),
    "hist2d": lambda axes, x, t: axes.hist2d(x, x, bins=3),
    "imshow": lambda axes, x, t: axes.imshow(t),
    "imshow of colours": lambda axes, x, t: axes.imshow((t / 64)[:, :, None].repeat(3, 2) if isinstance(t, np.ndarray)
                                                        else (t / 64)[:, :, None].repeat(1, 1, 3)),
    "matshow": lambda axes, x, t: axes.matshow(t),
    "pcolormesh": lambda axes, x, t: axes.pcolormesh(x, x, t),
    "contour": lambda axes, x, t: axes.contour(x, x, t),
    "contourf": lambda axes, x, t: axes.contourf(t),
    "quiver": lambda axes, x, t: axes.quiver(x, x, x, x),
    "step": lambda axes, x, t: axes.step(x, x),
    "stem": lambda axes, x, t: axes.stem(x, x),
    "stackplot": lambda axes, x, t: axes.stackplot(x, t),
    "boxplot": lambda axes, x, t: axes.boxplot(x),
    "violinplot": lambda axes, x, t: axes.violinplot(x),
    "pie": lambda axes, x, t: axes.pie(x),
    "lines and limits": lambda axes, x, t: (axes.axhline(x[3]), axes.axvline(x[2]), axes.set_xlim(x[0], x[7])),
    "text": lambda axes, x, t: axes.text(x[1] / 9, x[2] / 9, "words"),
    "vlines": lambda axes, x, t: axes.vlines(x, 0, x),
    "semilogy": lambda axes, x, t: axes.semilogy(x + 1),
    "hexbin": lambda axes, x, t: axes.hexbin(x, x, gridsize=4),
}  # fmt: skip


@pytest.mark.host_memory("matplotlib reads the memory of tensors")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_it_draws_the_same_picture(call: Callable[[Any, Any, Any], Any]) -> None:
    x = np.arange(8, dtype=np.float32)
    table = np.arange(64, dtype=np.float32).reshape(8, 8)
    np.testing.assert_array_equal(picture(call, lg.tensor(x), lg.tensor(table)), picture(call, x, table))


@pytest.mark.host_memory("matplotlib reads the memory of tensors")
@pytest.mark.parametrize("name", ["boxplot", "violinplot", "hist"])
def test_tables_are_columns_where_lazygrad_is_torch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """matplotlib takes the columns of an array and the rows of any other sequence; it knows tensors as torch's."""
    monkeypatch.setitem(sys.modules, "torch", lg)  # as `lazygrad.as_torch` has it
    table = np.arange(64, dtype=np.float32).reshape(8, 8)

    def call(axes: Any, table: Any) -> Any:
        return getattr(axes, name)(table)

    np.testing.assert_array_equal(picture(call, lg.tensor(table)), picture(call, table))


def picture(call: Callable[[Any, Any, Any], Any], *values: Any) -> np.ndarray:
    figure = pyplot.figure(figsize=(1.5, 1.5), dpi=50)
    try:
        call(figure.add_subplot(), *values)
        figure.canvas.draw()
        return np.array(figure.canvas.buffer_rgba())
    finally:
        pyplot.close(figure)
