"""The printed report: on one screen, and as the files in golden/ have it."""

from __future__ import annotations

import pytest

import lazygrad as lg

from .golden import FOLDER, printed
from .programs import MODELS
from .test_page import gpt_step


@pytest.mark.parametrize("name", MODELS)
def test_a_model_prints_as_it_did(name: str) -> None:
    assert printed(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_a_gpt_of_twelve_layers_fits_on_one_screen() -> None:
    model, loss = gpt_step(layers=12, width=32)
    lines = str(lg.explain(loss)).splitlines()
    assert len(lines) <= 50 and max(map(len, lines)) <= 80
    assert any("blocks.0 … 11 ×12" in line for line in lines)
    assert model is not None


def test_numbers_of_modules_add_up_to_those_of_the_program() -> None:
    from lazygrad.inspect.report.outline import outline

    (program,) = lg.explain(MODELS["classifier"]()).programs
    root = outline(program)
    assert root.total("nodes") == len(program.recorded)
    assert root.total("primitives") == len(program.primitive)
    assert root.total("kernels") == program.totals.kernels
    assert root.total("library_calls") == program.totals.library_calls
    assert root.total("bytes") == program.totals.bytes_moved
