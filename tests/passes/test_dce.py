"""Dead code elimination: names and watched nodes that no root needs are dropped, everything else stays."""

from __future__ import annotations

from lazygrad.ir.graph import Graph
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.passes.dce import dce
from tests.passes.programs import leaf


def test_what_no_root_needs_goes() -> None:
    x, unused = leaf((3,)), leaf((3,), slot=1)
    kept, dropped = ew.exp(x), ew.sin(unused)
    result = dce(Graph([kept], names={x: "x", unused: "unused"}, watched=[kept, dropped]))
    assert result.nodes == [x, kept]
    assert result.names == {x: "x"}
    assert result.watched == (kept, None)
