"""Where a node comes from."""

from __future__ import annotations

import lazygrad as lg
from lazygrad import nn, optim
from lazygrad.ir.origin import capture, from_one_line


def test_nodes_of_one_line_share_its_origin() -> None:
    outside = capture()
    with from_one_line():
        origin = capture()
        assert capture() is origin
        with from_one_line():
            assert capture() is origin
        assert capture() is origin
    assert capture() is not origin
    assert (origin.file, origin.line) == (__file__, outside.line + 1)


def test_an_optimizers_updates_come_from_the_line_that_called_step() -> None:
    model = nn.Linear(2, 1)
    steps = optim.Adam(model.parameters())
    model(lg.ones(3, 2)).sum().backward()
    steps.step()
    here = capture()
    assert model.weight.node().origin.line == here.line - 1
