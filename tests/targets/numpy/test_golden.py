"""The rendered numpy modules of three small programs, word for word.

A change of the generator that is meant is accepted with ``LAZYGRAD_UPDATE_GOLDEN=1 pytest tests/targets``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.codegen.plans import PROGRAMS, plan_of

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ["softmax", "linear_relu", "column_sum"])
def test_rendered_module(name: str) -> None:
    text = plan_of(PROGRAMS[name]).sources["numpy"].text
    path = GOLDEN / f"{name}.py.txt"
    if os.environ.get("LAZYGRAD_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_rendering_twice_gives_the_same_text() -> None:
    for program in PROGRAMS.values():
        assert plan_of(program).sources["numpy"].text == plan_of(program).sources["numpy"].text
