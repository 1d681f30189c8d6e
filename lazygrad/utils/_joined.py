"""Several values as one, so that what computes them is repeated once for all of their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from lazygrad.ir.build import reshape
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.primitives.movement import slice_
from lazygrad.ir.shape import numel


class Joined:
    """The elements of ``nodes``, all of one dtype, in one vector; a single node stays as it is.

    Attributes:
        node: the joined value.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        flat = [reshape(node, (numel(node.shape),)) for node in nodes]
        self.node = nodes[0] if len(nodes) == 1 else concat(*flat, axis=0)

    def parted(self, joined: Node) -> list[Node]:
        """The values again, from a node like `node`."""
        if len(self._nodes) == 1:
            return [joined]
        ends = list(accumulate(numel(node.shape) for node in self._nodes))
        starts = [0, *ends[:-1]]
        parts = [slice_(joined, start=(a,), stop=(b,), step=(1,)) for a, b in zip(starts, ends, strict=True)]
        return [reshape(part, node.shape) for part, node in zip(parts, self._nodes, strict=True)]
