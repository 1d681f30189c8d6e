"""The softmaxes of nn.functional, which also guess a dimension when none is given."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from lazygrad.ir.dtype import DType
from lazygrad.ops.layers import softmax as ops
from lazygrad.tensor import Tensor


def _guessing(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    name = function.__name__

    def guessed(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
        if dim is None:
            dim = 0 if input.ndim in (0, 1, 3) else 1
            warnings.warn(
                f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
                f"argument.",
                stacklevel=_stacklevel - 1,
            )
        return function(input, dim, dtype)

    guessed.__name__ = guessed.__qualname__ = name
    guessed.__doc__ = f"{function.__doc__}\n\n    Without ``dim``, 0 or 1 is taken, by the rank, with a warning."
    return guessed


softmax = _guessing(ops.softmax)
log_softmax = _guessing(ops.log_softmax)
softmin = _guessing(ops.softmin)
