"""Numbers that stand before tensors, as they did before PyTorch 1.5: ``x.add_(-lr, grad)``, ``x.addcdiv_(a, y, z)``.

PyTorch still takes them, and optimizers of those years are still copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lazygrad.ops.arguments.operands import is_scalar
from lazygrad.tensor import Tensor


def with_factor_between(
    function: Callable[..., Tensor], input: Any, alpha: Any, other: Sequence[Any], options: Mapping[str, Any]
) -> Tensor:
    """``function(input, other, alpha=alpha)`` for ``function(input, alpha, other)``.

    Args:
        function: `add` or `sub`.
        input: a tensor or a number.
        alpha: what was given second.
        other: all that was given after it.
        options: keywords that PyTorch's old order does not have.

    Raises:
        TypeError: more arguments, or no number in the middle.
    """
    if len(other) != 1 or not is_scalar(alpha) or options:
        given = ", ".join([type(argument).__name__ for argument in (input, alpha, *other)])
        raise TypeError(f"{function.__name__}(): received an invalid combination of arguments ({given}); name alpha=")
    return function(input, other[0], alpha=alpha)


def in_new_order(function: Callable[..., Tensor], arguments: Sequence[Any], *names: str) -> Tensor:
    """The result of ``function`` for arguments in the old order.

    Args:
        function: takes tensors, and numbers by name.
        arguments: one more than it takes tensors, or some more; the numbers belong to ``names``, in this order.
        names: of its numbers.

    Raises:
        TypeError: these are no such arguments.
    """
    tensors = [argument for argument in arguments if isinstance(argument, Tensor)]
    numbers = [argument for argument in arguments if is_scalar(argument)]
    if len(tensors) + len(numbers) < len(arguments) or not 0 < len(numbers) <= len(names) or len(tensors) < 2:
        given = ", ".join([type(argument).__name__ for argument in arguments])
        named = " and ".join([f"{name}=" for name in names])
        raise TypeError(f"{function.__name__}(): received an invalid combination of arguments ({given}); name {named}")
    return function(*tensors, **dict(zip(names, numbers, strict=False)))
