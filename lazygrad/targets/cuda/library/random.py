"""Random words, a thread for each block of eight."""

from __future__ import annotations

from math import prod

from lazygrad.codegen.escaping import Code
from lazygrad.ir.node import Node
from lazygrad.targets.cuda.library.arrays import each_element, result
from lazygrad.targets.cuda.library.moves import number
from lazygrad.targets.cuda.writer import Writer

_WORDS = 8


def philox(writer: Writer, node: Node) -> None:
    """Uniform 32-bit words that depend on seed, counter and position alone."""
    out, count = result(writer, node), prod(node.shape)
    seeds, seed = number(writer, node.inputs[0], "seed")
    counters, counter = number(writer, node.inputs[1], "counter")
    each_element(
        writer,
        "philox",
        "philox",
        (-(-count // _WORDS),),
        [("u32 *out", out.start), *seeds, *counters],
        words=count,
        seed=Code(seed),
        counter=Code(counter),
    )
