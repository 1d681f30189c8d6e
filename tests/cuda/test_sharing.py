"""Memory of a CUDA device shared with other libraries, which are lazygrad itself and ctypes here."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host import dlpack
from lazygrad.ops.creation import device_memory
from tests.cuda.host_driver import host_devices


@pytest.fixture(autouse=True)
def devices() -> Iterator[None]:
    with host_devices():
        yield


def seen(x: Any) -> np.ndarray:
    """What somebody sees who reads the interface; the device's memory is the host's."""
    found = x.__cuda_array_interface__
    dtype = np.dtype(found["typestr"])
    steps = found["strides"] or [step * dtype.itemsize for step in dlpack.row_major(found["shape"])]
    span = sum((size - 1) * step for size, step in zip(found["shape"], steps, strict=True)) + dtype.itemsize
    flat = np.frombuffer((ctypes.c_uint8 * span).from_address(found["data"][0]), np.uint8).view(dtype)
    return np.lib.stride_tricks.as_strided(flat, found["shape"], steps)


class Other:
    """An array of another library, which knows the interface only."""

    def __init__(self, x: Any, **changes: Any) -> None:
        self.x = x
        self.__cuda_array_interface__ = x.__cuda_array_interface__ | changes


def test_the_interface_shows_the_memory_of_any_view() -> None:
    x = lg.arange(12.0).cuda().reshape(3, 4)
    for view in (x, x[1:], x.t(), x[:, ::2], x[1, 2:], x.sum(), (x * 2).to(lg.int16)):
        np.testing.assert_array_equal(seen(view), view.cpu().numpy())
    assert x.__cuda_array_interface__["strides"] is None and x.t().__cuda_array_interface__["strides"] == (4, 16)
    assert lg.empty(0, device="cuda").__cuda_array_interface__["data"] == (0, False)


def test_what_was_handed_out_stays_as_it_was() -> None:
    x = lg.arange(4.0).cuda().realize()
    before = seen(x)
    x += 1
    assert x.tolist() == [1, 2, 3, 4]
    for _ in range(3):
        lg.tensor([9.0] * 4, device="cuda").realize()
    assert before.tolist() == [0, 1, 2, 3] and seen(x).tolist() == [1, 2, 3, 4]


def test_the_interface_is_refused_as_in_pytorch() -> None:
    assert not hasattr(lg.ones(1), "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="on non-CUDA tensor type"):
        _ = lg.ones(1).__cuda_array_interface__
    with pytest.raises(RuntimeError, match="requires grad"):
        _ = lg.ones(1, device="cuda", requires_grad=True).__cuda_array_interface__
    with pytest.raises(TypeError, match="bfloat16"):
        _ = lg.ones(1, device="cuda", dtype=lg.bfloat16).__cuda_array_interface__
    with pytest.raises(TypeError, match="mask"):
        lg.as_tensor(Other(lg.ones(1, device="cuda"), mask=object()))
    with pytest.raises(ValueError, match="negative"):
        lg.as_tensor(Other(lg.ones(2, device="cuda"), strides=(-4,)))


def test_arrays_of_others_are_shared_or_copied() -> None:
    x = lg.arange(6.0).cuda().reshape(2, 3)
    for view in (x, x.t(), x[:, 1:]):
        shared = lg.as_tensor(Other(view))
        assert (
            shared.is_cuda and shared.tolist() == view.tolist() and (shared * 2).sum().item() == 2 * view.sum().item()
        )
    shared, copied = lg.asarray(Other(x)), lg.tensor(Other(x))
    seen(x)[0, 0] = 100
    assert shared[0, 0].item() == 100 and copied[0, 0].item() == 0
    assert shared.data_ptr() == x.data_ptr() != copied.data_ptr()
    allocated = lg.cuda.memory_allocated()
    del shared
    assert lg.cuda.memory_allocated() == allocated, "what another owns is not given back"


def test_dlpack_goes_there_and_back() -> None:
    x = lg.arange(12).cuda().reshape(3, 4)
    assert x.__dlpack_device__() == (2, 0) and lg.ones(1, device="cuda:1").__dlpack_device__() == (2, 1)
    for view in (x, x.t(), x[1:, ::3], x.to(lg.bfloat16), x.to(lg.float8_e5m2), x > 3, x * 1j, x[0, 0]):
        shared = lg.from_dlpack(view)
        assert shared.dtype is view.dtype and shared.device == view.device and shared.tolist() == view.tolist()
        assert shared.data_ptr() == view.data_ptr()
    with pytest.raises(BufferError, match="require gradient"):
        lg.ones(1, device="cuda", requires_grad=True).__dlpack__()


def test_a_capsule_keeps_memory_until_its_reader_lets_go() -> None:
    def held() -> int:
        gc.collect()
        return len(dlpack._exported)

    x = lg.arange(4.0).cuda().realize()
    capsule = x.__dlpack__()
    assert held() == 1
    del capsule
    assert held() == 0, "nobody has read it"
    shared = lg.from_dlpack(x)
    del x
    assert held() == 1 and shared.tolist() == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="consumed only once"):
        capsule = lg.ones(1, device="cuda").__dlpack__()
        dlpack.read_capsule(capsule)
        dlpack.read_capsule(capsule)
    del shared
    assert held() == 0
    assert device_memory.CUDA == 2
