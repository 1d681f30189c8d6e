"""The same of all programs that the examples run."""

from __future__ import annotations

import pytest

from lazygrad.inspect.report.capturing import explained
from lazygrad.runtime.realize import observing_realizations
from lazygrad.runtime.recording import Recording
from tests.examples.running import SWAPPABLE, load

from .programs import holds_together

pytest.importorskip("sklearn", reason="scikit-learn has the digits of some examples, and is not installed")


@pytest.mark.parametrize("name", SWAPPABLE)
def test_links_of_an_example(name: str) -> None:
    seen: set[int] = set()

    def see(recording: Recording) -> None:
        if hash(recording.key) not in seen:
            seen.add(hash(recording.key))
            holds_together(explained(recording, name))

    with observing_realizations(see):
        load(name).main(["--short"])
    assert seen
