"""The protocols of DLPack and of numpy's arrays: every dtype and form of memory, copies, and what is refused."""

from __future__ import annotations

import copy as copying
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

pytestmark = pytest.mark.host_memory("other libraries read the memory of tensors")

FORMS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda t: t.arange(12.0).reshape(3, 4),
    "transposed": lambda t: t.arange(12.0).reshape(3, 4).t(),
    "slice": lambda t: t.arange(12.0).reshape(3, 4)[1:, ::2],
    "expanded": lambda t: t.arange(4.0).expand(3, 4),
    "scalar": lambda t: t.tensor(3.0),
    "computed": lambda t: t.ones(2, 3) * 2,
    "real part": lambda t: t.tensor([1 + 2j, 3j]).real,
    "real part of a conjugate": lambda t: t.tensor([1 + 2j, 3j]).conj().real,
    "conjugated twice": lambda t: t.tensor([1 + 2j, 3j]).conj().conj(),
    "resolved": lambda t: t.tensor([1 + 2j, 3j]).conj().resolve_conj(),
}
DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
    "float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()


def _named(capsule: Any) -> str:
    return repr(capsule).split('"')[1]


def _outcome(call: Callable[[Any], Any], framework: Any) -> Any:
    try:
        return call(framework)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("form", FORMS)
def test_strides_and_copies_are_those_of_pytorch(form: str, torch: Any) -> None:
    def read(t: Any, **options: Any) -> tuple[Any, ...]:
        source = FORMS[form](t)
        found = t.from_dlpack(source, **options)
        before = found.tolist()
        if form != "expanded":
            found.zero_()
        return before, found.stride(), found.data_ptr() == source.data_ptr(), source.tolist()

    for options in ({}, {"copy": True}, {"copy": False}, {"copy": None}, {"device": "cpu"}):
        assert read(lg, **options) == read(torch, **options), options


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_goes_to_pytorch_and_back(dtype: str, torch: Any) -> None:
    ours = lg.tensor([1, 0, 1]).to(getattr(lg, dtype))
    theirs = torch.from_dlpack(ours)
    assert theirs.dtype is getattr(torch, dtype) and theirs.float().tolist() == ours.float().tolist()
    assert theirs.data_ptr() == ours.data_ptr()
    theirs.view(torch.uint8)[0] = 60
    back = lg.from_dlpack(theirs)
    assert back.dtype is ours.dtype and back.data_ptr() == ours.data_ptr()
    assert back.view(lg.uint8).tolist() == ours.view(lg.uint8).tolist() == theirs.view(torch.uint8).tolist()


CALLS: dict[str, Callable[[Any], Any]] = {
    "no version": lambda x: x.__dlpack__(),
    "old version": lambda x: x.__dlpack__(max_version=(0, 8)),
    "version": lambda x: x.__dlpack__(max_version=(1, 0)),
    "later version": lambda x: x.__dlpack__(max_version=(2, 3)),
    "stream": lambda x: x.__dlpack__(stream=1),
    "no stream": lambda x: x.__dlpack__(stream=-1),
    "word for a stream": lambda x: x.__dlpack__(stream="x"),
    "device": lambda x: x.__dlpack__(dl_device=(1, 0)),
    "copy": lambda x: x.__dlpack__(copy=True),
    "no copy": lambda x: x.__dlpack__(max_version=(1, 0), copy=False),
}
REFUSED: dict[str, Callable[[Any], Any]] = {
    "plain": lambda t: t.ones(2),
    "gradient": lambda t: t.ones(2, requires_grad=True),
    "result": lambda t: t.ones(2, requires_grad=True) * 2,
    "conjugate": lambda t: t.tensor([1 + 2j]).conj(),
    "sparse": lambda t: t.eye(2).to_sparse(),
    "meta": lambda t: t.ones(2, device="meta"),
}


@pytest.mark.parametrize("tensor", REFUSED)
@pytest.mark.parametrize("call", CALLS)
def test_capsules_are_given_and_refused_as_by_pytorch(call: str, tensor: str, torch: Any) -> None:
    def found(t: Any) -> Any:
        return _outcome(lambda t: _named(CALLS[call](REFUSED[tensor](t))), t)

    expected = found(torch)
    if tensor == "meta" and expected not in (AssertionError, TypeError):
        expected = BufferError
    assert found(lg) == expected


def test_a_negated_view_is_no_memory_to_share() -> None:
    """PyTorch hands out the memory below it, whose numbers have the other sign."""
    with pytest.raises(BufferError, match="negative bit"):
        np.from_dlpack(lg.tensor([1 + 2j]).conj().imag)


def test_a_capsule_is_read_once(torch: Any) -> None:
    for t, other in ((lg, torch), (torch, lg), (lg, lg)):
        capsule = t.utils.dlpack.to_dlpack(t.arange(3.0))
        assert _named(capsule) == "dltensor"
        shared = other.utils.dlpack.from_dlpack(capsule)
        shared[0] = 5
        assert shared.tolist() == [5, 1, 2]
        with pytest.raises(RuntimeError, match="consumed only once"):
            other.from_dlpack(capsule)
        with pytest.raises(AssertionError, match="device and copy kwargs not supported"):
            other.from_dlpack(capsule, copy=True)


def test_memory_lives_as_long_as_its_readers(torch: Any) -> None:
    ours = lg.from_dlpack(torch.arange(1000.0) + 1)
    theirs = torch.from_dlpack(lg.arange(1000.0) + 1)
    gc.collect()
    churn = [torch.zeros(1000) for _ in range(50)], [lg.zeros(1000).realize() for _ in range(50)]
    assert churn and ours.tolist() == theirs.tolist() == [float(i + 1) for i in range(1000)]


def test_numpy_reads_and_is_read() -> None:
    x = lg.arange(6.0).reshape(2, 3)
    assert np.shares_memory(np.from_dlpack(x), x.numpy()) and not np.shares_memory(
        np.from_dlpack(x, copy=True), x.numpy()
    )
    array = np.arange(6.0).reshape(2, 3)
    for source in (array, array.T, array[:, ::2], array[:0], array[0, 0:1], np.array(2.0)):
        found = lg.from_dlpack(source)
        assert found.tolist() == source.tolist() and found.dtype is lg.float64
        copied = lg.from_dlpack(source, copy=True)
        source += 1
        assert found.tolist() == source.tolist() and copied.tolist() == (source - 1).tolist()
    with pytest.raises(ValueError, match="negative"):
        lg.from_dlpack(array[::-1])
    with pytest.raises(BufferError, match="byte order"):
        lg.from_dlpack(array.astype(">f8"))


class _Old:
    """A library that knows neither versions nor copies."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, stream: Any = None) -> Any:
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_old_libraries_are_asked_in_their_words() -> None:
    array = np.arange(3.0)
    assert lg.from_dlpack(_Old(array), copy=False).data_ptr() == array.ctypes.data
    assert lg.from_dlpack(_Old(array), copy=True).data_ptr() != array.ctypes.data
    with pytest.raises(RuntimeError, match="invalid capsule"):
        lg.from_dlpack(object())


def test_other_devices_take_a_copy() -> None:
    with pytest.raises(BufferError, match="meta"):
        lg.from_dlpack(np.ones(2), device="meta")
    with pytest.raises(BufferError, match="device type 4"):
        lg.ones(2).__dlpack__(dl_device=(4, 0))


WITHOUT_COPY: dict[str, tuple[Callable[[], lg.Tensor], Any]] = {
    "plain": (lambda: lg.arange(4.0), None),
    "transposed": (lambda: lg.ones(2, 3).t(), None),
    "real part of a conjugate": (lambda: lg.tensor([1 + 2j]).conj().real, None),
    "the same dtype": (lambda: lg.ones(2), np.float32),
    "bfloat16": (lambda: lg.ones(2, dtype=lg.bfloat16), None),
    "another dtype": (lambda: lg.ones(2), np.float64),
    "conjugate": (lambda: lg.tensor([1 + 2j]).conj(), None),
    "negated": (lambda: lg.tensor([1 + 2j]).conj().imag, None),
    "float8": (lambda: lg.ones(2).to(lg.float8_e5m2), None),
    "sparse": (lambda: lg.eye(2).to_sparse(), None),
}


@pytest.mark.parametrize("case", WITHOUT_COPY)
def test_asarray_without_a_copy_shares_or_refuses(case: str) -> None:
    make, dtype = WITHOUT_COPY[case]
    tensor = make()
    if list(WITHOUT_COPY).index(case) > 4:
        with pytest.raises(ValueError, match="Unable to avoid copy while creating an array as requested"):
            np.asarray(tensor, dtype=dtype, copy=False)
        return
    array = np.asarray(tensor, dtype=dtype, copy=False)
    array[...] = 7
    assert np.shares_memory(array, tensor.numpy()) and set(tensor.flatten().tolist()) == {7.0}
    copied = np.array(tensor, dtype=dtype)
    assert not np.shares_memory(copied, array) and copying.copy(tensor).tolist() == array.tolist()
