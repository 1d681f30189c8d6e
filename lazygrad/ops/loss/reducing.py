"""How the values of a loss become its result."""

from __future__ import annotations

from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.reductions.sums import mean, sum
from lazygrad.tensor import Tensor


def chosen_reduction(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """The reduction asked for, also in PyTorch's former words ``size_average`` and ``reduce``.

    Raises:
        ValueError: a word that is none of them.
    """
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
        warn_user(f"size_average and reduce args will be deprecated, please use reduction={reduction!r} instead.")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction; use 'none', 'mean' or 'sum'")
    return reduction


def reduced(values: Tensor, reduction: str) -> Tensor:
    """The values themselves, their mean (NaN of none) or their sum."""
    if reduction == "none":
        return values
    return mean(values) if reduction == "mean" else sum(values)
