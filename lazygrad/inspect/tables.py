"""Tables of records, for terminals and for browsers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

Cell = str | int | float | None


def text_table(records: Iterable[Mapping[str, Cell]]) -> list[str]:
    """Lines with columns as wide as they must be; numbers are right-aligned. No lines for no records."""
    listed = list(records)
    if not listed:
        return []
    head = list(listed[0])
    rows = [head, *[[shown(record[name]) for name in head] for record in listed]]
    is_text = [all(isinstance(record[name], str) for record in listed) for name in head]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, is_text, strict=True)
        ).rstrip()
        for row in rows
    ]


def html_table(records: Iterable[Mapping[str, Cell]]) -> str:
    """A ``table`` element."""
    listed = list(records)
    head = "".join(f"<th>{escape(name)}</th>" for name in (listed[0] if listed else ()))
    body = "".join("<tr>" + "".join(_cell(value) for value in record.values()) + "</tr>\n" for record in listed)
    return f"<table>\n<tr>{head}</tr>\n{body}</table>\n"


def _cell(value: Cell) -> str:
    align = "" if isinstance(value, str) else ' style="text-align: right"'
    return f"<td{align}>{escape(shown(value))}</td>"


def shown(value: Cell) -> str:
    """A cell as people read it: thousands apart, three or four digits of a fraction."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return value
