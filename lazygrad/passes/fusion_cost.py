"""What is worth sharing a kernel: limits and estimates, kept apart from what is legal.

Fusion here never recomputes a value, so every legal merge saves memory traffic; the limits below keep a row
within the cache and kernels readable.
"""

from __future__ import annotations

from math import prod

from lazygrad.ir.node import Node
from lazygrad.passes.fusion_legality import Domain

# A row that is read again after its reduction must still be in the second-level cache (1 MiB a core is common).
MAX_ROW_ELEMENTS = 1 << 18
MAX_OPS = 64
MAX_INPUTS = 24


def refusal(domain: Domain, needs_whole_row: bool, inputs: int) -> str | None:
    """Why a legal merge is not worth it, or None.

    Args:
        domain: the merged domain.
        needs_whole_row: a full value depends on a row value.
        inputs: distinct stored values it reads.
    """
    if needs_whole_row and domain.row_extent > MAX_ROW_ELEMENTS:
        return f"a row of {domain.row_extent} elements would not stay in cache between its reduction and its second use"
    if needs_whole_row and not domain.reduces and not _trailing(domain):
        return "an operand broadcast along outer axes would be recomputed for every block; it is stored instead"
    if inputs > MAX_INPUTS:
        return f"{inputs} inputs of one kernel exceed the limit of {MAX_INPUTS}"
    return None


def _trailing(domain: Domain) -> bool:
    rank = len(domain.shape)
    return domain.row_axes == frozenset(range(rank - len(domain.row_axes), rank))


def bytes_of(node: Node) -> int:
    type = node.type
    return prod(type.shape) * type.dtype.itemsize
