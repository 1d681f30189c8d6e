"""Libraries that have to be told of tensors once they are imported, before or after lazygrad."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def when_imported(name: str, register: Callable[[], None]) -> None:
    """Call ``register`` as soon as the module ``name`` is loaded; at once if it is. A program without it never does."""
    if name in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _WhenImported(name, register))


class _WhenImported:
    """Finds a library as Python would without it, and calls a function once the library was loaded.

    Being looked for is not being imported: `importlib.util.find_spec` is how programs ask whether it is installed.
    """

    def __init__(self, name: str, register: Callable[[], None]) -> None:
        self._name, self._register = name, register

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        found = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                self._register()

            spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec
