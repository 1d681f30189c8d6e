"""Devices, layouts, memory formats and back ends: PyTorch's words, and plain answers where nothing is there."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import raised

on_the_cpu = pytest.mark.host_memory("the CPU as the default device")

_ON_THE_CPU: dict[str, Callable[[Any], Any]] = {
    "get_device": lambda t: [t.get_device(t.ones(1)), t.ones(1).get_device(), t.empty(1, device="meta").get_device()],
    "kinds": lambda t: [
        getattr(t.ones(1), f"is_{kind}")
        for kind in "cpu cuda mps xpu meta sparse mkldnn quantized nested sparse_csr".split()
    ],
    "default": lambda t: str(t.get_default_device()),
    "pinned": lambda t: [t.ones(1).is_pinned(), t.ones(1).is_shared(), t.ones(1).share_memory_().is_shared()],
    "values stay when memory is shared": lambda t: t.arange(6.0).reshape(2, 3).t().share_memory_().tolist(),
}

_EQUAL: dict[str, Callable[[Any], Any]] = {
    "repr": lambda t: [repr(t.device("cuda", 0)), repr(t.device("cpu")), repr(t.device(type="cuda", index=1))],
    "str": lambda t: [str(t.device("cuda:1")), f"{t.device('cpu')}", str(t.device("meta"))],
    "parts": lambda t: [t.device("cuda:1").type, t.device("cuda:1").index, t.device("cuda").index],
    "equal": lambda t: [
        t.device("cpu") == t.device("cpu"),
        t.device("cpu") == t.device("cpu", 0),
        t.device("cuda") == t.device("cuda:0"),
        t.device("cuda:1") == "cuda:1",
        len({t.device("cuda:1"), t.device("cuda", 1)}),
    ],
    "of a device": lambda t: str(t.device(t.device("cpu"))),
    "meta": lambda t: repr(t.empty(2, 3, device="meta") + 1),
    "meta facts": lambda t: [
        (x.is_meta, str(x.device), tuple((x @ x.t()).shape)) for x in [t.ones(2, 3, device="meta")]
    ],
    "moved to meta": lambda t: tuple(t.ones(2, 3).to("meta").shape),
    "layout names": lambda t: [repr(x).rpartition(".")[2] for x in (t.strided, t.sparse_coo, t.ones(1).layout)],
    "format names": lambda t: [
        repr(x).rpartition(".")[2]
        for x in (t.contiguous_format, t.channels_last, t.channels_last_3d, t.preserve_format)
    ],
    "options": lambda t: (
        t.zeros(2, dtype=t.float64, layout=t.strided, device="cpu", pin_memory=False, requires_grad=True).requires_grad
    ),
    "classes": lambda t: [
        isinstance(t.strided, t.layout),
        isinstance(t.channels_last, t.memory_format),
        isinstance(t.device("cpu"), t.device),
    ],
    "cuda": lambda t: [t.cuda.is_available(), t.cuda.device_count(), t.cuda.is_initialized(), t.cuda._initialized],
    "cuda does nothing": lambda t: [t.cuda.manual_seed_all(1), t.cuda.empty_cache(), t.cuda.memory_allocated()],
    "back ends": lambda t: [t.backends.cudnn.is_available(), t.backends.mps.is_available(), t.backends.cuda.is_built()],
}


@pytest.mark.parametrize("program", _EQUAL.values(), ids=_EQUAL)
def test_equals_torch(program: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    assert program(candidate) == program(torch)


@on_the_cpu
@pytest.mark.parametrize("program", _ON_THE_CPU.values(), ids=_ON_THE_CPU)
def test_equals_torch_on_the_cpu(program: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    assert program(candidate) == program(torch)


_ERRORS: dict[str, Callable[[Any], Any]] = {
    "no such type": lambda t: t.device("foo"),
    "no ordinal": lambda t: t.device("cuda:x"),
    "empty": lambda t: t.device(""),
    "negative": lambda t: t.device("cpu", -2),
    "None": lambda t: t.device(None),
    "pin_memory": lambda t: t.ones(1).pin_memory(),
    "pinned": lambda t: t.zeros(1, pin_memory=True),
    "an event": lambda t: t.cuda.Event(),
    "a stream": lambda t: t.cuda.Stream(),
    "values of meta": lambda t: t.ones(1, device="meta").to("cpu"),
    "a layout that is none": lambda t: t.zeros(1, layout=3),
    "a format that is none": lambda t: t.ones(1).clone(memory_format=3),
    "another rank": lambda t: t.ones(1).contiguous(memory_format=t.channels_last),
    "an unknown option": lambda t: t.zeros(1, colour="red"),
}


@pytest.mark.parametrize("program", _ERRORS.values(), ids=_ERRORS)
def test_errors_are_those_of_torch(program: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    assert raised(lambda: program(candidate)) == raised(lambda: program(torch))


_WITHOUT_CUDA: list[Callable[[], Any]] = [
    lambda: lg.ones(1).cuda(),
    lambda: lg.ones(1, device="cuda:0"),
    lambda: lg.cuda.set_device(0),
    lambda: lg.cuda.current_device(),
    lambda: lg.cuda.get_device_properties(0),
    lambda: lg.cuda.device(0).__enter__(),
]
_MISSING = [
    lambda: lg.ones(1).to("mps"),
    lambda: lg.zeros(1, layout=lg.sparse_csr),
    *([] if lg.cuda.is_available() else _WITHOUT_CUDA),
]


@pytest.mark.parametrize("program", _MISSING)
def test_what_is_missing_is_said(program: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError, match=r"no CUDA|no MPS|layout"):
        program()


@on_the_cpu
def test_default_device_of_blocks_and_threads() -> None:
    with lg.device("meta"):
        assert lg.zeros(2).is_meta and lg.arange(3).is_meta and lg.tensor([1]).is_meta and lg.rand(2).is_meta
        with lg.device("cpu"):
            assert lg.zeros(2).is_cpu
        assert lg.zeros(2).is_meta and lg.zeros(2, device="cpu").is_cpu
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(lg.zeros(1).device.type))
        thread.start()
        thread.join()
        assert found == ["cpu"]
    assert lg.zeros(2).is_cpu
    lg.set_default_device("meta")
    try:
        assert lg.get_default_device() is lg.device("meta") and lg.ones(1).is_meta
    finally:
        lg.set_default_device(None)
    assert lg.get_default_device() is lg.device("cpu")


def test_constants_stay_themselves_when_copied() -> None:
    for constant in (lg.strided, lg.sparse_coo, lg.channels_last, lg.preserve_format):
        assert copy.deepcopy(constant) is constant and pickle.loads(pickle.dumps(constant)) is constant


def test_settings_of_back_ends() -> None:
    cudnn = lg.backends.cudnn
    cudnn.benchmark = True
    with cudnn.flags(benchmark=False, enabled=False):
        assert not cudnn.benchmark and not cudnn.enabled
    assert cudnn.benchmark and cudnn.enabled
    cudnn.benchmark = False
    with pytest.raises(AttributeError, match="no setting"):
        cudnn.benchmrak = True
    assert lg.get_float32_matmul_precision() == "highest"
    with pytest.raises(RuntimeError, match="medium"):
        lg.set_float32_matmul_precision("low")
