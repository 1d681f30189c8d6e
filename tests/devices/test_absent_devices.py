"""`torch.mps`, `torch.xpu`, `torch.cpu` and `torch.cuda.nvtx`, where none of their devices but the CPU is there."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.cuda import nvtx

QUESTIONS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        "mps.is_available mps.device_count mps.empty_cache mps.synchronize mps.seed mps.current_allocated_memory "
        "mps.driver_allocated_memory mps.recommended_max_memory mps.get_rng_state xpu.is_available xpu.device_count "
        "xpu.empty_cache xpu.synchronize xpu.seed xpu.seed_all xpu.initial_seed xpu.current_device xpu.is_initialized "
        "xpu.memory_allocated xpu.max_memory_allocated xpu.memory_reserved xpu.max_memory_reserved xpu.memory_stats "
        "xpu.get_device_name xpu.get_device_properties xpu.get_device_capability xpu.get_rng_state xpu.current_stream "
        "xpu.get_rng_state_all xpu.is_bf16_supported xpu.get_arch_list xpu.mem_get_info xpu.init cpu.is_available "
        "cpu.device_count cpu.synchronize cpu.current_device cpu.is_initialized cuda.nvtx.range_pop".split(),
        (),
    ),
    "mps.manual_seed": (0,),
    "mps.set_per_process_memory_fraction": (0.5,),
    "xpu.manual_seed": (0,),
    "xpu.manual_seed_all": (0,),
    "xpu.set_device": (0,),
    "cpu.set_device": (3,),
    "cuda.nvtx.range_push": ("a",),
    "cuda.nvtx.mark": ("a",),
}


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def _answer(t: Any, path: str) -> Any:
    found = t
    for name in path.split("."):
        found = getattr(found, name)
    try:
        return found(*QUESTIONS[path])
    except (AssertionError, RuntimeError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("path", QUESTIONS)
def test_answers_are_torchs(torch: ModuleType, path: str) -> None:
    if torch.cuda.is_available() or torch.backends.mps.is_available() or torch.xpu.is_available():
        pytest.skip("this PyTorch has a device")
    if lg.cuda.is_available():
        pytest.skip("there is a CUDA device")
    ours, theirs = _answer(lg, path), _answer(torch, path)
    if isinstance(theirs, tuple):
        assert ours[0] is theirs[0] and theirs[1].rstrip(".") in ours[1]
    else:
        assert ours == theirs


def test_streams_of_the_cpu() -> None:
    stream, event = lg.cpu.Stream(), lg.cpu.Event()
    with lg.cpu.stream(stream), lg.cpu.stream(None):
        event.record()
        stream.wait_event(event)
        lg.cpu.current_stream().wait_stream(stream)
        assert stream.record_event() is None
    event.wait()
    event.synchronize()
    assert event.query() and lg.cpu.current_stream() is lg.cpu.current_stream()


def test_former_names_of_mixed_precision() -> None:
    with pytest.warns(FutureWarning, match=r"cpu\.amp\.autocast"), lg.cpu.amp.autocast():
        assert (lg.ones(2, 2) @ lg.ones(2, 2)).dtype is lg.bfloat16
    with pytest.warns(FutureWarning, match=r"cpu\.amp\.GradScaler"):
        assert lg.cpu.amp.GradScaler(init_scale=4.0).get_scale() == 4.0


def test_classes_are_named_and_not_made() -> None:
    assert not isinstance(3, (lg.xpu.Stream, lg.xpu.Event))
    with pytest.raises(NotImplementedError, match="Intel GPUs"):
        lg.xpu.Stream()
    with pytest.raises(RuntimeError, match="without MPS backend"):
        lg.mps.Event()
    for module in (lg.mps, lg.xpu, lg.cpu):
        assert not hasattr(module, "made_up")


def test_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="NVTX functions not installed"), nvtx.range("step {}", 3):
        raise AssertionError("there is no CUDA")
    monkeypatch.setattr(nvtx, "is_available", lambda: True)
    assert [nvtx.range_push("a"), nvtx.range_push("b"), nvtx.range_pop(), nvtx.range_pop(), nvtx.range_pop()] == [
        0, 1, 1, 0, -1,
    ]  # fmt: skip
    with nvtx.range("step {}", 3):
        assert nvtx.range_push("inside") == 1
        nvtx.range_pop()
    nvtx.mark("here")
    nvtx.range_end(nvtx.range_start("a"))
