"""Which files of the library define the functions that a plan calls, and what these use in turn.

It is read from the sources: a function has one definition, and whoever mentions it needs the file of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_INCLUDED = re.compile(rb'"([\w./]+\.(?:h|inc))"')
_DECLARED = re.compile(rb"^(?:extern [^;{]*|\w[\w \*]*\blg_\w+\([^;{]*\));", re.MULTILINE)
_DEFINED = re.compile(rb"^(?!static\b)\w[\w \*]*?\b(lg_\w+)\([^;{]*\)\s*\{|^#define NAME (lg_\w+)$", re.MULTILINE)
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_MENTIONED = re.compile(rb"\blg_\w+")


class LibraryFiles:
    """The sources in a folder.

    Args:
        folder: its ``*.c`` files are the library's; what they include lies there or beside it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[Path, bytes] = {}
        self._mentioned: dict[Path, frozenset[str]] = {}
        self._needed: dict[frozenset[str], list[Path]] = {}
        self.all = sorted(folder.glob("*.c"))
        self._defined = {name: file for file in self.all for name in self._names_defined(file)}

    def defined_in(self, file: Path) -> list[str]:
        """The functions of one file."""
        return [name for name, owner in self._defined.items() if owner == file]

    def of(self, names: Iterable[str]) -> list[Path]:
        """The files that some functions need, each behind those that it uses itself. Names of others' are ignored."""
        wanted = frozenset(names)
        known = self._needed.get(wanted)
        if known is None:
            found: dict[Path, None] = {}
            for name in sorted(wanted & self._defined.keys()):
                self._add(self._defined[name], found)
            known = self._needed[wanted] = [*found]
        return known

    def _add(self, file: Path, found: dict[Path, None]) -> None:
        """Add a file behind those that it uses."""
        if file not in found:
            found[file] = None  # where files use each other
            for name in sorted(self._names_used(file) & self._defined.keys()):
                self._add(self._defined[name], found)
            del found[file]  # to be the last
            found[file] = None

    def _names_defined(self, file: Path) -> Iterator[str]:
        for match in _DEFINED.finditer(self._text(file)):
            yield (match[1] or match[2]).decode()

    def _names_used(self, file: Path) -> frozenset[str]:
        """What a file mentions, with what it includes. Threads may ask at once: only what is whole is remembered."""
        known = self._mentioned.get(file)
        if known is None:
            texts = [self._text(each) for each in self._with_included(file)]
            names = [name.decode() for text in texts for name in _MENTIONED.findall(_DECLARED.sub(b"", text))]
            known = self._mentioned[file] = frozenset(names)
        return known

    def _with_included(self, file: Path) -> list[Path]:
        found = [file]
        for each in found:
            included = [self._place(each.parent, name.decode()) for name in _INCLUDED.findall(self._text(each))]
            found += [other for other in dict.fromkeys(included) if other not in found]
        return found

    def _place(self, beside: Path, name: str) -> Path:
        own = (beside / name).resolve()
        return own if own.exists() else self._folder.parent / name

    def _text(self, file: Path) -> bytes:
        if file not in self._texts:
            self._texts[file] = _COMMENT.sub(b"", file.read_bytes())
        return self._texts[file]


@cache
def library_files(folder: Path) -> LibraryFiles:
    """The sources in a folder, read once per process."""
    return LibraryFiles(folder)
