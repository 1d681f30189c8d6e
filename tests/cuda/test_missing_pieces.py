"""What is said where a piece that CUDA needs is missing: which one, and what to install. All else goes on."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.inspect.environment import doctor
from lazygrad.targets.cuda import cupy_installation, drivers, libraries, nvrtc
from lazygrad.targets.cuda.cupy_installation import CupyInstallation
from tests.cuda.fake_cupy import fake_cupy


class Pieces:
    """A machine on which everything is there, until a test hides a piece."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.driver(count=1)
        found = importlib.util.find_spec
        self.patch.setattr(importlib.util, "find_spec", lambda name: object() if name == "cupy" else found(name))
        self.patch.setitem(sys.modules, "cupy", fake_cupy(1, 1 << 23))
        self.patch.setattr(nvrtc, "missing", lambda: None)
        self.patch.setattr(nvrtc, "version", lambda: (13, 0))
        self.libraries("cublas")

    def driver(self, count: int = 0, status: int = 0) -> None:
        """The driver answers with a number of devices, or an error."""

        def get_count(pointer: Any) -> int:
            pointer._obj.value = count
            return 0

        library = SimpleNamespace(cuInit=lambda flags: status, cuDeviceGetCount=get_count)
        self.patch.setattr(cupy_installation, "_driver_library", lambda: library)

    def libraries(self, *names: str) -> None:
        there = libraries.Found(ctypes.CDLL(None), None)
        self.patch.setattr(libraries, "found", lambda name: there if name in names else None)


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pieces]:
    before = drivers.install(CupyInstallation())
    cached: tuple[Any, ...] = (cupy_installation._missing, cupy_installation._visible)
    for function in cached:
        function.cache_clear()
    yield Pieces(monkeypatch)
    monkeypatch.undo()
    for function in cached:
        function.cache_clear()
    drivers.install(before)


def _no_library(pieces: Pieces) -> None:
    pieces.patch.setattr(cupy_installation, "_driver_library", lambda: None)


def _hide_gpu(pieces: Pieces) -> None:
    pieces.driver(status=100)
    pieces.patch.setenv("CUDA_VISIBLE_DEVICES", "-1")


def _no_gpu(pieces: Pieces) -> None:
    pieces.driver(status=100)
    pieces.patch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def _no_cupy(pieces: Pieces) -> None:
    found = importlib.util.find_spec
    pieces.patch.setattr(importlib.util, "find_spec", lambda name: None if name == "cupy" else found(name))


def _broken_cupy(pieces: Pieces) -> None:
    pieces.patch.setitem(sys.modules, "cupy", None)  # as Python has it of a module that cannot be imported


def _old_cupy(pieces: Pieces) -> None:
    pieces.patch.setattr(sys.modules["cupy"], "__version__", "13.6.0")


def _no_nvrtc(pieces: Pieces) -> None:
    pieces.patch.setattr(
        nvrtc, "missing", lambda: "NVRTC, which compiles CUDA source, was not found: pip install nvrtc"
    )


CASES: dict[str, tuple[Callable[[Pieces], None], str]] = {
    "driver": (
        _no_library,
        r"Found no NVIDIA driver on your system: libcuda\.so\.1 .* https://www\.nvidia\.com/drivers",
    ),
    "a driver that works": (lambda pieces: pieces.driver(status=803), r"cuInit answers with error 803; nvidia-smi"),
    "GPU": (_no_gpu, r"the NVIDIA driver finds no GPU in this machine"),
    "visible GPU": (_hide_gpu, r"shows no GPU, as CUDA_VISIBLE_DEVICES='-1': unset it"),
    "cupy": (_no_cupy, r"cupy is not installed: pip install 'lazygrad\[cuda13\]'"),
    "a cupy that works": (_broken_cupy, r"cupy cannot be imported \(ModuleNotFoundError: .*pip install"),
    "a cupy that is new enough": (_old_cupy, r"cupy 13\.6\.0 is too old, version 14 is needed: pip install"),
    "NVRTC": (_no_nvrtc, r"NVRTC, which compiles CUDA source, was not found: pip install"),
    "cuBLAS": (lambda pieces: pieces.libraries(), r"cuBLAS, which multiplies matrices, was not found: pip install"),
}


@pytest.mark.parametrize(("hide", "said"), CASES.values(), ids=CASES)
def test_the_first_use_names_the_missing_piece(hide: Callable[[Pieces], None], said: str, pieces: Pieces) -> None:
    hide(pieces)
    assert not lg.cuda.is_available() and lg.cuda.device_count() == 0 and lg.cuda.memory_allocated() == 0
    first_uses: list[Callable[[], Any]] = [
        lambda: lg.ones(2, device="cuda"),
        lambda: lg.ones(2).cuda(),
        lambda: lg.nn.Linear(1, 1).to("cuda:0"),
        lg.cuda.init,
        lg.cuda.synchronize,
        lg.cuda.current_device,
        lg.cuda.Stream,
    ]
    for use in first_uses:
        with pytest.raises(RuntimeError, match=said):
            use()
    assert lg.ones(2).add(1).tolist() == [2, 2]


@pytest.mark.parametrize("name", ["driver", "cuBLAS"])
def test_the_doctor_says_the_same(name: str, pieces: Pieces) -> None:
    hide, said = CASES[name]
    hide(pieces)
    report = doctor._gpu()
    with pytest.raises(RuntimeError, match=said):
        raise RuntimeError(report["usable"])


def test_nothing_is_missing_where_every_piece_is_there(pieces: Pieces) -> None:
    assert lg.cuda.is_available() and lg.cuda.device_count() == 1 and lg.cuda.why_unavailable() is None
    sys.modules.pop("lazygrad.targets.cuda.cupy_driver", None)
    try:
        assert lg.cuda.get_device_name() == "fake device 0" and lg.cuda.mem_get_info() == (1 << 23, 1 << 23)
        assert doctor._gpu()["cuda:0"] == "fake device 0"
    finally:
        sys.modules.pop("lazygrad.targets.cuda.cupy_driver", None)


def test_a_forked_process_cannot_use_a_device_of_its_parent(pieces: Pieces, monkeypatch: pytest.MonkeyPatch) -> None:
    sys.modules.pop("lazygrad.targets.cuda.cupy_driver", None)
    x = lg.tensor([1.0, 2.0], device="cuda")
    monkeypatch.setattr(drivers._Drivers, "process", -1)
    with pytest.raises(RuntimeError, match="Cannot re-initialize CUDA in forked subprocess"):
        lg.tensor([1.0], device="cuda").realize()
    assert lg.ones(1).item() == 1 and x.is_cuda
    sys.modules.pop("lazygrad.targets.cuda.cupy_driver", None)
