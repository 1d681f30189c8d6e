"""Walking the tree of modules, compared with the same tree in PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn


def tree(framework: Any, nn: Any) -> Any:
    """A module with nested, shared and missing members."""
    root = nn.Module()
    root.block = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    root.register_parameter("absent", None)
    root.scale = nn.Parameter(framework.ones(2))
    root.shared = root.block[0]
    root.tied = nn.Linear(2, 2)
    root.tied.weight = root.block[0].weight
    root.register_buffer("mean", framework.zeros(1))
    root.add_module("nothing", None)
    return root


LISTINGS = {
    "parameters": lambda m: [n for n, _ in m.named_parameters()],
    "parameters with a prefix": lambda m: [n for n, _ in m.named_parameters("top")],
    "own parameters": lambda m: [n for n, _ in m.named_parameters(recurse=False)],
    "parameters with duplicates": lambda m: [n for n, _ in m.named_parameters(remove_duplicate=False)],
    "buffers": lambda m: [n for n, _ in m.named_buffers()],
    "own buffers": lambda m: [n for n, _ in m.named_buffers("p", recurse=False)],
    "modules": lambda m: [(n, type(c).__name__) for n, c in m.named_modules()],
    "modules with duplicates": lambda m: [n for n, _ in m.named_modules(remove_duplicate=False)],
    "modules with a prefix": lambda m: [n for n, _ in m.named_modules(prefix="top")],
    "children": lambda m: [(n, type(c).__name__) for n, c in m.named_children()],
    "members by a library's function": lambda m: [n for n, _ in m._named_members(lambda c: c._buffers.items(), "p")],
    "own members": lambda m: [
        n for n, _ in m._named_members(get_members_fn=lambda c: c._parameters.items(), recurse=False)
    ],
    "counts": lambda m: [len(list(each)) for each in (m.parameters(), m.buffers(), m.modules(), m.children())],
    "state": lambda m: list(m.state_dict()),
}


@pytest.mark.parametrize("name", LISTINGS)
def test_listing(name: str, torch: Any) -> None:
    listing = LISTINGS[name]
    assert listing(tree(lg, nn)) == listing(tree(torch, torch.nn))


def test_memo_leaves_modules_out() -> None:
    root = tree(lg, nn)
    names = [name for name, _ in root.named_modules(memo={root.block})]
    assert names == ["", "shared", "tied"]


def test_get_by_path() -> None:
    root = tree(lg, nn)
    assert root.get_submodule("block.0") is root.block[0]
    assert root.get_submodule("") is root
    assert root.get_parameter("block.0.weight") is root.block[0].weight
    assert root.get_parameter("scale") is root.scale
    assert root.get_buffer("block.1.running_mean") is root.block[1].running_mean


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        ("get_submodule", "block.7", "Sequential has no attribute `7`"),
        ("get_submodule", "scale", "`scale` is not an nn.Module"),
        ("get_parameter", "block.0.gain", "Linear has no attribute `gain`"),
        ("get_parameter", "block.0", "`0` is not an nn.Parameter"),
        ("get_buffer", "scale", "`scale` is not a buffer"),
        ("get_buffer", "absent_one", "Module has no attribute `absent_one`"),
    ],
)
def test_get_by_wrong_path(method: str, path: str, message: str, torch: Any) -> None:
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        with pytest.raises(AttributeError, match=message):
            getattr(tree(framework, modules), method)(path)


def test_set_submodule() -> None:
    root = tree(lg, nn)
    root.set_submodule("block.0", nn.ReLU())
    assert isinstance(root.block[0], nn.ReLU)
    root.set_submodule("added", nn.Tanh())
    assert isinstance(root.added, nn.Tanh)
    with pytest.raises(AttributeError, match="has no attribute `other`"):
        root.set_submodule("other", nn.Tanh(), strict=True)
    with pytest.raises(AttributeError, match=r"`scale` is not an nn.Module"):
        root.set_submodule("scale", nn.Tanh())
    with pytest.raises(ValueError, match="without a target name"):
        root.set_submodule("", nn.Tanh())
    with pytest.raises(ValueError, match=r"`module` is not an nn.Module"):
        root.set_submodule("block", 1)
