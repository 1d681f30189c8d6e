"""What is worth sharing a kernel: limits and estimates, kept apart from what is legal.

Fusion here never recomputes a value, so every legal merge saves memory traffic; the limits keep a row within the cache
and kernels readable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from lazygrad.ir.node import Node
from lazygrad.passes.fusion_legality import Domain


@dataclass(frozen=True, slots=True)
class FusionLimits:
    """How large a kernel may become on one target. The defaults are those of a processor.

    Attributes:
        row_elements: of a row that is read again after its reduction; it must still be in the cache then. In the
            second-level cache of a processor 1 MiB a core is common.
        ops: computed by one kernel.
        inputs: distinct stored values that one kernel reads.
    """

    row_elements: int = 1 << 18
    ops: int = 64
    inputs: int = 24


DEFAULT_LIMITS = FusionLimits()


def tightest(limits: Iterable[FusionLimits]) -> FusionLimits:
    """The limits that keep all of ``limits``, of which there is at least one."""
    each = list(limits)
    return FusionLimits(
        min(one.row_elements for one in each), min(one.ops for one in each), min(one.inputs for one in each)
    )


def refusal(domain: Domain, needs_whole_row: bool, inputs: int, limits: FusionLimits) -> str | None:
    """Why a legal merge is not worth it, or None.

    Args:
        domain: the merged domain.
        needs_whole_row: a full value depends on a row value.
        inputs: distinct stored values it reads.
        limits: of the targets that may run the kernel.
    """
    if needs_whole_row and domain.row_extent > limits.row_elements:
        return f"a row of {domain.row_extent} elements would not stay in cache between its reduction and its second use"
    if needs_whole_row and not domain.reduces and not _trailing(domain):
        return "an operand broadcast along outer axes would be recomputed for every block; it is stored instead"
    if inputs > limits.inputs:
        return f"{inputs} inputs of one kernel exceed the limit of {limits.inputs}"
    return None


def _trailing(domain: Domain) -> bool:
    rank = len(domain.shape)
    return domain.row_axes == frozenset(range(rank - len(domain.row_axes), rank))


def bytes_of(node: Node) -> int:
    type = node.type
    return prod(type.shape) * type.dtype.itemsize
