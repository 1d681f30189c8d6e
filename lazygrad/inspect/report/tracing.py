"""Following a program through the passes: which recorded node each node comes from, and what each pass did.

A recorded node's origin is replaced by one that knows the node's number. Rewrites inherit origins, so the number is
found wherever the passes took it. Where two nodes become one, what each pass says of its replacements tells.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lazygrad.inspect.report.model import PassRun
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.origin import Origin
from lazygrad.ir.watching import watching
from lazygrad.passes.pipeline import observing


class TracedOrigin(Origin):
    """The origin of a recorded node, with its number."""

    __slots__ = ("number",)

    def __init__(self, origin: Origin | None, number: int, label: str = "") -> None:
        if origin is None:
            super().__init__(None, 0, "", label)
        else:
            super().__init__(origin._code, origin._instruction, origin.scope, label or origin.label)
        self.number = number

    def labelled(self, label: str) -> Origin:
        return TracedOrigin(self, self.number, label)


class Trace:
    """What passes did to a graph whose origins it has replaced.

    Attributes:
        runs: the passes, in order.
    """

    def __init__(self, recorded: Graph) -> None:
        for number, node in enumerate(recorded.nodes):
            node.origin = TracedOrigin(node.origin, number)
        self.runs: list[PassRun] = []
        self._merged: dict[Node, dict[int, None]] = {}
        self._rules: Counter[str] = Counter()
        self._since = time.perf_counter()
        self._thread = threading.get_ident()

    @contextmanager
    def following(self) -> Iterator[None]:
        """Within this context the passes of this thread are those of the graph."""
        with watching(self), observing(self._after_pass):
            self._since = time.perf_counter()
            yield

    def sources(self, node: Node) -> list[int]:
        """The recorded nodes that a node comes from; first the one that made it."""
        own = [node.origin.number] if isinstance(node.origin, TracedOrigin) else []
        return list(dict.fromkeys([*own, *self._merged.get(node, ())]))

    def on_rule(self, rule: str) -> None:
        self._rules[rule] += 1

    def on_replaced(self, mapping: Mapping[Node, Node]) -> None:
        for old, new in mapping.items():
            if new is not old and new.op.kind is not Kind.LEAF:
                self._merged.setdefault(new, {}).update(dict.fromkeys(self.sources(old)))

    def end(self, name: str, nodes: int = 0) -> None:
        """Note what was done since the last pass."""
        now = time.perf_counter()
        self.runs.append(PassRun(name, nodes, 1e6 * (now - self._since), dict(self._rules.most_common())))
        self._rules.clear()
        self._since = time.perf_counter()

    def _after_pass(self, name: str, graph: Graph) -> None:
        if threading.get_ident() != self._thread:
            return  # plans are made in the background, too
        if name == "recorded":
            self._since = time.perf_counter()
        else:
            self.end(name, len(graph))
