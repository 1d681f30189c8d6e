"""Pinned memory: who lies in it, when it is used again, and copies that the program does not wait for."""

from __future__ import annotations

import gc
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.ir.device import Device
from lazygrad.targets.cuda.drivers import driver_of
from lazygrad.targets.cuda.pinned import PinnedPool
from tests.cuda.host_driver import HostDriver, host_devices


@pytest.fixture(autouse=True)
def devices() -> Iterator[None]:
    with host_devices():
        yield


def asked() -> list[str]:
    driver = driver_of(Device("cuda:0"))
    assert isinstance(driver, HostDriver)
    return driver.asked


class _Clock(HostDriver):
    """A device whose marks are reached when a test says so."""

    reached = False

    def is_reached(self, mark: Any) -> bool:
        return self.reached


def test_a_block_is_used_again_once_the_device_is_done_with_it() -> None:
    driver = _Clock()
    pool = PinnedPool(driver)
    first = pool.take(1000)
    address, part = first.ctypes.data, first[10:20]
    assert pool.holds(address) and pool.holds(part.ctypes.data) and first.nbytes == 1000
    del first
    assert pool.take(1000).ctypes.data != address, "a part of it is still seen"
    del part
    gc.collect()
    assert pool.take(600).ctypes.data != address, "the device may still read it"
    driver.reached = True
    taken = [pool.take(1024) for _ in range(3)]
    assert address in [each.ctypes.data for each in taken]


def test_a_pinned_tensor_is_a_copy_in_memory_that_stays() -> None:
    x = lg.arange(6.0).reshape(2, 3)
    pinned = x.pin_memory()
    assert pinned.is_pinned() and not x.is_pinned() and pinned.pin_memory() is pinned and pinned.is_cpu
    assert pinned.tolist() == x.tolist() and (pinned * 2).tolist() == (x * 2).tolist()
    assert lg.zeros(3, pin_memory=True).is_pinned() and not lg.ones(1, device="cuda").is_pinned()
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        x.cuda().pin_memory()


def test_pinned_tensors_are_copied_at_once_and_not_waited_for_when_told_so() -> None:
    x = lg.arange(6.0).reshape(2, 3).pin_memory()
    asked().clear()
    later, now = x.to("cuda", non_blocking=True), x.cuda()
    assert [each for each in asked() if "copy" in each] == ["copy_in_later", "copy_in"]
    x += 1
    assert later.tolist() == now.tolist() == [[0, 1, 2], [3, 4, 5]] and later.device == lg.device("cuda:0")
    assert x.cuda(non_blocking=True).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert x[1].to("cuda", non_blocking=True).tolist() == [4, 5, 6]
    assert x.to("cuda", lg.float64, non_blocking=True).dtype is lg.float64


def test_gradients_and_recorded_calls_go_the_ordinary_way() -> None:
    w = lg.ones(2).pin_memory().requires_grad_()
    w.to("cuda", non_blocking=True).mul(3).sum().backward()
    assert w.grad is not None and w.grad.tolist() == [3, 3]

    @lg.compile
    def doubled(x: lg.Tensor) -> lg.Tensor:
        return x.to("cuda", non_blocking=True) * 2

    assert [doubled(lg.full((2,), float(i)).pin_memory()).tolist() for i in range(4)] == [[2 * i] * 2 for i in range(4)]


def test_a_loader_pins_what_it_yields() -> None:
    pair = namedtuple("pair", "a b")

    class Data(lg.utils.data.Dataset[Any]):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, i: int) -> Any:
            return {"x": lg.tensor([float(i)]), "y": [i, pair(i, "name")]}

    for batch in lg.utils.data.DataLoader(Data(), batch_size=2, pin_memory=True):
        assert batch["x"].is_pinned() and batch["y"][0].is_pinned()
        assert type(batch["y"][1]) is pair and batch["y"][1].a.is_pinned() and list(batch["y"][1].b) == ["name"] * 2
