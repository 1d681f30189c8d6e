"""What the drivers of all targets have in common: the opening line, the names of values, and calls of kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from lazygrad.codegen.escaping import Code, Words
from lazygrad.codegen.kernel import Load, Store
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.codegen.naming import Names, value_word
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.passes.fuse import Group

Step = tuple[Code, Words]  # a statement, and the places it comes from


def opening(title: str, steps: Sequence[Group], kernels: int, arena_bytes: int) -> str:
    """What the source's first comment says.

    Args:
        title: how it begins.
        steps: of the schedule.
        kernels: how many distinct ones there are.
        arena_bytes: scratch memory.
    """
    libraries = sum(group.is_library for group in steps)
    calls = f"kernel calls: {len(steps) - libraries} ({kernels} distinct), library calls: {libraries}"
    return f"{title + ': ' if title else ''}{calls}, arena of {arena_bytes:,} bytes."


def value_names(values: Iterable[Node], given: Mapping[Node, str], names: Names) -> dict[Node, str]:
    """A name for every stored value: the one that was ``given``, else an input's number or the word for what it is."""
    named = {}
    for node in values:
        fallback = f"input{node['slot']}" if node.op is buffer else value_word(node)
        named[node] = names.unique(given.get(node, fallback))
    return named


def kernel_arguments(
    call: LoweredKernel,
    load: Callable[[Node, Load], str],
    store: Callable[[Node, Store], str],
    scalar: Callable[[Node], str],
) -> list[str]:
    """What a kernel is called with, in the order of its parameters: arrays it reads, arrays it writes, numbers."""
    read = [load(node, seen) for node, seen in zip(call.arguments, call.kernel.loads, strict=True)]
    written = [store(node, seen) for node, seen in zip(call.outputs, call.kernel.stores, strict=True)]
    return [*read, *written, *map(scalar, call.scalars)]
