"""One value that somebody looks at now: the short way to it where it is little work, else a realization."""

from __future__ import annotations

from lazygrad.ir.node import Node
from lazygrad.runtime.profiling import profiling
from lazygrad.runtime.realize import realize, realize_if_small


def realize_one(node: Node) -> None:
    """`realize` of one node.

    What reads a computed value through views shares its memory, which `realize` sees to. Of all else, what is little
    work needs nothing that `realize` prepares for a program.
    """
    if profiling.recorder is None and not _is_view_of_computed(node):
        realize_if_small(node)
    if node.value is None:
        realize([node])


def _is_view_of_computed(node: Node) -> bool:
    while node.value is None and node.op.is_alias:
        node = node.inputs[0]
    return node.value is not None
