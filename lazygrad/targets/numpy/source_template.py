"""A numpy module in which numbers that depend on an extent have names: one text for all sizes of a range.

It is made of the texts of some sizes. What differs must be a number that follows from the extent in the same way at all
of them; nothing is assumed about which pass or renderer a number came from.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import nan
from typing import NamedTuple

from lazygrad.ir.polynomial import NotDynamic, Quantity, quantity

_BLANK = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


@dataclass(frozen=True, slots=True)
class SourceTemplate:
    """The text, and the numbers that it names."""

    text: str
    values: dict[str, Quantity]


class _Token(NamedTuple):
    kind: int
    string: str
    start: tuple[int, int]
    end: tuple[int, int]
    line: str


def source_template(texts: Sequence[str], sizes: Sequence[int]) -> SourceTemplate:
    """What the ``texts`` of a program at some ``sizes`` have in common.

    Raises:
        NotDynamic: they differ in more than numbers, or a number does not follow from the extent.
    """
    listed = [_tokens(text) for text in texts]
    prefix = _unused(listed[0])
    names: dict[Quantity, str] = {}
    places: list[tuple[_Token, str]] = []
    if len({len(tokens) for tokens in listed}) > 1:
        raise NotDynamic(f"the plans for {min(sizes)} and {max(sizes)} have other steps")
    for tokens in zip(*listed, strict=True):
        if len({token.string for token in tokens}) == 1:
            continue
        if any(token.kind != tokenize.NUMBER for token in tokens):
            raise NotDynamic(f"the plans for {min(sizes)} and {max(sizes)} differ in: {tokens[0].line.strip()}")
        value = quantity(sizes, [_number(token.string) for token in tokens])
        if value is None:
            shown = ", ".join([f"{token.string} at {size}" for token, size in zip(tokens, sizes, strict=True)])
            raise NotDynamic(f"no formula was found for {shown} in: {tokens[0].line.strip()}")
        places.append((tokens[0], names.setdefault(value, f"{prefix}{len(names)}")))
    return SourceTemplate(_replaced(texts[0], places), {name: value for value, name in names.items()})


def _tokens(text: str) -> list[_Token]:
    """What is executed: no comments, and no strings that stand alone."""
    found: list[_Token] = []
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _BLANK:
            begins = True
        elif not (begins and token.type == tokenize.STRING):
            begins = False
            found.append(_Token(token.type, token.string, token.start, token.end, token.line))
    return found


def _unused(tokens: Sequence[_Token]) -> str:
    """How no name of a text begins."""
    words = [token.string for token in tokens if token.kind == tokenize.NAME]
    for number in count():
        prefix = f"extent{number or ''}_"
        if not any(word.startswith(prefix) for word in words):
            return prefix
    raise AssertionError("numbers do not end")


def _number(text: str) -> float:
    if "j" in text:
        return nan  # which no size gives
    return float(text) if any(letter in text for letter in ".eE") else int(text)


def _replaced(text: str, places: Sequence[tuple[_Token, str]]) -> str:
    lines = text.splitlines(keepends=True)
    for token, name in reversed(places):
        (row, begin), (_, end) = token.start, token.end
        line = lines[row - 1]
        lines[row - 1] = line[:begin] + name + line[end:]
    return "".join(lines)
