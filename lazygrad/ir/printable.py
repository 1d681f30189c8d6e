"""Text from outside, such as names of classes and files, as printable text on one line."""

from __future__ import annotations

import re

_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_LONG = {short[1]: character for character, short in _SHORT.items()} | {"'": "'"}
_NOT_PLAIN = re.compile(r"[^ !#-\[\]-~]")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)


def printable(text: str) -> str:
    """``text`` with escapes for what is not printable: line breaks, control characters, bidi controls, surrogates.

    Backslashes stay as they are, so that printable text does not change.
    """
    if text.isprintable():
        return text
    return "".join([character if character.isprintable() else repr(character)[1:-1] for character in text])


def quoted(text: str) -> str:
    """``text`` in double quotes, in ASCII; `unquoted` gives every text back."""
    return f'"{_NOT_PLAIN.sub(lambda match: _escaped(match[0]), text)}"'


def _escaped(character: str) -> str:
    code = ord(character)
    return _SHORT.get(character) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def unquoted(text: str) -> str:
    """The text whose `quoted` or ``repr`` form is ``text``, with its quotes.

    Raises:
        ValueError: an escape that neither form has.
    """
    return _ESCAPE.sub(_character, text[1:-1]) if "\\" in text else text[1:-1]


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code:
        return chr(int(code, 16))  # ValueError beyond the last character
    if escape[4] not in _LONG:
        raise ValueError(f"there is no escape {printable(escape[0])}")
    return _LONG[escape[4]]


def shortened(text: str, length: int) -> str:
    """``text``, of which the middle is left out if it is longer than ``length``."""
    half = length // 2
    return text if len(text) <= length else f"{text[:half]} … {text[-half:]}"
