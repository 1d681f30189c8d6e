"""What a run leaves out: never the last case of a group, the same in every run, and only what is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests import selection
from tests.selection import (
    ABOUT_PLANS,
    INDEPENDENT_OF_BACKEND,
    SAMPLES,
    depends_on_backend,
    is_deeper,
    sampled,
    stable_hash,
)

_ROOT = Path(__file__).parent.parent
_FILES = sorted(path.relative_to(_ROOT).as_posix() for path in _ROOT.glob("tests/**/test_*.py"))


class Item:
    """As much of a `pytest.Item` as is looked at."""

    def __init__(self, nodeid: str, *marks: str) -> None:
        self.nodeid, self.marks = nodeid, marks

    def get_closest_marker(self, name: str) -> Any:
        return name if name in self.marks else None


def names(items: Any) -> list[str]:
    return sorted(item.nodeid for item in items)


def test_tables_name_files() -> None:
    assert set(SAMPLES) <= set(_FILES)


@pytest.mark.parametrize("pattern", INDEPENDENT_OF_BACKEND + ABOUT_PLANS)
def test_patterns_name_files(pattern: str) -> None:
    path = pattern.partition("::")[0]
    assert [file for file in _FILES if re.match(f"tests/(?:{path})", file)]


def test_every_group_keeps_cases() -> None:
    path = "tests/frontend/test_conformance.py"
    cases = [Item(f"{path}::test[t.{name}({number})]") for name in ("sum", "prod") for number in range(20)]
    kept = sampled(cases)  # type: ignore[arg-type]
    for name in ("sum", "prod"):
        assert len([item for item in kept if f"t.{name}(" in item.nodeid]) == SAMPLES[path].cases
    assert names(kept) == names(sampled(reversed(cases)))  # type: ignore[call-overload]


def test_what_has_no_table_stays_unless_it_is_marked() -> None:
    plain, marked = Item("tests/nn/test_layers.py::test[a]"), Item("tests/nn/test_layers.py::test[b]", "whole")
    alone = Item("tests/frontend/test_conformance.py::test_alone")
    assert names(sampled([plain, marked, alone])) == names([plain, alone])  # type: ignore[list-item]
    in_a_table = Item("tests/targets/c/test_contraction.py::test_other_machines[AVX2]", "whole")
    assert not sampled([in_a_table])  # type: ignore[list-item]
    assert is_deeper(Item("x", "deeper")) and not is_deeper(plain)  # type: ignore[arg-type]


@pytest.mark.parametrize(("takes_all", "count"), [(True, 100), (False, 34)])
def test_a_third_or_everything(takes_all: bool, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "takes_all", takes_all)
    assert selection.share(100) == count


def test_the_sample_does_not_depend_on_the_process() -> None:
    assert stable_hash("tests") == 308345950


@pytest.mark.parametrize(
    ("name", "depends"),
    [
        ("frontend/test_random_indices.py::test", True),
        ("frontend/test_random.py::test", False),
        ("ir/test_moments.py::test", True),
        ("ir/test_text.py::test", False),
        ("frontend/test_conformance.py::test_agrees_with_torch[a]", True),
        ("frontend/test_conformance.py::test_raises_as_torch[a]", False),
    ],
)
def test_what_depends_on_the_backend(name: str, depends: bool) -> None:
    assert depends_on_backend(Item(f"tests/{name}")) is depends  # type: ignore[arg-type]
