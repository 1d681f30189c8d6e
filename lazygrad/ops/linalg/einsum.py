"""Einstein summation: any product of tensors with dimensions named by letters.

This file reads the equation; `lazygrad.ops.linalg.contraction` carries it out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lazygrad.ops.arguments.precision import lower_precision
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.linalg.contraction import Term, contract
from lazygrad.tensor import Tensor

__all__ = ["einsum"]

_ELLIPSIS = "..."
_FIRST_ELLIPSIS_LABEL = 0x100  # the dimensions of an ellipsis get labels beyond the letters, counted from the right
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@traced
@lower_precision
def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation names.

    Args:
        args: the equation, such as ``"bij,bjk->bik"``, then the operands, separately or as one list; or operands
            each followed by a list of numbers below 52, one per dimension, and perhaps such a list for the output.
            ``...`` stands for dimensions that broadcast. Without ``->`` the result has the letters that occur
            once, in alphabetical order.

    Returns:
        A tensor of the output's dimensions; a view where one operand is only rearranged.

    Raises:
        RuntimeError: an equation that cannot be read or does not fit the operands' ranks and sizes.
        ValueError: no operands.
        TypeError: an equation that is not text, operands that are not tensors.
    """
    return sum_of_products(*_arguments(args))


def sum_of_products(equation: str, operands: Sequence[Tensor]) -> Tensor:
    """`einsum`, in the operands' own dtype whatever autocast says."""
    inputs, output = parse(equation, tuple([operand.ndim for operand in operands]))
    result = contract([Term(tensor, labels) for tensor, labels in zip(operands, inputs, strict=True)], output)
    return result.view(result.shape) if result is operands[0] else result  # a view, as of every other equation


def _arguments(args: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    if len(args) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand "
                         "and its subscripts list")  # fmt: skip
    if isinstance(args[0], Tensor):
        return _from_lists(args)
    if not isinstance(args[0], str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(args[0]).__name__}")
    listed = len(args) == 2 and isinstance(args[1], list | tuple)
    return args[0], _tensors(args[1] if listed else args[1:])


def _from_lists(args: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    """The form (operand, [0, 1], operand, [1, 2], [0, 2]) as an equation and operands."""
    pairs = len(args) // 2
    operands = _tensors(args[: 2 * pairs : 2])
    equation = ",".join(_letters(subscripts) for subscripts in args[1 : 2 * pairs : 2])
    if len(args) % 2:
        equation += "->" + _letters(args[-1])
    return equation, operands


def _tensors(operands: Sequence[Any]) -> list[Tensor]:
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise TypeError(f"einsum(): expected operands to be Tensors, but got {type(operand).__name__}")
    return list(operands)


def _letters(subscripts: Sequence[Any]) -> str:
    for subscript in subscripts:
        if subscript is not Ellipsis and not 0 <= subscript < len(_LETTERS):
            raise ValueError(f"einsum(): subscript {subscript} is not within the valid range [0, {len(_LETTERS)})")
    return "".join(_ELLIPSIS if subscript is Ellipsis else _LETTERS[subscript] for subscript in subscripts)


# The equation.


@lru_cache(maxsize=1024)
def parse(equation: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """Labels of every operand and of the output, an ellipsis spelled out.

    Args:
        equation: see `einsum`.
        ranks: the operands' numbers of dimensions.

    Raises:
        RuntimeError: the equation is malformed or does not fit the ranks.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        few = "fewer" if len(ranks) < len(terms) else "more"
        raise RuntimeError(f"einsum(): {few} operands were provided than specified in the equation {equation!r}")
    for i, term in enumerate(terms):
        _check_term(term, f"operand {i}")
    inputs = tuple(_spelled_out(term, rank, i) for i, (term, rank) in enumerate(zip(terms, ranks, strict=True)))
    ellipsis = max((_ellipsis_of(labels) for labels in inputs), key=len)
    if not arrow:
        return inputs, ellipsis + _letters_that_occur_once("".join(terms))
    _check_term(right, "the output")
    output = right.replace(_ELLIPSIS, ellipsis)
    _check_output(output, inputs)
    return inputs, output


def _check_term(term: str, where: str) -> None:
    if not re.fullmatch(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*", term):
        raise RuntimeError(f"einsum(): invalid subscripts {term!r} for {where}: they must be letters a-z or A-Z and at "
                           f"most one ellipsis '...'")  # fmt: skip


def _spelled_out(term: str, rank: int, position: int) -> str:
    named = len(term.replace(_ELLIPSIS, ""))
    hidden = rank - named
    if hidden < 0 or (hidden > 0 and _ELLIPSIS not in term):
        raise RuntimeError(f"einsum(): the number of subscripts in {term!r} does not match the {rank} dimensions of "
                           f"operand {position}")  # fmt: skip
    labels = "".join(chr(_FIRST_ELLIPSIS_LABEL + from_right) for from_right in reversed(range(hidden)))
    return term.replace(_ELLIPSIS, labels)


def _ellipsis_of(labels: str) -> str:
    return "".join(label for label in labels if ord(label) >= _FIRST_ELLIPSIS_LABEL)


def _letters_that_occur_once(letters: str) -> str:
    letters = letters.replace(".", "")
    return "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))


def _check_output(output: str, inputs: tuple[str, ...]) -> None:
    for label in output:
        if output.count(label) > 1:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
        if not any(label in labels for labels in inputs):
            raise RuntimeError(f"einsum(): output subscript {label} does not appear in any input of the equation")
