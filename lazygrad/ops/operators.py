"""Operators that programs define by `lazygrad.library`, as ``torch.ops.namespace.name`` finds them."""

from __future__ import annotations

from typing import Any

DEFINED: dict[str, dict[str, Any]] = {}
"""Operators by the name of their namespace and their own."""


class Namespace:
    """The operators of one namespace, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = DEFINED.get(self._name, {}).get(name)
        if found is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return found

    def __dir__(self) -> list[str]:
        return sorted(DEFINED.get(self._name, ()))
