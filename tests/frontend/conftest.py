"""The two frameworks of the conformance tests."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lazygrad import Tensor, set_default_device


@pytest.fixture(autouse=True)
def default_device(request: pytest.FixtureRequest) -> Iterator[None]:
    """The device of ``--device``, for tests that are not about the host's memory."""
    name = request.config.getoption("--device")
    if name is None:
        yield
        return
    marker = request.node.get_closest_marker("host_memory")
    if marker is not None:
        pytest.skip(f"on {name}: {marker.args[0]}")
    set_default_device(name)
    try:
        with pytest.MonkeyPatch.context() as patch:
            for method in ("numpy", "__array__"):
                patch.setattr(Tensor, method, _of_a_copy(getattr(Tensor, method)))
            yield
    finally:
        set_default_device(None)


def _of_a_copy(method: Callable[..., Any]) -> Callable[..., Any]:
    """``method`` of the tensor on the CPU, so that tests may read results in the words of the CPU's tests."""

    def read(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
        return method(tensor.cpu() if tensor.device.computes else tensor, *args, **kwargs)

    return read


@pytest.fixture(scope="session")
def torch() -> Any:
    """The oracle; on one thread, because the tensors are small."""
    module = pytest.importorskip("torch", reason="torch is the oracle of the conformance tests, and is not installed")
    module.set_num_threads(1)
    return module


@pytest.fixture(scope="session")
def candidate() -> Any:
    """The framework under test: lazygrad, or what CONFORMANCE_CANDIDATE names (torch checks the cases themselves)."""
    return importlib.import_module(os.environ.get("CONFORMANCE_CANDIDATE", "lazygrad"))
