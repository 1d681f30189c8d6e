"""Kernels that run on finished parts of a product or convolution, while those are still in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.view import contiguous_strides
from lazygrad.passes.views import is_whole, view_of
from lazygrad.targets.c.kernel import CKernel
from lazygrad.targets.c.library_functions import in_library, is_serial
from lazygrad.targets.c.regions import Region


def takes_epilogue(call: Node) -> bool:
    """Whether the C library can run a kernel on finished parts of this call's output."""
    return call.op in (ct.matmul, ct.conv) and in_library(call) and not is_serial(call)


def parts_of(call: Node) -> tuple[int, ...]:
    """Into how many parts a call can cut its output, which it finishes one after another: rows of a product; channels
    of all images of a convolution, or images."""
    return (prod(call.shape[:2]), call.shape[0]) if call.op is ct.conv else (prod(call.shape[:-1]),)


@dataclass(frozen=True, slots=True)
class Following:
    """How a kernel follows a call: on ``parts`` parts of its output, with ``units`` of its own units for each."""

    parts: int
    units: int


def following(call: Node, step: LoweredKernel, kernel: CKernel) -> Following | None:
    """How the kernel can follow part by part, in parts as small as may be; None if it cannot.

    It can if its units, in order, walk the leading axes, and it reads the output at its own index only, or at the first
    one along axes within a unit.
    """
    nest = kernel.nest
    leading = nest.units == tuple(range(len(nest.units)))
    if nest.split or nest.tiles or kernel.is_serial or not leading:
        return None
    reads = [number for number, source in enumerate(step.arguments) if view_of(source)[0] is call]
    for number in reads:
        if not _reads_own_unit(step, number, len(nest.units), call):
            return None
    fitting = [parts for parts in parts_of(call) if parts and nest.extent % parts == 0]
    return Following(fitting[0], nest.extent // fitting[0]) if reads and fitting else None


def _reads_own_unit(step: LoweredKernel, number: int, units: int, call: Node) -> bool:
    """Whether a unit, of the leading axes, reads what it numbers of the call's output."""
    load, sizes = step.kernel.loads[number], step.kernel.sizes
    if load.inside or load.offset or prod(sizes) != prod(call.shape):
        return False
    if not is_whole(view_of(step.arguments[number])[1], call) and load.sizes == sizes:
        return False
    in_order = zip(load.sizes, sizes, load.strides, contiguous_strides(sizes), strict=True)
    return all(
        [
            (own == size and stride == whole) or (own == 1 and (size == 1 or axis >= units))
            for axis, (own, size, stride, whole) in enumerate(in_order)
        ]
    )


def is_race(call_reads: list[Region], kernel_writes: list[Region]) -> bool:
    """Whether one thread's kernel could write what another thread's part of the call still reads."""
    return any(write.overlaps(read) for write in kernel_writes for read in call_reads)
