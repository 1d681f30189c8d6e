"""Names, where they are found, and what is called with which arguments: PyTorch's."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

import lazygrad
from lazygrad import distributions

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

_MODULES = [module.name for module in pkgutil.iter_modules(torch.distributions.__path__)]
_CLASSES = sorted(name for name in torch.distributions.__all__ if inspect.isclass(getattr(torch.distributions, name)))


def test_public_names() -> None:
    assert set(torch.distributions.__all__) - {*distributions.__all__} == set()
    assert {*distributions.__all__} - {*torch.distributions.__all__} <= {"constraints"}
    assert all(hasattr(distributions, name) for name in distributions.__all__)


@pytest.mark.parametrize("name", _MODULES)
def test_modules(name: str) -> None:
    theirs = importlib.import_module(f"torch.distributions.{name}")
    ours = importlib.import_module(f"lazygrad.distributions.{name}")
    assert [public for public in theirs.__all__ if not hasattr(ours, public)] == []


def _parameters(function: Any) -> list[tuple[str, Any]]:
    parameters = list(inspect.signature(function).parameters.values())
    return [(one.name, tuple(one.default) if isinstance(one.default, tuple) else one.default) for one in parameters]


@pytest.mark.parametrize("name", _CLASSES)
def test_arguments(name: str) -> None:
    ours, theirs = getattr(distributions, name), getattr(torch.distributions, name)
    assert _parameters(ours.__init__) == _parameters(theirs.__init__)
    for method in ("sample", "rsample", "expand", "enumerate_support"):
        if hasattr(theirs, method):
            assert _parameters(getattr(ours, method)) == _parameters(getattr(theirs, method))


@pytest.mark.parametrize("name", _CLASSES)
def test_bases(name: str) -> None:
    ours, theirs = getattr(distributions, name), getattr(torch.distributions, name)
    public = {*torch.distributions.__all__}
    assert {base.__name__ for base in theirs.__mro__} & public <= {base.__name__ for base in ours.__mro__}
    for fact in ("has_rsample", "has_enumerate_support", "bijective"):
        if isinstance(getattr(theirs, fact, None), bool):
            assert getattr(ours, fact) is getattr(theirs, fact)


def test_the_package_is_loaded_when_it_is_first_used() -> None:
    program = "import sys, lazygrad; print('lazygrad.distributions' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
    assert isinstance(lazygrad.distributions, ModuleType)
