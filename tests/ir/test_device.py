"""Devices and their names."""

from __future__ import annotations

import copy
import pickle

import pytest

from lazygrad.ir.device import CPU, Device, device_of


def test_equal_devices_are_one_object() -> None:
    assert Device("cpu") is CPU and Device("cuda", 1) is Device("cuda:1") is device_of(1)
    assert Device("cuda") != Device("cuda:0")


def test_copies_are_the_same_object() -> None:
    device = Device("cuda:0")
    assert copy.deepcopy(device) is device and pickle.loads(pickle.dumps(device)) is device


@pytest.mark.parametrize("name", ["tpu", "cuda:x", ""])
def test_names_that_mean_nothing(name: str) -> None:
    with pytest.raises(RuntimeError, match="device"):
        Device(name)
