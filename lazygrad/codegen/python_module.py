"""Modules of generated Python."""

from __future__ import annotations

import linecache
from typing import Any


class PythonModule:
    """The names that a module defines, and its text for tracebacks as long as it is there.

    Args:
        text: its source.
        name: what tracebacks call it.
        path: of the file with this text, if there is one.
        names: what it finds already defined.

    Attributes:
        text: see above.
        filename: in tracebacks.
        names: also those that it defines.
    """

    def __init__(self, text: str, name: str, path: str = "", **names: Any) -> None:
        self.text, self.filename = text, path or f"<lazygrad {name}>"
        linecache.cache[self.filename] = (len(text), None, text.splitlines(keepends=True), self.filename)
        self.names: dict[str, Any] = {"__name__": f"lazygrad.plans.{name.replace(' ', '_')}", **names}
        exec(compile(text, self.filename, "exec"), self.names)

    def __del__(self) -> None:
        if linecache is not None:
            linecache.cache.pop(getattr(self, "filename", ""), None)
