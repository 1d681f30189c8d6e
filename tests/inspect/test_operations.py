"""docs/operations.md is the registry's own account."""

from __future__ import annotations

from pathlib import Path

import pytest

from lazygrad.command_line.main import main
from lazygrad.inspect.operations import operation_table
from lazygrad.ir.op import registry

_PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_page_is_up_to_date() -> None:
    assert _PAGE.read_text() == operation_table() + "\n", "run: python -m lazygrad operations > docs/operations.md"


def test_every_operation_has_a_row_and_a_meaning() -> None:
    table = operation_table()
    assert [name for name in registry if f"\n| `{name}` |" not in table] == []
    assert [name for name, op in registry.items() if not op.doc] == []


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operations"]) == 0
    assert capsys.readouterr().out == operation_table() + "\n"
