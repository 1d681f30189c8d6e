"""Imports inside functions: of modules that are there, so that they are lookups, which guards repeat."""

from __future__ import annotations

import builtins
import sys
from importlib.util import resolve_name
from typing import Any

from lazygrad.compiling.attributes import Attributes
from lazygrad.compiling.reads import Reads

_import = builtins.__import__


class Imports:
    """The hook on import statements. A module that is not there yet runs its code, which no replay can repeat."""

    def __init__(self, reads: Reads, attributes: Attributes) -> None:
        self._reads, self._attributes = reads, attributes

    def imported(self, name: str, level: int, taken: tuple[str, ...], path: tuple[str, ...]) -> None:
        """Before ``import name`` or ``from name import taken``.

        Args:
            name: as it is written; ``level`` is the number of dots in front.
            taken: names that are taken from the module.
            path: names that are read one after the other, from the outermost module on.
        """
        if not self._reads.is_active:
            return
        namespace = sys._getframe(1).f_globals
        if builtins.__import__ is not _import:
            self._reads.refuse("imports by another function than Python's")
        self._reads.entry(vars(builtins), "__import__", "how modules are imported")
        for variable in ("__package__", "__spec__") if level else ():
            self._reads.entry(namespace, variable, f"the global variable {variable!r}")
        try:
            full = resolve_name("." * level + name, namespace.get("__package__"))
        except ImportError:
            self._reads.refuse(f"imports {'.' * level}{name}")
            return
        parts = full.split(".")
        for end in range(1, len(parts) + 1):
            self._module(".".join(parts[:end]))
        self._read(full, taken)
        for depth, part in enumerate(path):
            self._read(".".join(parts[: depth + 1]), (part,))

    def _module(self, name: str) -> None:
        if sys.modules.get(name) is None:
            self._reads.refuse(f"imports {name}, which was not imported before")
        self._reads.entry(sys.modules, name, f"the module {name}")

    def _read(self, module: str, names: tuple[str, ...]) -> None:
        owner: Any = sys.modules.get(module)
        for name in names if owner is not None else ():
            if name in vars(owner):
                self._attributes.attribute(owner, name)
            else:
                self._reads.refuse(f"imports {module}.{name}, which was not there before")
