"""Messages that PyTorch programs match or that their users search for: a program that fails, and what is quoted of it.

Each program takes the framework, torch or lazygrad, and raises. The phrase is a part of PyTorch's message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Quoted(NamedTuple):
    """A failing program and the phrase of its error that people quote."""

    name: str
    program: Callable[[Any], Any]
    phrase: str
