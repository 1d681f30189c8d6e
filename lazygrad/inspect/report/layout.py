"""Where the boxes of a graph stand: in layers, each below what it reads.

Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures", 1981. The layers follow
from the longest paths, their order from the medians of neighbours, positions from pulling boxes towards their
neighbours. Edges across several layers get no bends of their own, so the work is linear in the size of the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low

_SWEEPS = 4
_PULLS = 6

Edge = tuple[int, int]
Point = tuple[float, float]


def layered(count: int, edges: Sequence[Edge]) -> list[Point]:
    """Positions of ``count`` boxes, in units of a box with its distance to the next.

    Args:
        count: of boxes, of which each has a number.
        edges: from what is read to what reads it. Those that lead from a number to a smaller one are left out: they
            are the backward edges of a graph whose numbers are in order.

    Returns:
        For each box ``x`` and its layer.
    """
    forward = [edge for edge in dict.fromkeys(edges) if edge[0] < edge[1]]
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for source, target in forward:
        above[target].append(source)
        below[source].append(target)
    ranks = _ranks(count, above, below)
    layers: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    for box, rank in enumerate(ranks):
        layers[rank].append(box)
    _order(layers, above, below)
    x = _positions(layers, above, below)
    return [(x[box], float(ranks[box])) for box in range(count)]


def _ranks(count: int, above: list[list[int]], below: list[list[int]]) -> list[int]:
    """The longest path to each box. What has at least as many readers as inputs stands right above its first reader,
    which makes edges shorter, or no longer."""
    ranks = [0] * count
    for box in range(count):
        ranks[box] = max([ranks[source] + 1 for source in above[box]], default=0)
    for box in reversed(range(count)):
        if below[box] and len(above[box]) <= len(below[box]):
            ranks[box] = min(ranks[target] for target in below[box]) - 1
    return ranks


def _order(layers: list[list[int]], above: list[list[int]], below: list[list[int]]) -> None:
    """Sort each layer by the medians of its neighbours' places, downwards and upwards in turn."""
    place = {box: float(i) for layer in layers for i, box in enumerate(layer)}
    for sweep in range(_SWEEPS):
        neighbours = below if sweep % 2 else above
        for layer in reversed(layers) if sweep % 2 else layers:
            wanted = {box: _median(neighbours[box], place, place[box]) for box in layer}
            layer.sort(key=wanted.__getitem__)
            for i, box in enumerate(layer):
                place[box] = i - len(layer) / 2


def _positions(layers: list[list[int]], above: list[list[int]], below: list[list[int]]) -> dict[int, float]:
    """Pull boxes towards the medians of their neighbours, and push those of one layer apart."""
    x = {box: i - (len(layer) - 1) / 2 for layer in layers for i, box in enumerate(layer)}
    for pull in range(_PULLS):
        neighbours = below if pull % 2 else above
        for layer in reversed(layers) if pull % 2 else layers:
            _spread(layer, [_median(neighbours[box], x, x[box]) for box in layer], x)
    return x


def _spread(layer: list[int], wanted: list[float], x: dict[int, float]) -> None:
    """The positions in order, at least 1 apart, that are nearest to the wanted ones: neighbours that collide move on
    together, around the mean of what they want."""
    blocks: list[tuple[float, int]] = []  # where the first box would stand, summed over its boxes, and how many
    for i, want in enumerate(wanted):
        total, size = want - i, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            before, boxes = blocks.pop()
            total, size = total + before, size + boxes
        blocks.append((total, size))
    i = 0
    for total, size in blocks:
        for _ in range(size):
            x[layer[i]] = total / size + i
            i += 1


def _median(neighbours: list[int], values: dict[int, float], default: float) -> float:
    return median_low([values[each] for each in neighbours]) if neighbours else default
