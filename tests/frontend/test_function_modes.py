"""By what modes of programs recognize functions: initializers by their module, and what makes tensors by a list."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

import lazygrad as lg

INITIALIZATIONS = {
    "uniform_": lambda t, x: t.nn.init.uniform_(x, 1.0),
    "normal_": lambda t, x: t.nn.init.normal_(x, std=2.0),
    "constant_": lambda t, x: t.nn.init.constant_(x, 3.0),
    "kaiming_uniform_": lambda t, x: t.nn.init.kaiming_uniform_(x, mode="fan_out"),
    "ones_": lambda t, x: t.nn.init.ones_(x),
    "zeros_": lambda t, x: t.nn.init.zeros_(x),
    "xavier_uniform_": lambda t, x: t.nn.init.xavier_uniform_(x),
    "kaiming_normal_": lambda t, x: t.nn.init.kaiming_normal_(x),
    "Linear": lambda t, x: t.nn.Linear(2, 3),
    "Embedding": lambda t, x: t.nn.Embedding(2, 3),
    "Conv2d": lambda t, x: t.nn.Conv2d(2, 3, 1, bias=False),
    "LayerNorm": lambda t, x: t.nn.LayerNorm(3),
    "GRUCell": lambda t, x: t.nn.GRUCell(2, 3),
}


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def _name(function: Any) -> str:
    return f"{function.__module__}.{function.__name__}".removeprefix("torch.").removeprefix("lazygrad.")


def _initializers_seen(t: Any, name: str) -> list[Any]:
    seen: list[Any] = []

    class Watching(t.overrides.TorchFunctionMode):  # type: ignore[name-defined, misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if str(getattr(func, "__module__", "")).endswith("nn.init"):
                values = {key: value for key, value in (kwargs or {}).items() if key != "tensor"}
                seen.append((_name(func), len(args), "tensor" in (kwargs or {}), values))
            return func(*args, **(kwargs or {}))

    x = t.ones(2, 3)
    with Watching():
        INITIALIZATIONS[name](t, x)
    return seen


@pytest.mark.parametrize("name", INITIALIZATIONS)
def test_modes_see_initializers_as_those_of_torch_do(name: str, torch: Any) -> None:
    assert _initializers_seen(lg, name) == _initializers_seen(torch, name)


def _uninitialized(t: Any) -> tuple[list[str], bool]:
    """Lightning's and lit-llama's way to make a model without its initialization, and with another dtype."""
    constructors = import_module(f"{t.__name__}.utils._device")._device_constructors()
    skipped = []

    class EmptyInit(t.overrides.TorchFunctionMode):  # type: ignore[name-defined, misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if getattr(func, "__module__", None) == f"{t.__name__}.nn.init":
                skipped.append(func.__name__)
                return kwargs["tensor"] if "tensor" in kwargs else args[0]
            if func in constructors and kwargs.get("dtype") is None:
                kwargs["dtype"] = t.float64
            return func(*args, **kwargs)

    t.manual_seed(0)
    with EmptyInit():
        layer = t.nn.Linear(2, 2)
    drawn = t.rand(2)
    t.manual_seed(0)
    assert layer.weight.dtype == layer.bias.dtype == t.float64
    return skipped, bool((t.rand(2) == drawn).all())  # nothing was drawn for the layer


def test_a_mode_leaves_out_initialization(torch: Any) -> None:
    assert _uninitialized(lg) == _uninitialized(torch) == (["kaiming_uniform_", "uniform_"], True)


def test_what_makes_tensors_of_sizes_and_data_is_listed(torch: Any) -> None:
    ours = {function.__name__ for function in import_module("lazygrad.utils._device")._device_constructors()}
    theirs = {function.__name__ for function in import_module("torch.utils._device")._device_constructors()}
    assert ours <= {name.removeprefix("fft_") for name in theirs}
    assert not [name for name in theirs - ours if hasattr(lg, name)]


def test_a_function_is_run_on_a_device() -> None:
    @import_module("lazygrad.utils._device").set_device("meta")  # type: ignore[untyped-decorator]
    def made(size: int) -> Any:
        """What it says."""
        return lg.ones(size)

    assert made(3).is_meta
    assert not lg.ones(1).is_meta
    assert made.__doc__ == "What it says."


PROGRAM = """
import lazygrad
lazygrad.as_torch()
import torch
names = []
class Watching(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        names.append(f"{func.__module__}.{func.__name__}")
        return func(*args, **(kwargs or {}))
x = torch.ones(2, 2)
with Watching():
    torch.nn.init.normal_(x)
    torch.empty(2)
    torch.nn.functional.relu(x)
    torch.linalg.norm(x)
print(*names)
"""


def test_modules_of_functions_are_torchs_under_as_torch() -> None:
    printed = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["torch.nn.init.normal_", "torch.empty", "torch.nn.functional.relu", "torch.linalg.norm"]
