"""Values that are replaced while a trace lasts: entries of namespaces, and attributes of classes."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self


class Patches:
    """A context at whose end everything it replaced is as before."""

    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        for owner, name, old in reversed(self._undo):
            if not isinstance(owner, dict):
                setattr(owner, name, old)
            elif old is _ABSENT:
                owner.pop(name, None)
            else:
                owner[name] = old

    def entry(self, namespace: dict[str, Any], name: str, value: Any) -> None:
        """Replace an entry of a namespace, or add one."""
        self._undo.append((namespace, name, namespace.get(name, _ABSENT)))
        namespace[name] = value

    def attribute(self, cls: type[Any], name: str, value: Any) -> None:
        """Replace what a class has under a name."""
        self._undo.append((cls, name, getattr(cls, name)))
        setattr(cls, name, value)


_ABSENT = object()
