"""Source text that grows line by line, with its indentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Lines:
    """Lines of C; `block` opens a brace and indents what is added within it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def add(self, *lines: str) -> None:
        self.lines += ["    " * self._depth + line for line in lines]

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        self.add(f"{opening} {{" if opening else "{")
        self._depth += 1
        yield
        self._depth -= 1
        self.add("}")
