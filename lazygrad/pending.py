"""Pending work stays bounded: what nobody reads is computed when too much of it waits.

A loop that only records, such as a count of correct answers over a validation set, would keep the inputs of all its
iterations, and the first read would plan them all as one program. Counting is cheap and looking is not, so the graph is
looked at again when it may have grown by a fraction of what it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd_meta import leaf_of
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.shape import numel
from lazygrad.levels import levels
from lazygrad.runtime.realize import realize

MOST_NODES = 1 << 14
MOST_BYTES = 1 << 24  # of realized values that pending work reads, and that no leaf keeps anyway
_FIRST_LOOK, _LAST_LOOK = 4, 32  # after how many writes, with little and with much that waits


class _Counts:
    """When to look next.

    Attributes:
        writes: to storages since the last look.
        writes_at: how many make the next one worth its time.
        serial_at: of the node at which recording looks.
    """

    writes = 0
    writes_at = _FIRST_LOOK
    serial_at = MOST_NODES


counts = _Counts()


def forget_writes() -> None:
    """Called when the contents that were written to are computed."""
    counts.writes, counts.writes_at = 0, _FIRST_LOOK


def is_look_due() -> bool:
    """Count a write, and say whether it is time to look at what waits for the contents of storages."""
    counts.writes += 1
    return counts.writes >= counts.writes_at and not levels.active


def is_too_much(roots: Sequence[Node]) -> bool:
    """Whether too many nodes, or too large values, wait for ``roots``. If not, it is looked again after some writes.

    The values of leaves that are alive are in memory whether or not anything waits: a network with large parameters and
    in-place activations would else be computed in pieces, cut wherever a look happens to fall.
    """
    order = topological_order(roots, _pending_inputs)
    counts.writes, counts.writes_at = 0, min(max(_FIRST_LOOK, len(order) // 4), _LAST_LOOK)
    read = [node for node in order if node.value is not None and not _is_kept_by_leaf(node)]
    held = sum([node.dtype.itemsize * numel(node.shape) for node in read])
    return held > MOST_BYTES or len(order) > MOST_NODES


def bound(node: Node) -> None:
    """Compute a node that was just recorded, if too many wait for it; looked at again when as many were made."""
    counts.serial_at = node.serial + MOST_NODES // 4
    if not levels.active and len(topological_order([node], _pending_inputs)) > MOST_NODES:
        realize([node])


def _is_kept_by_leaf(node: Node) -> bool:
    """Whether these are the current contents of a living leaf; what an update has replaced is kept by its readers."""
    leaf = leaf_of(node)
    return leaf is not None and leaf._storage.value is node


def _pending_inputs(node: Node) -> tuple[Node, ...]:
    return node.inputs if node.value is None else ()
