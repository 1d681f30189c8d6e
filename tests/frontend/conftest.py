"""The device of the frontend's tests.

With ``--device``, `Tensor.numpy` and `Tensor.__array__` are patched: they copy a tensor to the CPU first, where without
the patch they raise. So tests that read results by numpy run as they are. What numpy says of a device's tensor is
tested without the patch, by `tests.devices.test_programs.test_numpy_asks_for_a_copy_first`.
"""

from __future__ import annotations

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
