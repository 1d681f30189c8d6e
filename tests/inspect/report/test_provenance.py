"""Every line of generated code leads to a line of the user's, and every node of a gradient to its forward node."""

from __future__ import annotations

import pytest

import lazygrad as lg

from .programs import MODELS, holds_together


@pytest.mark.parametrize("name", MODELS)
def test_links_of_a_model(name: str) -> None:
    (program,) = lg.explain(MODELS[name]()).programs
    holds_together(program)
