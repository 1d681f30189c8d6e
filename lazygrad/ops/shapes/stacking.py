"""Joining tensors after giving them enough dimensions, as blocks, or as combinations of their elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, combinations_with_replacement
from itertools import combinations as choices
from math import comb
from typing import Any, overload

import numpy as np

from lazygrad.host.machine_memory import require_memory
from lazygrad.ir.dtype import int64
from lazygrad.ops.arguments.kinds import Tensors
from lazygrad.ops.arguments.operands import common_dtype, tensor_argument
from lazygrad.ops.arguments.out import accepts_out, needs_separate_out
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.shapes.joining import cat, meshgrid, stack, tensor_list, vstack
from lazygrad.ops.shapes.reshaping import flatten, reshape, unsqueeze
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "cartesian_prod", "combinations", "column_stack", "dstack",
    "row_stack",
]
# fmt: on

# More dimensions.


def _one(input: Tensor) -> Tensor:
    return reshape(input, 1) if input.ndim == 0 else input


def _two(input: Tensor) -> Tensor:
    return unsqueeze(_one(input), 0) if input.ndim < 2 else input


def _three(input: Tensor) -> Tensor:
    return unsqueeze(_two(input), -1) if input.ndim < 3 else input


def _raised(name: str, raised: Callable[[Tensor], Tensor], tensors: tuple[Any, ...]) -> Any:
    """One tensor for one, a tuple for several given separately or as one sequence."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return raised(tensors[0])
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    return tuple([raised(part) for part in tensor_list(given, name)])


@overload
def atleast_1d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_1d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
def atleast_1d(*tensors: Tensors) -> Any:
    """Views with at least one dimension.

    Args:
        tensors: one tensor, or several, separately or as one sequence, for which a tuple is returned.
    """
    return _raised("atleast_1d", _one, tensors)


@overload
def atleast_2d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_2d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
def atleast_2d(*tensors: Tensors) -> Any:
    """Views with at least two dimensions, a vector as one row; see `atleast_1d`."""
    return _raised("atleast_2d", _two, tensors)


@overload
def atleast_3d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_3d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
def atleast_3d(*tensors: Tensors) -> Any:
    """Views with at least three dimensions, new ones behind a matrix's and around a vector's; see `atleast_1d`."""
    return _raised("atleast_3d", _three, tensors)


# Joining.


@accepts_out
@needs_separate_out
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors behind one another: along the third dimension."""
    parts = tensor_list(tensors, "dstack")
    if not parts:
        raise RuntimeError("dstack expects a non-empty TensorList")
    return cat([_three(part) for part in parts], 2)


@accepts_out
@needs_separate_out
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side, vectors as columns."""
    parts = tensor_list(tensors, "column_stack")
    if not parts:
        raise RuntimeError("column_stack expects a non-empty TensorList")
    return cat([reshape(part, part.shape.numel(), 1) if part.ndim < 2 else part for part in parts], 1)


@accepts_out
@needs_separate_out
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Another name of `vstack`."""
    return vstack(tensors)


def block_diag(*tensors: Tensors) -> Tensor:
    """A matrix with the given matrices along its diagonal, zeros elsewhere; vectors are rows.

    Raises:
        RuntimeError: a tensor of more than two dimensions.
    """
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    blocks = tensor_list(given, "block_diag")
    for position, block in enumerate(blocks):
        if block.ndim > 2:
            raise RuntimeError(f"block_diag: Input tensors must have 2 or fewer dimensions. Input {position} has "
                               f"{block.ndim} dimensions")  # fmt: skip
    if not blocks:
        return filled((1, 0), 0, common_dtype(1.0), tensor(0).device)
    dtype, device = common_dtype(*blocks), blocks[0].device
    matrices = [_two(block).to(dtype) for block in blocks]
    width, before = sum(matrix.shape[1] for matrix in matrices), 0
    rows = []
    for matrix in matrices:
        height, own = matrix.shape
        left, right = (filled((height, size), 0, dtype, device) for size in (before, width - before - own))
        rows.append(cat([left, matrix, right], 1))
        before += own
    return cat(rows, 0)


# Combinations.


def cartesian_prod(*tensors: Tensors) -> Tensor:
    """All ways to choose one element of each vector, as rows; of one vector, the vector itself.

    Raises:
        RuntimeError: a tensor that is not a vector; different dtypes.
    """
    vectors = tensor_list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors,
                          "cartesian_prod")  # fmt: skip
    for vector in vectors:
        if vector.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(vector.shape)}")
    if len(vectors) == 1:
        return vectors[0]
    if len({vector.dtype for vector in vectors}) > 1:
        raise RuntimeError("cartesian_prod expects all tensors to have the same dtype")
    return stack([flatten(grid) for grid in meshgrid(*vectors, indexing="ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All ways to choose ``r`` elements of a vector, in their order, as rows.

    Args:
        input: a vector.
        r: how many.
        with_replacement: whether an element may be chosen again.

    Raises:
        RuntimeError: not a vector, a negative ``r``, or more rows than there is memory for.
    """
    if tensor_argument(input, "combinations").ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return filled((0,), 0, input.dtype, input.device)
    count = input.shape[0]
    rows = comb(count + r - 1 if with_replacement and count else count, r)
    require_memory(rows * r * int64.itemsize)
    chosen = (combinations_with_replacement if with_replacement else choices)(range(count), r)
    index = Tensor.from_array(np.fromiter(chain.from_iterable(chosen), np.int64, rows * r), input.device, shared=False)
    return reshape(input[index], rows, r)
