"""Parts of PyTorch's attention that transformers of others, written after its own, take from its files."""

from __future__ import annotations

from lazygrad.ir.dtype import DType, bool_
from lazygrad.ops.creation.like import zeros_like
from lazygrad.ops.layers.multi_head import canonical_mask, packed_projections
from lazygrad.ops.linalg.products import linear
from lazygrad.tensor import Tensor


def _none_or_dtype(input: Tensor | None) -> DType | None:
    """The dtype of a tensor, None of None.

    Raises:
        RuntimeError: anything else.
    """
    if input is not None and not isinstance(input, Tensor):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    return None if input is None else input.dtype


def _canonical_mask(
    mask: Tensor | None,
    mask_name: str,
    other_type: DType | None,
    other_name: str,
    target_type: DType,
    check_other: bool = True,
) -> Tensor | None:
    """A mask that is added to scores: one of bools has −∞ where it is true.

    Args:
        mask: of bools or floating.
        mask_name: for errors.
        other_type: the dtype of another mask, which should be the same.
        other_name: of the other mask.
        target_type: of the result, where ``mask`` has bools.
        check_other: whether another dtype than ``other_type`` is warned of.

    Raises:
        AssertionError: a mask of integers.
    """
    given = canonical_mask(mask, mask_name, other_type if check_other else None, other_name)
    if given is None or given.dtype is not bool_:
        return given
    return zeros_like(given, dtype=target_type).masked_fill_(given, float("-inf"))


def _in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value, each times its weight, plus its bias."""
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None) -> list[Tensor]:
    """Query, key and value, each times its third of a weight's rows, plus that of a bias."""
    return [part.contiguous() for part in packed_projections(q, k, v, w, b)]
