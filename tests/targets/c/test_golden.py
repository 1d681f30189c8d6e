"""The rendered C translation units of small programs, word for word.

A change of the generator that is meant is accepted with ``LAZYGRAD_UPDATE_GOLDEN=1 pytest tests/targets``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.codegen.plans import PROGRAMS, plan_of

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", PROGRAMS)
def test_rendered_translation_unit(name: str) -> None:
    text = plan_of(PROGRAMS[name]).sources["c"].text
    path = GOLDEN / f"{name}.c"
    if os.environ.get("LAZYGRAD_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_rendering_twice_gives_the_same_text(name: str) -> None:
    assert plan_of(PROGRAMS[name]).sources["c"].text == plan_of(PROGRAMS[name]).sources["c"].text
