"""Tests that need a GPU: without one each is skipped, and says which piece is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lazygrad import cuda
from lazygrad.ir.device import Device
from lazygrad.targets.cuda.drivers import driver_of

_FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if _FOLDER in item.path.parents]
    missing = cuda.why_unavailable()
    for item in here:
        item.add_marker(pytest.mark.gpu)
        if missing is not None:
            item.add_marker(pytest.mark.skip(reason=f"no GPU: {missing}"))


@pytest.fixture
def hardware() -> None:
    """For what an emulator, which ``--device cuda`` takes where there is no GPU, does not imitate."""
    if type(driver_of(Device("cuda:0"))).__module__.startswith("tests."):
        pytest.skip("the emulator has no limit of memory, no segments and no TF32")


@pytest.fixture(autouse=True)
def clean_device() -> Iterator[None]:
    """Memory that a test took is given back, so that the next one finds the device as it was."""
    yield
    cuda.empty_cache()
