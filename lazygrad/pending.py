"""Pending work stays bounded: what nobody reads is computed when too much of it waits.

A loop that only records, such as a count of correct answers over a validation set, would keep the inputs of all its
iterations, and the first read would plan them all as one program. A look counts the nodes that no look has counted
before, so all looks together take time in proportion to what was recorded. The steps of a training each end with the
writes computed. Where a step writes the same as one before it, after as many nodes, a look would find the same; for
some steps there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd_meta import leaf_of
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, TensorType, next_serial
from lazygrad.ir.shape import numel
from lazygrad.levels import levels
from lazygrad.runtime.realize import realize

MOST_NODES = 1 << 14
MOST_BYTES = 1 << 24  # of realized values that pending work reads, and that no leaf keeps anyway
_FIRST_LOOK, _LAST_LOOK = 4, 32  # after how many writes, with little and with much that waits
_MOST_STEPS = 64  # that a look stands for
_MOST_KNOWN = 1 << 12  # of their writes


class _Counts:
    """When to look next.

    Attributes:
        writes: to storages since the last look.
        writes_at: how many make the next one worth its time.
        serial_at: of the node at which recording looks.
        written: to storages since their contents were last computed.
        began: the serial of the first of these writes.
        counted: the serials of the nodes that looks have counted since the contents of storages were last computed.
        nodes: how many these are.
        bytes: of realized values among them that no leaf keeps.
        known: of the steps that a look may stand for, each write's number, what was written, and how many nodes were
            made up to it since the first write.
        steps: how many of them there were.
    """

    writes = 0
    writes_at = _FIRST_LOOK
    serial_at = MOST_NODES
    written = 0
    began = 0
    steps = 0
    nodes = 0
    bytes = 0

    def __init__(self) -> None:
        self.known: set[tuple[int, TensorType, int]] = set()
        self.counted: set[int] = set()

    def count(self, roots: Sequence[Node]) -> None:
        """Count what waits for ``roots`` and was not counted yet."""
        new = [node for node in topological_order(roots, _inputs_not_counted) if node.serial not in self.counted]
        read = [node for node in new if node.value is not None and not _is_kept_by_leaf(node)]
        self.counted.update([node.serial for node in new])
        self.nodes += len(new)
        self.bytes += sum([node.dtype.itemsize * numel(node.shape) for node in read])

    def is_too_much(self) -> bool:
        return self.bytes > MOST_BYTES or self.nodes > MOST_NODES

    def forget(self) -> None:
        """Nothing was counted."""
        self.counted.clear()
        self.nodes = self.bytes = 0


counts = _Counts()


def forget_writes() -> None:
    """Called when the contents that were written to are computed."""
    if counts.written:
        counts.writes, counts.writes_at, counts.written = 0, _FIRST_LOOK, 0
        counts.forget()
        counts.steps += 1
        if counts.steps > _MOST_STEPS or len(counts.known) > _MOST_KNOWN:
            _forget_steps()


def is_look_due(value: Node) -> bool:
    """Count a write of ``value``, and say whether it is time to look at what waits for the contents of storages."""
    counts.writes += 1
    is_known = _is_known(value)
    return counts.writes >= counts.writes_at and not is_known and not levels.active


def _is_known(value: Node) -> bool:
    """Note a write, and say whether an earlier step had the same at this point."""
    serial = next_serial()
    if not counts.written:
        counts.began = serial
    counts.written += 1
    write = (counts.written, value.type, serial - counts.began)
    if write in counts.known:
        return True
    counts.known.add(write)
    return False


def _forget_steps() -> None:
    counts.known.clear()
    counts.steps = 0


def is_too_much(roots: Sequence[Node]) -> bool:
    """Whether too many nodes, or too large values, wait for ``roots``. If not, it is looked again after some writes.

    The values of leaves that are alive are in memory whether or not anything waits: a network with large parameters and
    in-place activations would else be computed in pieces, cut wherever a look happens to fall.
    """
    counts.count(roots)
    if counts.is_too_much():  # or was, before some of it was computed
        counts.forget()
        counts.count(roots)
    counts.writes, counts.writes_at = 0, min(max(_FIRST_LOOK, counts.nodes // 4), _LAST_LOOK)
    is_much = counts.is_too_much()
    if is_much:
        _forget_steps()
    return is_much


def bound(node: Node) -> None:
    """Compute a node that was just recorded, if too many wait for it; looked at again when as many were made."""
    counts.serial_at = node.serial + MOST_NODES // 4
    if not levels.active and len(topological_order([node], _pending_inputs)) > MOST_NODES:
        realize([node])


def _is_kept_by_leaf(node: Node) -> bool:
    """Whether these are the current contents of a living leaf; what an update has replaced is kept by its readers."""
    leaf = leaf_of(node)
    return leaf is not None and leaf._storage.value is node


def _inputs_not_counted(node: Node) -> tuple[Node, ...]:
    return node.inputs if node.value is None and node.serial not in counts.counted else ()


def _pending_inputs(node: Node) -> tuple[Node, ...]:
    return node.inputs if node.value is None else ()
