"""Scripts written for PyTorch run when ``torch`` is replaced by ``lazygrad``, and find the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.comparing import assert_close

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")

SCRIPTS = sorted((Path(__file__).parent / "written_for_torch").glob("*.py"))


def results_of(source: str, name: str) -> list[Any]:
    variables: dict[str, Any] = {"__name__": name}
    exec(compile(source, name, "exec"), variables)
    results: list[Any] = variables["results"]
    return results


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_finds_what_it_finds_with_torch(script: Path) -> None:
    source = script.read_text()
    have = results_of(re.sub(r"\btorch\b", "lazygrad", source), script.stem)
    want = results_of(source, script.stem)
    assert len(have) == len(want)
    for ours, theirs in zip(have, want, strict=True):
        if isinstance(theirs, str | list | tuple):
            assert ours == theirs
        else:
            assert_close(ours, theirs, slack=2.0, numbers=2e-5)


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) >= 14
