"""Arguments that convolution and pooling share: one number per spatial dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.tensor import Tensor

Extent = int | Sequence[int]


def per_axis(value: Any, rank: int, function: str, argument: str) -> Shape:
    """``rank`` ints from one int, a sequence of one or a sequence of ``rank``.

    Raises:
        TypeError: not ints.
        RuntimeError: another number of them.
    """
    given = tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
    if not all(hasattr(size, "__index__") and not isinstance(size, bool) for size in given):
        raise TypeError(f"{function}(): argument '{argument}' must be an int or a tuple of {rank} ints, not {value!r}")
    if len(given) not in (1, rank):
        raise RuntimeError(f"{function}: {argument} must be a single int, or a tuple of {rank} ints, but got {value}")
    sizes = tuple([size.__index__() for size in given])
    return sizes if len(sizes) == rank else sizes * rank


def batched(input: Tensor, rank: int, function: str) -> tuple[Node, bool]:
    """The input as (N, C, *spatial), and whether it came with the batch dimension.

    Raises:
        RuntimeError: neither ``rank`` + 1 nor ``rank`` + 2 dimensions.
    """
    node = input.node()
    shape = node.type.shape
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {function}, but got "
                           f"input of size: {list(shape)}")  # fmt: skip
    is_batched = len(shape) == rank + 2
    return (node if is_batched else reshaped(node, (1, *shape))), is_batched


def unbatched(node: Node, keep_batch: bool) -> Tensor:
    """The result for what `batched` prepared: without the batch dimension where the input had none."""
    return Tensor.from_node(node if keep_batch else reshaped(node, node.type.shape[1:]))
