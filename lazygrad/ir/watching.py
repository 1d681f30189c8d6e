"""Who is told what the passes of this thread do. `lazygrad.inspect` watches while it explains a program.

Nobody watches most of the time; then a rule that applies costs one look at a thread-local attribute.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lazygrad.ir.node import Node


class Watcher(Protocol):
    """What somebody who explains a program has to know beside the graphs that passes return."""

    def on_rule(self, rule: str) -> None:
        """A pass applied one of its rules once."""

    def on_replaced(self, mapping: Mapping[Node, Node]) -> None:
        """A pass is done: what stands now for each node that it was given."""


class _Watching(threading.local):
    watcher: Watcher | None = None


_watching = _Watching()


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Within this context ``watcher`` is told what this thread's passes do."""
    outer = _watching.watcher
    _watching.watcher = watcher
    try:
        yield
    finally:
        _watching.watcher = outer


def applied(rule: str) -> None:
    """Called by a pass where one of its rules has applied."""
    if _watching.watcher is not None:
        _watching.watcher.on_rule(rule)


def replaced(mapping: Mapping[Node, Node]) -> None:
    """Called where a pass puts its replacements together to a graph."""
    if _watching.watcher is not None:
        _watching.watcher.on_replaced(mapping)
