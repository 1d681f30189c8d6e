"""Every call of visdom that takes numbers, each as a function of a window and of what makes tensors of nested lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Draw = Callable[[Any, Callable[[Any], Any]], Any]

_LINE = [1.0, 4.0, 2.0, 3.0]
_TABLE = [[1.0, 2.0], [3.0, 1.0], [2.0, 5.0], [4.0, 4.0]]
_GREY = [[[0.1 * (i + j) for i in range(4)] for j in range(4)]]
_COLOURED = _GREY * 3

CALLS: dict[str, Draw] = {
    "line": lambda v, t: v.line(t(_LINE)),
    "line of X": lambda v, t: v.line(Y=t(_LINE), X=t([0.0, 1.0, 2.0, 3.0])),
    "lines": lambda v, t: v.line(Y=t(_TABLE), X=t(_TABLE)),
    "line of one number": lambda v, t: v.line(Y=t([0.5]), X=t([1.0]), win="w", update="append"),
    "scatter": lambda v, t: v.scatter(t(_TABLE)),
    "scatter of classes": lambda v, t: v.scatter(t(_TABLE), t([1, 2, 1, 2])),
    "heatmap": lambda v, t: v.heatmap(t(_TABLE)),
    "bar": lambda v, t: v.bar(t(_LINE)),
    "bars": lambda v, t: v.bar(t(_TABLE), opts={"stacked": True}),
    "histogram": lambda v, t: v.histogram(t(_LINE), opts={"numbins": 3}),
    "boxplot": lambda v, t: v.boxplot(t(_TABLE)),
    "surf": lambda v, t: v.surf(t(_TABLE)),
    "contour": lambda v, t: v.contour(t(_TABLE)),
    "quiver": lambda v, t: v.quiver(t(_TABLE), t(_TABLE)),
    "stem": lambda v, t: v.stem(t(_LINE)),
    "pie": lambda v, t: v.pie(t(_LINE)),
    "mesh": lambda v, t: v.mesh(t([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), t([[0, 1, 2], [0, 1, 3]])),
    "image": lambda v, t: v.image(t(_COLOURED)),
    "grey image": lambda v, t: v.image(t(_GREY)),
    "images": lambda v, t: v.images(t([_COLOURED] * 3)),
    "sunburst": lambda v, t: v.sunburst(labels=["a", "b"], parents=["", "a"], values=t([2.0, 1.0])),
    "two axes": lambda v, t: v.dual_axis_lines(t(_LINE), t(_LINE), t(_LINE)),
    "audio": lambda v, t: v.audio(t(_TABLE), opts={"sample_frequency": 4}),
}
