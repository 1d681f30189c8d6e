"""Where the results of a plan are: what is left of a schedule where one only runs."""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.ir.node import Node


@dataclass(slots=True)
class Results:
    """Where the results of the whole program are; the part of a `Schedule` that an executor reads.

    Attributes:
        inputs: the buffer leaves that are read.
        outputs: by output number, the nodes that are stored.
        roots: for each root, the stored node or input leaf that holds it.
        watched: output number of each watched node, or None where it is not stored.
        alone: numbers of outputs that hold one root and nothing else.
    """

    inputs: list[Node]
    outputs: list[Node]
    roots: list[Node]
    watched: list[int | None]
    alone: frozenset[int]
