"""The walk behind a snapshot: what it has seen, and how places get their guards."""

from __future__ import annotations

from typing import Any

from lazygrad.compiling.execution import Execution
from lazygrad.compiling.guards import Guards


class Walk:
    """What visits of all kinds of values share.

    Attributes:
        guards: collected so far.
    """

    def __init__(self, execution: Execution) -> None:
        self.guards = Guards()
        self._execution = execution
        self._names, self._any_name = execution.names, execution.reaches_any_attribute

    def _visit(self, value: Any, path: str) -> None:
        """Guard what can be read from ``value``, which is called ``path``."""
        raise NotImplementedError

    def _mentions(self, name: Any) -> bool:
        return self._any_name or name in self._names

    def _entry(self, owner: dict[Any, Any], key: Any, path: str) -> None:
        self.guards.entry(owner, key, owner[key], path)
        self._visit(owner[key], path)
