"""Ops that are called by name say what they do not take."""

from __future__ import annotations

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.primitives import elementwise as ew
from tests.reference import buffer_node


def test_numbers_and_tensors_are_refused_as_operands() -> None:
    x = buffer_node(np.zeros(3))
    with pytest.raises(TypeError, match=r"^maximum takes nodes, not int; x\.like\(number\) is a number as a node$"):
        ew.maximum(x, 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^exp takes nodes, not Tensor$"):
        ew.exp(lg.ones(3))  # type: ignore[arg-type]
    assert ew.maximum(x, x.like(0)).type is x.type


def test_attributes_are_all_named() -> None:
    x = buffer_node(np.zeros(3))
    with pytest.raises(TypeError, match=r"exp takes the attributes \(\), not \('base',\)"):
        ew.exp(x, base=2)
