"""Gradients of tables as the rows that were looked up, for embeddings that ask for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazygrad.autograd.callbacks import callbacks_at
from lazygrad.ir.composites.lookup import lookup
from lazygrad.ir.node import Node
from lazygrad.tensor import Tensor

Assemble = Callable[[Node, Sequence[Node], Sequence[Node]], Tensor]


class SparseGradients:
    """What `backward` needs to know of sparse tensors, which stand above it.

    Attributes:
        assemble: makes a gradient, from a table, lookups in it, and the gradients of these. `lazygrad.sparse` sets it.
        are_wanted: whether any lookup has asked for one; programs without such pay for one comparison.
    """

    assemble: Assemble
    are_wanted = False


def lookups_in(leaves: Sequence[Node], reached: Sequence[Node]) -> dict[Node, list[Node]]:
    """The lookups in each of the leaves that nothing else reads, and whose gradient no hook waits for.

    Args:
        leaves: what gradients are accumulated for.
        reached: the history of the outputs.
    """
    if not SparseGradients.are_wanted:
        return {}
    found: dict[Node, list[Node]] = {}
    candidates = {leaf for leaf in leaves if callbacks_at(leaf) is None}
    for node in reached:
        if node.op is lookup and node.inputs[0] in candidates:
            found.setdefault(node.inputs[0], []).append(node)
        else:
            candidates.difference_update(node.inputs)
    return {leaf: lookups for leaf, lookups in found.items() if leaf in candidates}
