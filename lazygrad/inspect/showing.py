"""Printing where not every character can be printed: on terminals and in pipes of another encoding than UTF-8."""

from __future__ import annotations

import sys


def show(text: str) -> None:
    """Print ``text``; what standard output cannot encode becomes an escape."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding, getattr(sys.stdout, "errors", None) or "strict")
    except UnicodeEncodeError:
        text = text.encode(encoding, "backslashreplace").decode(encoding)
    print(text)
