"""Attribute values in graph texts: None, truth values, numbers, strings, and tuples of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lazygrad.ir.printable import unquoted

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|inf|nan)"
_ATOM = re.compile(
    rf"(?P<complex>-?{_NUMBER}j|\(-?{_NUMBER}[-+]{_NUMBER}j\))|(?P<integer>-?[0-9]+)(?![\w.])|(?P<float>-?{_NUMBER})"
    r"|(?P<word>None|True|False)|(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")",
    re.ASCII,
)
_WORDS = {"None": None, "True": True, "False": False}
_READ: dict[Any, Callable[[str], Any]] = {
    "complex": complex,
    "integer": int,
    "float": float,
    "word": _WORDS.__getitem__,
    "string": unquoted,
}
_DEEPEST = 16  # tuples inside tuples; ops have three at most


def print_attribute(value: Any) -> str:
    """``value`` as `parse_attribute` reads it."""
    if isinstance(value, tuple):
        return "(" + ",".join([print_attribute(item) for item in value]) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def parse_attribute(text: str, position: int, depth: int = 0) -> tuple[Any, int]:
    """The value that begins at ``position``, and where it ends.

    Raises:
        ValueError: no value begins there; an integer of thousands of digits; tuples inside each other without end.
    """
    atom = _ATOM.match(text, position)
    if atom is not None:
        return _READ[atom.lastgroup](atom[0]), atom.end()
    if not text.startswith("(", position):
        raise ValueError(f"expected a value instead of {text[position : position + 20]!r}")
    if depth == _DEEPEST:
        raise ValueError(f"more than {_DEEPEST} tuples are inside each other")
    return _parse_tuple(text, position + 1, depth + 1)


def _parse_tuple(text: str, position: int, depth: int) -> tuple[tuple[Any, ...], int]:
    """The tuple whose items begin at ``position``. Each is followed by a comma, but the last of several by none."""
    items: list[Any] = []
    while not text.startswith(")", position):
        item, position = parse_attribute(text, position, depth)
        items.append(item)
        if text.startswith(",", position):
            position += 1
        elif len(items) == 1 or not text.startswith(")", position):
            raise ValueError(f"expected a comma instead of {text[position : position + 20]!r}")
    return tuple(items), position + 1
