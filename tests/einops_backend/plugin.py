"""A pytest plugin for einops' own tests: ``torch`` is lazygrad, and its tensors go through lazygrad's backend.

``backend.layers()`` are those of `lazygrad.einops_layers`; ``einops.layers.torch``, which tests import too, is einops'
own code running on lazygrad. Loaded with ``-p``, before any test module; only in a process of its own.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from einops import _backends

import lazygrad as lg
from tests.einops_backend.known import EXCEPTIONS


def _module(name: str, **contents: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(contents)
    sys.modules[name] = module
    return module


def _close(found: Any, expected: Any, *, atol: float, rtol: float) -> None:
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), atol=atol, rtol=rtol)


def _traced(model: Any, example_inputs: Any) -> Any:
    compiled = lg.compile(model)
    compiled(example_inputs)
    return compiled


def install() -> None:
    """Make ``import torch`` give lazygrad, with the few names of torch's tools that the tests use."""
    sys.modules["torch"] = lg
    for name in ("nn", "nn.functional", "fft", "linalg"):
        sys.modules[f"torch.{name}"] = importlib.import_module(f"lazygrad.{name}")
    sys.modules["torch.jit"] = jit = importlib.import_module("lazygrad.jit")
    jit.trace = _traced  # type: ignore[attr-defined]
    lg.testing = _module("torch.testing", assert_close=_close)
    lg._dynamo = _module("torch._dynamo", config=SimpleNamespace(verbose=False))
    subclasses = _backends.AbstractBackend.__subclasses__()
    ours = next(backend for backend in subclasses if backend.framework_name == "lazygrad")
    _backends._loaded_backends["lazygrad"] = ours()  # asked before those that einops would try now
    _backends.TorchBackend = type("TorchBackend", (ours,), {"framework_name": "torch"})
    os.environ["EINOPS_TEST_BACKENDS"] = "numpy,torch"


install()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        reason = next((why for test, why in EXCEPTIONS.items() if item.nodeid.endswith(test)), None)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
