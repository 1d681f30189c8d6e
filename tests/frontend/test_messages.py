"""Errors say what PyTorch's say, as far as programs match it and people quote it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

import lazygrad as lg  # noqa: E402

from . import quoted_of_gradients, quoted_of_layers, quoted_of_shapes, quoted_of_tensors  # noqa: E402
from .quoted import Quoted  # noqa: E402

MESSAGES = [
    *quoted_of_tensors.TENSORS,
    *quoted_of_tensors.DTYPES,
    *quoted_of_shapes.SHAPES,
    *quoted_of_gradients.GRADIENTS,
    *quoted_of_layers.LAYERS,
]


def _error(framework: Any, program: Any) -> Exception:
    with warnings.catch_warnings(), pytest.raises(Exception) as caught:
        warnings.simplefilter("ignore")
        program(framework)
    return caught.value


def _builtin_class(error: Exception) -> type:
    return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


@pytest.mark.parametrize("quoted", MESSAGES, ids=lambda quoted: quoted.name)
def test_the_quoted_phrase_is_there(quoted: Quoted) -> None:
    expected, actual = _error(torch, quoted.program), _error(lg, quoted.program)
    assert quoted.phrase in str(expected), "PyTorch says something else now"
    assert quoted.phrase.replace("torch.", "lazygrad.") in str(actual)
    assert _builtin_class(actual) is _builtin_class(expected)
