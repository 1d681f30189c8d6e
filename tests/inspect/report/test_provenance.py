"""Every line of generated code leads to a line of the user's, and every node of a gradient to its forward node."""

from __future__ import annotations

import pytest

import lazygrad as lg
from lazygrad.inspect.report.building import built
from lazygrad.inspect.report.capturing import _asked
from lazygrad.runtime.realize import observing_realizations
from lazygrad.runtime.recording import Recording
from tests.examples.running import SWAPPABLE, load

from .programs import MODELS, holds_together


@pytest.mark.parametrize("name", MODELS)
def test_links_of_a_model(name: str) -> None:
    (program,) = lg.explain(MODELS[name]()).programs
    holds_together(program)


@pytest.mark.parametrize("name", SWAPPABLE)
def test_links_of_an_example(name: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn has the digits of some examples, and is not installed")
    programs = {}

    def see(recording: Recording) -> None:
        if hash(recording.key) not in programs:
            programs[hash(recording.key)] = _asked(recording, name)

    with observing_realizations(see):
        load(name).main(["--short"])
    assert programs
    for asked in programs.values():
        holds_together(built(asked))
