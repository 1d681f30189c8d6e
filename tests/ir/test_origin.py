"""Where a node comes from."""

from __future__ import annotations

import os

import lazygrad as lg
from lazygrad import nn, optim
from lazygrad.ir.origin import from_one_line


def test_nodes_of_one_line_share_its_origin() -> None:
    outside = lg.ones(1).node().origin
    with from_one_line():
        origin = lg.ones(1).node().origin
        assert lg.ones(1).node().origin is origin
        with from_one_line():
            assert lg.ones(1).node().origin is origin
        assert lg.ones(1).node().origin is origin
    assert lg.ones(1).node().origin is not origin
    assert (origin.file, origin.line) == (__file__, outside.line + 1)


def test_an_optimizers_updates_come_from_the_line_that_called_step() -> None:
    model = nn.Linear(2, 1)
    steps = optim.Adam(model.parameters())
    model(lg.ones(3, 2)).sum().backward()
    steps.step()
    found = lg.ones(1).node().origin
    assert model.weight.node().origin.line == found.line - 1


def test_files_whose_names_begin_like_the_packages_folder_are_the_users() -> None:
    """``lazygrad_tools.py`` beside ``lazygrad/`` is not a part of it."""
    folder = os.path.dirname(lg.__file__)
    for file, is_internal in {
        f"{folder}_tools.py": False,
        f"{folder}/nn/new.py": True,
        "<lazygrad plan 3>": True,
    }.items():
        names: dict[str, object] = {"lg": lg}
        exec(compile("origin = lg.ones(1).node().origin", file, "exec"), names)
        assert (names["origin"].file == file) is not is_internal  # type: ignore[attr-defined]
