"""Where tangents of forward mode end."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    "cut",
    [
        lambda x: x.detach(),
        lambda x: x.detach() * 2,
        lambda x: (x * 3).detach(),
        lambda x: x.data,
        lambda x: x.detach().reshape(2, 1),
        lambda x: x.reshape(2, 1).detach() + x.reshape(2, 1),
        lambda x: x.detach() * x,
        lambda x: x[:1].detach(),
        lambda x: x * 2,
    ],
    ids="detach detach-then later data view both product slice kept".split(),
)
@pytest.mark.parametrize(("requires_grad", "grad"), [(False, False), (False, True), (True, True)])
def test_detach_ends_tangents(cut: Callable[[Any], Any], requires_grad: bool, grad: bool) -> None:
    """What is cut off from gradients does not vary either; what is computed without gradients still does."""
    found = []
    for t in (torch, lg):
        forward_ad = importlib.import_module(f"{t.__name__}.autograd.forward_ad")
        with forward_ad.dual_level(), t.set_grad_enabled(grad):
            primal = t.tensor([1.0, 2.0], requires_grad=requires_grad)
            dual = forward_ad.make_dual(primal, t.tensor([3.0, 4.0]))
            value, tangent = forward_ad.unpack_dual(cut(dual))
            found.append((value.tolist(), None if tangent is None else tangent.tolist()))
    assert found[0] == found[1]
