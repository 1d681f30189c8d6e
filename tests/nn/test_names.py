"""Every name of `torch.nn` and its functional form is there, with PyTorch's arguments and defaults."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
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


# Deprecated long ago, and PyTorch's new fused loss.
_NOT_AT_THEIR_PATHS = {
    "Container",
    "CrossMapLRN2d",
    "NLLLoss2d",
    "_functions",
    "linear_cross_entropy",
    "linear_cross_entropy_options",
}


def test_classes_are_at_pytorchs_paths(torch: Any) -> None:
    """Programs name ``torch.nn.modules.linear.NonDynamicallyQuantizableLinear`` as a class that a file may hold."""
    missing = set()
    for module in pkgutil.iter_modules(torch.nn.modules.__path__):
        theirs = importlib.import_module(f"torch.nn.modules.{module.name}")
        try:
            ours = importlib.import_module(f"lazygrad.nn.modules.{module.name}")
        except ModuleNotFoundError:
            missing.add(module.name)
            continue
        classes = {name for name, value in vars(theirs).items() if inspect.isclass(value) and name[0] != "_"}
        missing.update(name for name in classes if theirs.__name__ == getattr(theirs, name).__module__)
        missing.difference_update(vars(ours))
    assert missing == _NOT_AT_THEIR_PATHS
