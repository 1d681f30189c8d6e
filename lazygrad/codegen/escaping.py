"""What keeps names from outside from becoming code: one escape per language, and two types that say what needs it.

A template escapes whatever it is given, unless it is `Code`. Names of files, modules and classes travel as `Words`,
which cannot be formatted into anything else on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NoReturn

from lazygrad.ir.printable import printable

_OPENS_OR_CLOSES = re.compile(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=\?)(?=\?)")


class Code(str):
    """Source that a renderer made, of identifiers and numbers only: a template inserts it as it is."""

    __slots__ = ()


class Words:
    """Text from outside. It reaches source through a template only, which escapes it.

    Attributes:
        text: anything.
    """

    __slots__ = ("text",)

    def __init__(self, text: str = "") -> None:
        self.text = text

    def __bool__(self) -> bool:
        return bool(self.text)

    def __repr__(self) -> str:
        return f"Words({self.text!r})"

    def __str__(self) -> NoReturn:
        raise TypeError("words from outside reach source through a template, which escapes them")

    def __format__(self, specification: str) -> NoReturn:
        self.__str__()


def joined(separator: str, parts: Iterable[Words]) -> Words:
    """Those of ``parts`` that are not empty, as one."""
    return Words(separator.join([part.text for part in parts if part]))


def code_lines(lines: Iterable[str]) -> list[Code]:
    """Lines that a renderer made."""
    return list(map(Code, lines))


def python_text(text: str) -> str:
    """``text`` inside a comment or a string literal of Python; the value of the literal is ``text``."""
    return printable(text.replace("\\", "\\\\")).replace('"', '\\"')


def c_text(text: str) -> str:
    r"""``text`` inside a ``/* comment */`` of C: without what opens or closes comments, and without trigraphs."""
    return _OPENS_OR_CLOSES.sub(" ", printable(text))
