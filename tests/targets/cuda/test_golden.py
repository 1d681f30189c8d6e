"""The rendered CUDA programs of small graphs, word for word.

A change of the generator that is meant is accepted with ``LAZYGRAD_UPDATE_GOLDEN=1 pytest tests/targets``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lazygrad.targets.cuda.module import render_cuda_module
from tests.codegen.plans import PROGRAMS, plan_of

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("softmax", "linear_relu", "several")


@pytest.mark.parametrize("name", NAMES)
def test_rendered_program(name: str) -> None:
    text = render_cuda_module(plan_of(PROGRAMS[name]).program).text
    path = GOLDEN / f"{name}.cu"
    if os.environ.get("LAZYGRAD_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_rendering_twice_gives_the_same_text(name: str) -> None:
    first, second = (render_cuda_module(plan_of(PROGRAMS[name]).program).text for _ in range(2))
    assert first == second
