"""Which arguments of a function a transform differentiates by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.ir.dtype import Category
from lazygrad.pytree import flatten
from lazygrad.tensor import Tensor

ArgNums = int | tuple[int, ...]


def checked_argnums(argnums: Any, count: int) -> ArgNums:
    """``argnums`` counted from the front.

    Raises:
        RuntimeError: not an int or a tuple of ints; empty, repeated or out of range.
    """
    if isinstance(argnums, int):
        return _position(argnums, count)
    if not isinstance(argnums, tuple) or not all(isinstance(number, int) for number in argnums):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if not argnums:
        raise RuntimeError("argnums must be non-empty")
    if len(set(argnums)) != len(argnums):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return tuple(_position(number, count) for number in argnums)


def _position(argnum: int, count: int) -> int:
    if not -count <= argnum < count:
        raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def chosen(args: tuple[Any, ...], argnums: ArgNums) -> Any:
    """The arguments that ``argnums`` names: one, or a tuple."""
    return args[argnums] if isinstance(argnums, int) else tuple(args[number] for number in argnums)


def of_chosen(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], argnums: ArgNums
) -> Callable[..., Any]:
    """``function`` of the chosen arguments alone, one parameter each; the others stay as they are."""
    numbers = (argnums,) if isinstance(argnums, int) else argnums

    def partial(*varied: Any) -> Any:
        given = list(args)
        for number, value in zip(numbers, varied, strict=True):
            given[number] = value
        return function(*given, **kwargs)

    return partial


def with_aux(output: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """The output and the auxiliary output, None where there is none.

    Raises:
        RuntimeError: it should have one, and is not a pair.
    """
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def require_tensors(tree: Any, name: str, what: str) -> list[Tensor]:
    """The leaves of a function's output.

    Raises:
        RuntimeError: one is not a tensor, or there is none.
    """
    leaves, _ = flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{name}: expected {what} to return only tensors, got unsupported type {type(leaf)}")
    if not leaves:
        raise RuntimeError(f"{name}: expected {what} to return a non-empty result with at least one tensor")
    return leaves


def require_real(tensors: Sequence[Any], name: str, what: str) -> None:
    """Of complex numbers a Jacobian has two parts, for a number and its conjugate.

    Raises:
        RuntimeError: a tensor is complex.
    """
    for i, tensor in enumerate(tensors):
        if isinstance(tensor, Tensor) and tensor.dtype.category is Category.COMPLEX:
            raise RuntimeError(f"{name}: Expected all {what} to be real but received complex tensor at flattened input "
                               f"idx: {i}. Differentiate by lazygrad.view_as_real of it")  # fmt: skip
