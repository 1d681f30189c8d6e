"""Streams on a device that does nothing before somebody waits for it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import cuda, nn
from lazygrad.host.allocator import allocator_of, forget_allocators, register_allocator
from lazygrad.runtime.realize import cache
from lazygrad.targets.cuda import drivers
from lazygrad.targets.cuda.allocator import CudaAllocator
from tests.cuda.queued_driver import QueuedDriver, QueuedInstallation
from tests.cuda_emulator import device as emulated
from tests.cuda_emulator.build import missing

pytestmark = pytest.mark.skipif(missing() is not None, reason=f"no emulator: {missing()}")


@pytest.fixture(autouse=True)
def driver() -> Iterator[QueuedDriver]:
    before = drivers.install(QueuedInstallation())
    if emulated.is_installed():
        register_allocator("cuda", CudaAllocator, drivers.why_unavailable)
    forget_allocators("cuda")
    cache.clear()
    found = drivers.driver_of(lg.device("cuda:0"))
    assert isinstance(found, QueuedDriver)
    yield found
    cuda.set_stream(cuda.default_stream())
    cache.clear()
    drivers.install(before)
    if emulated.is_installed():
        register_allocator("cuda", emulated.ExactAllocator, drivers.why_unavailable)
    forget_allocators("cuda")


def on(*values: float) -> Any:
    return lg.tensor(values, device="cuda").realize()


def test_a_value_of_one_stream_is_there_for_another_without_a_wait() -> None:
    x, side, third = on(1, 2, 3), cuda.Stream(), cuda.Stream()
    for _ in range(4):
        with cuda.stream(side):
            x = (x + 1).realize()
        with cuda.stream(third):
            x = (x * 2).realize()
        x = (x - 1).realize()
    expected = np.array([1.0, 2.0, 3.0])
    for _ in range(4):
        expected = (expected + 1) * 2 - 1
    assert x.tolist() == expected.tolist()


def test_work_on_values_that_are_not_shared_overlaps(driver: QueuedDriver) -> None:
    weight, first, second = on(1, 2), cuda.Stream(), cuda.Stream()
    x, y = on(3, 4), on(5, 6)
    cuda.synchronize()
    with cuda.stream(first):
        a = (x * weight + 1).realize()
    with cuda.stream(second):
        b = (y * weight + 2).realize()
        driver.done.clear()
        assert b.tolist() == [7, 14]
        assert set(driver.done) == {second.cuda_stream}, "both read the weight, and neither waits for the other"
    assert not first.query()
    first.synchronize()
    assert first.query() and a.tolist() == [4, 9]


def test_what_is_written_in_place_waits_for_who_reads_it() -> None:
    x, side = on(1, 2), cuda.Stream()
    with cuda.stream(side):
        doubled = (x * 2).realize()
    x.add_(10)
    assert x.tolist() == [11, 12], "this stream is done first"
    with cuda.stream(side):
        assert doubled.tolist() == [2, 4], "of what it was then"


def test_events_and_streams_are_waited_for(driver: QueuedDriver) -> None:
    first, second = cuda.Stream(), cuda.Stream()
    x, y = on(1), on(2)
    for wait in (lambda: second.wait_stream(first), lambda: first.record_event().wait(second)):
        cuda.synchronize()
        driver.done.clear()
        with cuda.stream(first):
            (x + 1).realize()
        wait()
        with cuda.stream(second):
            (y + 1).tolist()
        assert driver.done[0] == first.cuda_stream and second.cuda_stream in driver.done
    event = cuda.Event()
    with cuda.stream(first):
        (x + 2).realize()
    event.record(first)
    assert not event.query()
    event.synchronize()
    assert event.query()


def test_memory_that_another_stream_still_reads_is_not_given_away() -> None:
    side, x = cuda.Stream(), lg.full((300,), 3.0, device="cuda").realize()
    allocator = allocator_of(lg.device("cuda:0"))
    assert isinstance(allocator, CudaAllocator)
    with cuda.stream(side):
        y = (x + 1).realize()
    before = cuda.memory_allocated()
    del x
    gc.collect()
    assert cuda.memory_allocated() < before
    other = lg.full((300,), 7.0, device="cuda").realize()
    assert other.tolist() == [7] * 300 and not side.query(), "this stream is done first, and did not have to wait"
    with cuda.stream(side):
        assert y.tolist() == [4] * 300
    cuda.synchronize()
    allocator.counted()
    assert not allocator._used_elsewhere


@pytest.mark.parametrize("is_side_first", [False, True])
def test_memory_belongs_to_the_stream_that_it_was_taken_for(is_side_first: bool) -> None:
    first, second, kept = cuda.default_stream(), cuda.Stream(), []
    if is_side_first:
        first, second = second, first
    with cuda.stream(second):
        on(1).add_(1).tolist()  # what was asked for before there were streams has been waited for once
    for _ in range(3):
        with cuda.stream(first):
            (lg.full((300,), 1.0, device="cuda") + 1).realize()
        with cuda.stream(second):
            kept.append(lg.full((300,), 5.0, device="cuda").realize())
            assert kept[-1].tolist() == [5] * 300 and not first.query()
    first.synchronize()
    assert [x.tolist() for x in kept] == [[5] * 300] * 3


@pytest.mark.parametrize("compiled", [False, True])
def test_streams_that_run_one_plan_at_once_share_no_scratch_memory(driver: QueuedDriver, compiled: bool) -> None:
    driver.takes_turns = True
    lg.manual_seed(0)
    model, streams = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 2)), [cuda.Stream(), cuda.Stream()]
    x = lg.randn(6, 4, 8)
    expected = [model(x[i]).softmax(-1).detach().numpy() for i in range(6)]
    model, given = model.cuda(), [x[i].cuda().realize() for i in range(6)]

    def step(x: Any) -> Any:
        with lg.no_grad():
            return model(x).softmax(-1)

    run = lg.compile(step) if compiled else step
    for _ in range(4):
        found = []
        for i in range(6):
            with cuda.stream(streams[i % 2]):
                found.append(run(given[i]).realize())
        for i in reversed(range(6)):
            np.testing.assert_allclose(found[i].cpu().numpy(), expected[i], rtol=1e-5)


def test_numbers_belong_to_a_run(driver: QueuedDriver) -> None:
    driver.takes_turns = True
    streams = [cuda.Stream(), cuda.Stream()]
    lg.manual_seed(0)
    drawn = []
    for i in range(6):
        with cuda.stream(streams[i % 2]):
            drawn.append(nn.functional.dropout(lg.ones(64, device="cuda")).realize())
    lg.manual_seed(0)
    again = [nn.functional.dropout(lg.ones(64, device="cuda")).tolist() for _ in range(6)]
    assert [values.tolist() for values in reversed(drawn)] == again[::-1]


def test_pinned_memory_is_used_again_when_the_stream_that_reads_it_is_done() -> None:
    side, copies = cuda.Stream(), []
    for i in range(5):
        pinned = lg.full((200,), float(i)).pin_memory()
        with cuda.stream(side):
            copies.append(pinned.to("cuda", non_blocking=True).realize())
    assert [copy[0].item() for copy in copies] == [0, 1, 2, 3, 4]


def test_another_library_finds_what_a_stream_has_written(driver: QueuedDriver) -> None:
    x, side = on(1.0, 2.0), cuda.Stream()
    with cuda.stream(side):
        x = (x * 3).realize()
    address, _ = x.__cuda_array_interface__["data"]
    found = np.empty(2, np.float32)
    driver.copy_out(address, found)  # on the device's own stream
    assert found.tolist() == [3, 6]


def test_each_thread_has_a_stream_of_its_own() -> None:
    side, found = cuda.Stream(), []
    with cuda.stream(side):
        thread = threading.Thread(target=lambda: found.append(cuda.current_stream()))
        thread.start()
        thread.join()
    assert found == [cuda.default_stream()]
