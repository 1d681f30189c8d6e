"""Lines of user code: their text, and the variables that they assign."""

from __future__ import annotations

import dis
import linecache
from functools import lru_cache
from types import CodeType

from lazygrad.inspect.report.model import Place
from lazygrad.ir.origin import Origin
from lazygrad.ir.printable import printable


class Places:
    """Numbers the lines that nodes come from.

    Attributes:
        listed: the lines, by number.
    """

    def __init__(self) -> None:
        self.listed: list[Place] = []
        self._numbers: dict[tuple[str, int], int] = {}

    def number_of(self, origin: Origin | None) -> int | None:
        """The number of the line that an origin names; None where there is none."""
        if origin is None or not origin.file:
            return None
        key = origin.file, origin.line
        if key not in self._numbers:
            self._numbers[key] = len(self.listed)
            text = text_of_line(*key)
            function = printable(getattr(origin._code, "co_qualname", ""))
            self.listed.append(Place(printable(origin.file), origin.line, text, function))
        return self._numbers[key]


def text_of_line(file: str, line: int) -> str:
    """A line without what it is indented by; empty where the file cannot be read."""
    try:
        return printable(linecache.getline(file, line).strip())
    except ValueError:  # no file can have such a name
        return ""


def assigned_name(origin: Origin | None) -> str:
    """The variable or attribute that the user's line assigns what this operation returns to; empty if none."""
    return "" if origin is None or origin._code is None else _assigned(origin._code, origin._instruction)


@lru_cache(maxsize=4096)
def _assigned(code: CodeType, offset: int) -> str:
    # While a call runs, the offset may lie behind it, in what the interpreter caches there.
    after = next((each for each in dis.get_instructions(code) if each.offset > offset), None)
    return str(after.argval) if after is not None and after.opname.startswith("STORE_") else ""
