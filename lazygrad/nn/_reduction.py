"""How losses are reduced, by the numbers of PyTorch's library and in its former words."""

from __future__ import annotations

from lazygrad.ir.user_warning import warn_user

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number of a reduction: 0 for "none", 1 for "mean", 2 for "sum".

    Raises:
        ValueError: another word.
    """
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "elementwise_mean":
        warn_user("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
    return _NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that two former arguments of losses ask for; None counts as True.

    Args:
        size_average: whether the loss is a mean, where it is reduced.
        reduce: whether it is reduced.
        emit_warning: whether a warning names the word to use.
    """
    is_mean, is_reduced = size_average is None or size_average, reduce is None or reduce
    found = "none" if not is_reduced else "mean" if is_mean else "sum"
    if emit_warning:
        warn_user(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """`get_enum` of `legacy_get_string`."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
