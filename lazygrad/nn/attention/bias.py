"""Causal masks for attention, aligned to either corner."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import cast

from lazygrad.ir.dtype import bool_
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.creation.filled import ones
from lazygrad.tensor import Tensor
from lazygrad.torch_function import left_alone

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """To which corner of queries × keys the triangle is aligned."""

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(Tensor):
    """A mask of booleans: true where a query sees a key.

    Args:
        variant: the corner.
        seq_len_q: queries.
        seq_len_kv: keys.

    Raises:
        AssertionError: ``variant`` is no `CausalVariant`.
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int
    __torch_function__ = staticmethod(left_alone)

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        is_lower = variant is CausalVariant.LOWER_RIGHT
        if is_lower and seq_len_q > seq_len_kv:
            warn_user("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!")
        mask = ones(seq_len_q, seq_len_kv, dtype=bool_).tril(seq_len_kv - seq_len_q if is_lower else 0)
        bias = cast(CausalBias, mask.as_subclass(cls))
        bias.variant, bias.seq_len_q, bias.seq_len_kv = variant, seq_len_q, seq_len_kv
        return bias

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        pass


def causal_upper_left(*size: int) -> CausalBias:
    """A triangle aligned to the upper left corner; ``size`` is (queries, keys)."""
    return _of_size(CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """A triangle aligned to the lower right corner, so that the last query sees all keys."""
    return _of_size(CausalVariant.LOWER_RIGHT, size)


def _of_size(variant: CausalVariant, size: tuple[int, ...]) -> CausalBias:
    if len(size) != 2:
        raise AssertionError(f"causal biases only support 2D tensors, got {len(size)}D")
    return CausalBias(variant, *size)
