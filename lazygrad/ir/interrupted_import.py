"""Imports of packages that are interrupted, and begun again."""

from __future__ import annotations

import sys
from types import TracebackType


class LoadedAsOne:
    """A context around the imports of a package's ``__init__``: if they fail, the packages below it are forgotten too.

    Python forgets a package whose loading fails, and keeps what it has imported. The next import of a module two levels
    below would find the package in between and begin with the module, whose own imports then load the outer package,
    which needs that module: a circle. Without the package in between, Python begins with the outer one, as it did the
    first time. Modules that are loaded stay, so that there is one of each.

    Args:
        package: the name of the package.
    """

    def __init__(self, package: str) -> None:
        self._beginning = f"{package}."

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            return
        for name, module in list(sys.modules.items()):
            if name.startswith(self._beginning) and hasattr(module, "__path__"):
                del sys.modules[name]
