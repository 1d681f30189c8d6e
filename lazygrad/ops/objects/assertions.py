"""Conditions that must hold, as PyTorch's functions for its tracers ask for them; here they are asked for at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.ir.dtype import bool_
from lazygrad.tensor import Tensor

__all__ = [
    "_assert", "_assert_async", "_check", "_check_index", "_check_is_size", "_check_not_implemented",
    "_check_tensor_all", "_check_type", "_check_value", "_check_with",
]  # fmt: skip

_Message = Callable[[], Any] | None


def _assert(condition: Any, message: Any) -> None:
    """Raises AssertionError unless ``condition`` holds."""
    if not condition:
        raise AssertionError(message)


def _assert_async(input: Tensor, assert_msg: str = "") -> None:
    """Raises RuntimeError unless the one element of a tensor is something else than zero, which computes it.

    Args:
        input: of one element.
        assert_msg: the text of the error; PyTorch's if it is empty.
    """
    if input.numel() != 1:
        how_many = "no values" if input.numel() == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {how_many} is ambiguous")
    _check(bool(input.item()), lambda: assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _check_with(error_type: type[Exception], cond: bool, message: _Message) -> None:
    """Raises ``error_type`` unless ``cond`` holds.

    Args:
        error_type: what is raised.
        cond: a bool.
        message: called for the text.

    Raises:
        TypeError: a condition that is no bool, a message that cannot be called.
    """
    if isinstance(cond, Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert "
            "that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type(
            "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
            "enhancement request to PyTorch.)"
        )
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: bool, message: _Message = None) -> None:
    """Raises RuntimeError unless ``cond`` holds; see `_check_with`."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: bool, message: _Message = None) -> None:
    """Raises IndexError unless ``cond`` holds; see `_check_with`."""
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: _Message = None) -> None:
    """Raises ValueError unless ``cond`` holds; see `_check_with`."""
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: _Message = None) -> None:
    """Raises TypeError unless ``cond`` holds; see `_check_with`."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: _Message = None) -> None:
    """Raises NotImplementedError unless ``cond`` holds; see `_check_with`."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: int, message: _Message = None, *, max: int | None = None) -> None:
    """Raises RuntimeError for a negative ``i``, or one above ``max``."""
    _check(i >= 0 and (max is None or i <= max), message)


def _check_tensor_all(cond: Any, message: _Message = None) -> None:
    """Raises RuntimeError unless all elements of a bool tensor are true, which computes it.

    Raises:
        TypeError: anything but a tensor of bools.
    """
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not bool_:
        raise TypeError(f"cond tensor must have dtype {bool_}, but got {cond.dtype}")
    _check(bool(cond.all().item()), message)
