"""What masked functions do with their masks: masked elements become values that change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import DType, bool_, int64
from lazygrad.ir.memory_format import strided
from lazygrad.ops.public import broadcast_to, full, iinfo, where
from lazygrad.tensor import Tensor

Dims = int | Sequence[int] | None
_MOST = ("amin", "argmin")


def require_dense(name: str, input: Tensor) -> None:
    """ValueError: a sparse tensor."""
    if input.layout is not strided:
        raise ValueError(f"masked {name} expects strided tensor (got {input.layout} tensor)")


def sorted_dims(dim: Dims, dimensions: int) -> tuple[int, ...]:
    """Dimensions from 0 on, in order; all for None and for an empty list.

    Raises:
        RuntimeError: one that is named twice.
        IndexError: one that is not there.
    """
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(dimensions))
    count = max(dimensions, 1)
    found: list[int] = []
    for each in (dim,) if isinstance(dim, int) else dim:
        if not -count <= each < count:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {each})"
            )
        if each in found:
            raise RuntimeError(f"dim={each} appears multiple times in the list of dims")
        found.append(each % count)
    return tuple(sorted(found))


def mask_of(input: Tensor, mask: Tensor) -> Tensor:
    """The mask as bools of the input's shape. IndexError: it has more dimensions than the input."""
    if mask.dim() > input.dim():
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if mask.layout is not strided:
        mask = mask.to_dense()
    return broadcast_to(mask, input.shape).to(dtype=bool_)


def masked_input(name: str, input: Tensor, mask: Tensor | None, order: Any = 2) -> Tensor:
    """The input, with masked elements replaced by the identity of a function.

    Args:
        name: of the function.
        input: dense.
        mask: False for elements that do not count; None for none.
        order: of a norm.

    Raises:
        ValueError: a sparse tensor.
        NotImplementedError, TypeError: a dtype for which the function has no identity: bools, complex numbers.
    """
    require_dense(name, input)
    if mask is None:
        return input
    identity = full((), _identity(_LIKE.get(name, name), input.dtype, order), dtype=input.dtype, device=input.device)
    return where(mask_of(input, mask), input, identity)


_LIKE = {
    "softmax": "amax",
    "log_softmax": "amax",
    "softmin": "amin",
    "normalize": "sum",
}  # have no identity of their own


def _identity(name: str, dtype: DType, order: Any) -> Any:
    if name == "norm":
        return float("inf") if order == float("-inf") else 0
    if name in ("sum", "cumsum"):
        return 0
    if name in ("prod", "cumprod"):
        return 1
    if name == "median":
        return float("nan")
    if dtype.is_floating_point or (dtype.is_complex and name == "logsumexp"):
        return float("inf") if name in _MOST else -float("inf")
    if dtype is bool_:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return iinfo(dtype).max if name in _MOST else iinfo(dtype).min


def sum_dtype(input: Tensor) -> DType:
    """The dtype that sums and products of a tensor have: int64 for smaller integers."""
    return int64 if not (input.dtype.is_floating_point or input.dtype.is_complex) else input.dtype
