"""``lazygrad.cuda`` on two devices in the host's memory."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import cuda
from lazygrad.host.allocator import allocator_of
from lazygrad.ir.device import Device
from lazygrad.targets.cuda.drivers import driver_of
from lazygrad.targets.cuda.product_precision import ProductPrecision, product_precision
from tests.cuda.host_driver import HostDriver, host_devices

MIB = 1 << 20


@pytest.fixture(autouse=True)
def devices() -> Iterator[None]:
    with host_devices(2, capacity=64 * MIB), cuda.device(0):
        yield


def driver(ordinal: int = 0) -> HostDriver:
    found = driver_of(Device("cuda", ordinal))
    assert isinstance(found, HostDriver)
    return found


# Devices.


def test_devices_are_counted_and_described() -> None:
    assert cuda.is_available() and cuda.device_count() == 2 and cuda.why_unavailable() is None
    assert not cuda.is_initialized()
    assert cuda.get_device_name() == "host device 0" and cuda.get_device_name("cuda:1") == "host device 1"
    assert cuda.is_initialized()
    assert cuda.get_device_capability(1) == (9, 0) and cuda.is_bf16_supported() and cuda.is_tf32_supported()
    properties = cuda.get_device_properties(lg.device("cuda:1"))
    assert (properties.name, properties.total_memory) == ("host device 1", 64 * MIB)
    cuda.synchronize()
    assert driver().asked == ["synchronize"]


def test_cuda_without_an_ordinal_is_the_current_device_of_the_thread() -> None:
    def where() -> list[Any]:
        return [lg.ones(1, device="cuda").device.index, lg.ones(1).cuda().get_device(), cuda.current_device()]

    assert where() == [0, 0, 0]
    cuda.set_device(1)
    assert where() == [1, 1, 1]
    with cuda.device(0):
        assert where() == [0, 0, 0]
        with cuda.device(-1), cuda.device(None):
            assert where() == [0, 0, 0]
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(where()))
    thread.start()
    thread.join()
    assert found == [[0, 0, 0]] and where() == [1, 1, 1]
    with cuda.device_of(lg.ones(1, device="cuda:0")), cuda.device_of(lg.ones(1)):
        assert where() == [0, 0, 0]
    assert lg.ones(1, device=lg.device("cuda:0")).device.index == 0


def test_a_compiled_call_follows_the_current_device() -> None:
    @lg.compile
    def moved(x: lg.Tensor) -> lg.Tensor:
        return x.cuda() + 1

    x = lg.ones(2)
    assert [moved(x).device.index for _ in range(3)] == [0, 0, 0]
    with cuda.device(1):
        assert [moved(x).device.index for _ in range(3)] == [1, 1, 1]


def test_what_is_no_cuda_device_is_refused() -> None:
    with pytest.raises(RuntimeError, match="CUDA error: invalid device ordinal: there are 2 devices"):
        lg.ones(1, device="cuda:2")
    for attempt in (lambda: cuda.set_device(2), lambda: cuda.get_device_name("cuda:7")):
        with pytest.raises(RuntimeError, match="invalid device ordinal"):
            attempt()
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        cuda.set_device("cpu")
    with pytest.raises(RuntimeError, match="cuda:0 and cuda:1"):
        lg.ones(2, device="cuda:0") + lg.ones(2, device="cuda:1")
    with pytest.raises(RuntimeError, match="on the same device"):
        lg.ones(2, device="cuda:0") + lg.ones(2)


def test_a_tensor_says_that_it_is_on_cuda() -> None:
    x = lg.ones(2).cuda(1)
    assert x.is_cuda and not x.is_cpu and x.get_device() == 1 and x.device == lg.device("cuda", 1)
    assert repr(x) == "tensor([1., 1.], device='cuda:1')"
    assert x.type() == "lazygrad.cuda.FloatTensor" and x.cpu().type() == "lazygrad.FloatTensor"
    assert lg.nn.Linear(2, 2).cuda().weight.is_cuda


def test_types_are_those_of_tensors_on_cuda() -> None:
    kind: Any = cuda.FloatTensor  # type: ignore[attr-defined]
    x = kind([1, 2])
    assert x.is_cuda and x.dtype is lg.float32 and kind(2, 3).shape == (2, 3) and kind.is_cuda
    assert isinstance(x, kind) and not isinstance(x, lg.FloatTensor) and isinstance(x.cpu(), lg.FloatTensor)
    assert repr(kind) == "<class 'lazygrad.cuda.FloatTensor'>"
    assert lg.ones(1).type("lazygrad.cuda.LongTensor").is_cuda and x.type(lg.DoubleTensor).is_cpu
    assert x.type(lg.float64).is_cuda and lg.ones(1).type(kind).is_cuda


# Memory.


def test_memory_is_counted_for_each_device() -> None:
    assert cuda.memory_allocated() == 0 and cuda.memory_stats() == {}
    x = lg.tensor([1.0] * 1000, device="cuda:1")
    assert cuda.memory_allocated(1) == 4096 == cuda.max_memory_allocated("cuda:1") and cuda.memory_allocated(0) == 0
    assert cuda.memory_reserved(1) == 2 * MIB and cuda.mem_get_info(1) == (62 * MIB, 64 * MIB)
    del x
    assert cuda.memory_allocated(1) == 0 and cuda.max_memory_allocated(1) == 4096
    cuda.reset_peak_memory_stats(1)
    assert cuda.max_memory_allocated(1) == 0 and cuda.max_memory_reserved(1) == 2 * MIB
    cuda.empty_cache()
    assert cuda.memory_reserved(1) == 0 and cuda.mem_get_info(1) == (64 * MIB, 64 * MIB)


def test_the_summary_names_what_is_held() -> None:
    x = lg.tensor([1.0] * 1000, device="cuda")
    text = cuda.memory_summary(abbreviated=True)
    line = next(line for line in text.splitlines() if line.startswith("allocated"))
    assert line.split() == ["allocated", "4.00", "KiB", "4.00", "KiB", "4.00", "KiB", "0", "bytes"]
    assert "large pool" in cuda.memory_summary()
    (segment,) = cuda.memory_snapshot()
    assert segment["allocated_size"] == 4096 and [block["state"] for block in segment["blocks"]] == [
        "active_allocated",
        "inactive",
    ]
    del x


def test_programs_recover_from_running_out_of_memory() -> None:
    held = [lg.rand(4 * MIB // 4).cuda().realize() for _ in range(12)]
    with pytest.raises(cuda.OutOfMemoryError, match=r"Tried to allocate 32\.00 MiB.*12 × f32\[1048576\]"):
        lg.rand(32 * MIB // 4).cuda().realize()
    held.clear()
    assert lg.rand(32 * MIB // 4).cuda().sum().item() > 0


def test_a_share_of_memory_is_a_limit() -> None:
    cuda.set_per_process_memory_fraction(0.1)
    with pytest.raises(cuda.OutOfMemoryError, match="allowed"):
        lg.rand(32 * MIB // 4).cuda().realize()
    with pytest.raises(ValueError, match="Allowed range: 0~1"):
        cuda.set_per_process_memory_fraction(2.0)
    with pytest.raises(TypeError, match="float"):
        cuda.set_per_process_memory_fraction(1)


# Streams.


def test_work_goes_to_the_stream_in_use() -> None:
    x = lg.tensor([1.0, 2.0], device="cuda")
    side = cuda.Stream()
    assert cuda.current_stream() == cuda.default_stream() != side and side.device == x.device
    with cuda.stream(side):
        assert cuda.current_stream() == side and driver().stream == side.cuda_stream
        assert (x * 2).tolist() == [2, 4]
        with cuda.stream(cuda.Stream(device="cuda:1")):
            assert cuda.current_device() == 1 and cuda.current_stream("cuda:0") == side
        assert cuda.current_device() == 0
    with side, side:
        assert cuda.current_stream() == side
    assert cuda.current_stream() == cuda.default_stream() and driver().stream == 0
    cuda.current_stream().wait_stream(side)
    side.synchronize()
    assert side.query() and cuda.ExternalStream(side.cuda_stream) == side and hash(side) == hash(side)
    with cuda.stream(None):
        assert cuda.current_stream() == cuda.default_stream()


def test_events_tell_the_time_between_them() -> None:
    first, last = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    with pytest.raises(ValueError, match="must be recorded"):
        first.elapsed_time(last)
    first.record()
    lg.ones(100, device="cuda").add(1).realize()
    last = cuda.current_stream().record_event(last)
    last.synchronize()
    assert last.query() and first.elapsed_time(last) > 0
    with pytest.raises(ValueError, match="enable_timing=True"):
        first.elapsed_time(cuda.Event())
    assert repr(first) == "<lazygrad.cuda.Event recorded>"


def test_cuda_graphs_are_refused_with_what_to_use() -> None:
    for attempt in (cuda.CUDAGraph, lambda: cuda.graph(None), lambda: cuda.make_graphed_callables((), ())):
        with pytest.raises(NotImplementedError, match=r"lazygrad\.compile"):
            attempt()
    assert not cuda.is_current_stream_capturing()


# Random numbers.


def dropped() -> list[float]:
    found: list[float] = lg.nn.functional.dropout(lg.ones(32, device="cuda"), 0.5).tolist()
    return found


def test_seeds_and_states_are_those_of_a_device() -> None:
    lg.manual_seed(3)
    assert cuda.initial_seed() == 3
    first = dropped()
    cuda.manual_seed(3)
    assert dropped() == first
    state = cuda.get_rng_state()
    assert state.dtype is lg.uint8 and state.tolist() == [3, *[0] * 7, 4, *[0] * 7] and state.is_cpu
    following = dropped()
    assert following != first
    with cuda.device(1):
        cuda.manual_seed(4)
    cuda.set_rng_state(state)
    assert dropped() == following
    assert [each[0].item() for each in cuda.get_rng_state_all()] == [3, 4]
    cuda.set_rng_state_all(cuda.get_rng_state_all()[::-1])
    assert [each[0].item() for each in cuda.get_rng_state_all()] == [4, 3]
    cuda.manual_seed_all(5)
    assert [generator.initial_seed() for generator in cuda.default_generators] == [5, 5]
    cuda.seed_all()
    assert cuda.initial_seed() != 5
    with pytest.raises(RuntimeError, match="RNG state is wrong size"):
        cuda.set_rng_state(lg.zeros(4, dtype=lg.uint8))


def test_forked_random_numbers_leave_no_trace() -> None:
    lg.manual_seed(0)
    dropped()
    before = [cuda.get_rng_state().tolist(), lg.get_rng_state().tolist()]
    with lg.random.fork_rng():
        first = dropped(), lg.rand(3).tolist()
    with lg.random.fork_rng(devices=[0]):
        assert (dropped(), lg.rand(3).tolist()) == first
    assert [cuda.get_rng_state().tolist(), lg.get_rng_state().tolist()] == before
    with lg.random.fork_rng(devices=[]):
        dropped()
    assert cuda.get_rng_state().tolist() != before[0]


def test_a_generator_of_a_device_counts_what_it_drew() -> None:
    generator = lg.Generator(device="cuda").manual_seed(7)
    assert generator.device == lg.device("cuda:0") and generator.get_offset() == 0
    first = lg.rand(5, device="cuda", generator=generator).tolist()
    assert min(first) >= 0 and max(first) < 1 and generator.get_offset() == 1
    second = lg.randn(20, device="cuda", generator=generator).tolist()
    generator.set_offset(0)
    assert lg.rand(5, device="cuda", generator=generator).tolist() == first
    again = lg.Generator("cuda:0").set_state(generator.get_state())
    assert lg.randn(20, device="cuda", generator=again).tolist() == second
    kept = lg.bernoulli(lg.full((4000,), 0.25), generator=again).mean().item()
    assert 0.2 < kept < 0.3
    with pytest.raises(RuntimeError, match="not implemented for generators of the CPU"):
        lg.Generator().get_offset()


def test_a_compiled_call_draws_afresh_from_its_device() -> None:
    @lg.compile
    def step(x: lg.Tensor) -> lg.Tensor:
        return lg.nn.functional.dropout(x, 0.5) * 2

    x = lg.ones(64, device="cuda").realize()
    cuda.manual_seed(11)
    compiled = [step(x).tolist() for _ in range(5)]
    cuda.manual_seed(11)
    assert compiled == [(lg.nn.functional.dropout(x, 0.5) * 2).tolist() for _ in range(5)]
    assert len({tuple(each) for each in compiled}) == 5
    assert allocator_of(x.device).driver.asked  # type: ignore[attr-defined]


# Precision.


def test_autocast_is_that_of_the_tensors_device() -> None:
    x, w = lg.ones(2, 3), lg.ones(3, 4)
    with lg.autocast("cuda"):
        assert lg.is_autocast_enabled("cuda") and not lg.is_autocast_enabled("cpu")
        assert (x.cuda() @ w.cuda()).dtype is lg.float16 and (x @ w).dtype is lg.float32
        with lg.autocast("cpu"), lg.autocast("cuda", dtype=lg.bfloat16):
            assert (x.cuda() @ w.cuda()).dtype is lg.bfloat16 is (x @ w).dtype
        with lg.autocast("cuda", enabled=False):
            assert (x.cuda() @ w.cuda()).dtype is lg.float32
    assert (x.cuda() @ w.cuda()).dtype is lg.float32 and not lg.is_autocast_enabled("cuda")


def test_the_switches_of_back_ends_steer_products() -> None:
    matmul = lg.backends.cuda.matmul
    try:
        assert lg.backends.cuda.is_built() and product_precision() == ProductPrecision()
        lg.set_float32_matmul_precision("high")
        assert matmul.allow_tf32 and product_precision().tf32
        matmul.allow_tf32 = False
        assert lg.get_float32_matmul_precision() == "highest" and not product_precision().tf32
        matmul.fp32_precision = "tf32"
        matmul.allow_bf16_reduced_precision_reduction = False
        assert product_precision() == ProductPrecision(tf32=True, reduced_bf16=False)
        with pytest.raises(RuntimeError, match="fp32_precision must be one of"):
            matmul.fp32_precision = "fp8"
        lg.backends.cudnn.benchmark = lg.backends.cudnn.deterministic = True
        lg.backends.cuda.enable_flash_sdp(False)
    finally:
        matmul.allow_bf16_reduced_precision_reduction = True
        matmul.fp32_precision = "none"
        lg.backends.cudnn.benchmark = lg.backends.cudnn.deterministic = False
    assert product_precision() == ProductPrecision()


def test_the_accelerator_is_cuda() -> None:
    accelerator = lg.accelerator
    assert accelerator.is_available() and accelerator.device_count() == 2
    assert accelerator.current_accelerator() == lg.device("cuda") and accelerator.current_device_index() == 0
    accelerator.set_device_index(1)
    assert accelerator.current_device_index() == 1 == cuda.current_device()
    accelerator.synchronize()
    with pytest.raises(RuntimeError, match="there is no accelerator"):
        accelerator.synchronize("cpu")


def test_checkpoints_go_where_they_were_or_where_they_are_told() -> None:
    file = io.BytesIO()
    lg.save({"a": lg.arange(3.0).cuda(1), "b": lg.ones(2)}, file)

    def loaded(**options: Any) -> dict[str, Any]:
        file.seek(0)
        found: dict[str, Any] = lg.load(file, **options)
        assert found["a"].tolist() == [0, 1, 2]
        return {name: str(tensor.device) for name, tensor in found.items()}

    assert loaded() == {"a": "cuda:1", "b": "cpu"}
    assert loaded(map_location="cpu") == {"a": "cpu", "b": "cpu"}
    assert loaded(map_location="cuda:0") == {"a": "cuda:0", "b": "cuda:0"}
    assert loaded(map_location={"cuda:1": "cuda:0"}) == {"a": "cuda:0", "b": "cpu"}
