"""Checks of the options that optimizers share."""

from __future__ import annotations

from lazygrad.tensor import Tensor


def check_learning_rate(lr: float | Tensor) -> None:
    """Raises ValueError for a negative rate, for NaN, and for a tensor with several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_not_negative("learning rate", lr)


def check_not_negative(name: str, value: float | Tensor) -> None:
    """Raises ValueError for a negative number and for NaN."""
    if not as_number(value) >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: tuple[float | Tensor, ...]) -> None:
    """Raises ValueError for a beta that is not in [0, 1)."""
    for index, beta in enumerate(betas):
        if not 0.0 <= as_number(beta) < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")


def check_implementation_options(foreach: bool | None, fused: bool | None, differentiable: bool) -> None:
    """Raises RuntimeError for options that exclude each other."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def as_number(value: float | Tensor) -> float:
    """An option's value; a 1-element tensor is read."""
    return float(value.item()) if isinstance(value, Tensor) else value
