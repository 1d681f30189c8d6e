"""Every name of `torch.nn` and its functional form is there, with PyTorch's arguments and defaults."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from lazygrad import nn

# By how often programs use them: tier A (always), B (often), C (rarely).
_TIERS: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("tiers.json").read_text())
_NAMESPACES = {"torch.nn": nn, "torch.nn.functional": nn.functional}


@pytest.mark.parametrize("namespace", _TIERS)
@pytest.mark.parametrize("tier", ["A", "B", "C"])
def test_nothing_is_missing(namespace: str, tier: str) -> None:
    ours = _NAMESPACES[namespace]
    assert [name for name in _TIERS[namespace][tier].split() if not hasattr(ours, name)] == []


def _arguments(function: Any) -> list[tuple[str, Any, Any]]:
    parameters = inspect.signature(function).parameters.values()
    return [(parameter.name, parameter.kind, _comparable(parameter.default)) for parameter in parameters]


def _comparable(default: Any) -> Any:
    """Functions, such as ``relu``, are each library's own."""
    return default.__name__ if inspect.isfunction(default) else default


def _layers(torch: Any) -> list[str]:
    base = torch.nn.Module
    public = [name for name in dir(torch.nn) if isinstance(getattr(torch.nn, name), type) and hasattr(nn, name)]
    return [name for name in public if issubclass(getattr(torch.nn, name), base) and name != "Module"]


def test_layers_take_pytorchs_arguments(torch: Any) -> None:
    checked = 0
    for name in _layers(torch):
        theirs, ours = getattr(torch.nn, name), getattr(nn, name)
        if theirs.__init__ is not torch.nn.Module.__init__:
            assert _arguments(ours) == _arguments(theirs), name
            checked += 1
        assert _arguments(ours.forward) == _arguments(theirs.forward), name
    assert checked > 100


def test_functions_take_pytorchs_arguments(torch: Any) -> None:
    checked = 0
    for name in " ".join(_TIERS["torch.nn.functional"].values()).split():
        theirs, ours = getattr(torch.nn.functional, name), getattr(nn.functional, name, None)
        if ours is None or not inspect.isfunction(theirs):
            continue  # some of PyTorch's are built in, and say nothing of their arguments
        wanted = list(inspect.signature(theirs).parameters)
        if wanted != ["args", "kwargs"]:
            assert [each for each in inspect.signature(ours).parameters if each in wanted] == wanted, name
            checked += 1
    assert checked > 50
