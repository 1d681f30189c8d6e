"""In-place arithmetic on computed elements that nobody else refers to: done at once, in the memory where they lie.

A moving average of weights or an optimizer of the user's own updates tensor after tensor. To record such an update and
to compute it later takes ten times as long as numpy needs for some thousand elements. Larger ones are recorded: what
follows then shares a kernel with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lazygrad.direct_access import memory_of
from lazygrad.grad_mode import is_grad_enabled
from lazygrad.host.quiet import quietly
from lazygrad.ir.dtype import DType, float32, float64
from lazygrad.ir.shape import numel
from lazygrad.runtime.listening import listening
from lazygrad.runtime.realize import realize, realize_if_small
from lazygrad.tensor import Tensor

_MOST_BYTES = 1 << 16  # of what is written to; numpy then takes about as long as recording does
_DTYPES: tuple[DType, ...] = (float32, float64)  # of which numpy and recorded programs have the same bits

Update = Callable[..., None]
"""Called with the memory, then operands, which are arrays of its dtype and numbers of Python. It writes last."""


def _add(memory: np.ndarray, other: Any, *, alpha: float = 1) -> None:
    np.add(memory, other if alpha == 1 else np.multiply(other, alpha), out=memory)


def _subtract(memory: np.ndarray, other: Any, *, alpha: float = 1) -> None:
    np.subtract(memory, other if alpha == 1 else np.multiply(other, alpha), out=memory)


def _multiply(memory: np.ndarray, other: Any) -> None:
    np.multiply(memory, other, out=memory)


def _divide(memory: np.ndarray, other: Any) -> None:
    np.divide(memory, other, out=memory)


def _interpolate(memory: np.ndarray, end: np.ndarray, weight: float) -> None:
    share = memory.dtype.type(weight)
    difference = end - memory
    if abs(weight) < 0.5:
        np.add(memory, difference * share, out=memory)
    else:
        np.subtract(end, difference * (1 - share), out=memory)


def _add_product(memory: np.ndarray, first: np.ndarray, second: np.ndarray, *, value: float = 1) -> None:
    np.add(memory, (first if value == 1 else first * value) * second, out=memory)


def _add_quotient(memory: np.ndarray, first: np.ndarray, second: np.ndarray, *, value: float = 1) -> None:
    np.add(memory, (first if value == 1 else first * value) / second, out=memory)


_UPDATES: dict[str, Update] = {
    "add_": _add, "__iadd__": _add, "sub_": _subtract, "subtract_": _subtract, "__isub__": _subtract,
    "mul_": _multiply, "multiply_": _multiply, "__imul__": _multiply,
    "div_": _divide, "divide_": _divide, "true_divide_": _divide, "__itruediv__": _divide,
    "lerp_": _interpolate, "addcmul_": _add_product, "addcdiv_": _add_quotient,
}  # fmt: skip
# Operands that must be arrays: what a formula does with two numbers is rounded otherwise.
_ARRAYS: dict[Update, int] = {_interpolate: 1, _add_product: 2, _add_quotient: 2}
_NUMBERS = frozenset({float, int})


def _compute_what_lasts(target: Tensor) -> None:
    """Have the contents of a leaf computed, and of what was written to before if that is next to no work.

    Else a loop that never reads what it updates would go on recording. Of other tensors the next operation may be all
    that reads them, and then shares a kernel with what they are waiting for.
    """
    storage = target._storage
    if storage.value.value is None and not is_grad_enabled() and listening.listener is None:
        if storage.leaf is not None:
            realize([storage.value])
        elif storage.version:
            realize_if_small(storage.value)


def update_called(name: str) -> Callable[..., bool] | None:
    """What takes the arguments of the in-place method of this name, and says whether it could be done at once; None if
    it never can."""
    update = _UPDATES.get(name)
    if update is None:
        return None

    def directly(target: Tensor, *operands: Any, **options: Any) -> bool:
        return _updated(update, target, operands, options)

    return directly


def _updated(update: Update, target: Tensor, operands: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Whether ``update`` could be done at once; nothing of what the method was called with was checked."""
    dtype = target.dtype
    if dtype not in _DTYPES or not 0 < dtype.itemsize * numel(target._sizes()) <= _MOST_BYTES:
        return False
    given: list[Any] = []
    arrays = _ARRAYS.get(update, 1 if options else 0)
    for position, operand in enumerate(operands):
        if isinstance(operand, Tensor):
            array = memory_of(operand) if operand.dtype is dtype else None
            if array is None:
                return False
            given.append(array)
        elif position < arrays or type(operand) not in _NUMBERS:
            return False
        else:
            given.append(operand)
    if options and not all([type(value) in _NUMBERS for value in options.values()]):
        return False
    _compute_what_lasts(target)
    memory = target.memory_to_write()
    if memory is None:
        return False
    try:
        quietly(update, memory, *given, **options)
    except (OverflowError, TypeError, ValueError):  # what recording refuses, too, and says why; nothing was written
        return False
    target.count_direct_write()
    return True
