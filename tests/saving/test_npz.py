"""numpy's archives of arrays, both ways, and those that lie."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.saving import load_npz, save_npz

_DTYPES = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


def _tensors() -> dict[str, Any]:
    made = {name: lg.tensor([[0.0, 1.0], [2.0, 4.0]]).to(getattr(lg, name)) for name in _DTYPES}
    return made | {"number": lg.tensor(3.5), "none": lg.zeros(2, 0), "turned": lg.arange(6).reshape(2, 3).T}


@pytest.mark.parametrize("compressed", [False, True])
def test_numpy_reads_it_and_it_comes_back(compressed: bool, tmp_path: Path) -> None:
    save_npz(_tensors(), tmp_path / "file.npz", compressed=compressed)
    with np.load(tmp_path / "file.npz") as theirs:
        for name, tensor in _tensors().items():
            assert theirs[name].dtype == tensor.numpy().dtype
            np.testing.assert_array_equal(theirs[name], tensor.numpy())
    mine = load_npz(tmp_path / "file.npz")
    assert list(mine) == list(_tensors())
    for name, tensor in _tensors().items():
        assert mine[name].dtype is tensor.dtype and lg.equal(mine[name], tensor)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_what_numpy_wrote_is_read(save: Any) -> None:
    file = io.BytesIO()
    array = np.arange(12.0).reshape(3, 4)
    save(file, array, fortran=np.asfortranarray(array), swapped=array.astype(">f4"), number=np.int16(5))
    found = load_npz(io.BytesIO(file.getvalue()))
    assert found["arr_0"].tolist() == found["fortran"].tolist() == found["swapped"].tolist() == array.tolist()
    assert found["fortran"].is_contiguous() and found["swapped"].dtype is lg.float32
    assert found["number"].shape == () and found["number"].item() == 5


def test_what_numpy_has_not_is_refused() -> None:
    for dtype in (lg.bfloat16, lg.float8_e5m2):
        with pytest.raises(TypeError, match=f"numpy has no {dtype.name}"):
            save_npz({"x": lg.ones(2, dtype=dtype)}, io.BytesIO())
    with pytest.raises(TypeError, match="expected a tensor"):
        save_npz({"x": 1}, io.BytesIO())  # type: ignore[dict-item]
    for array in (np.array(["text"]), np.array([None]), np.zeros(2, "f4,i4")):
        file = io.BytesIO()
        np.savez(file, x=array)
        with pytest.raises(TypeError):
            load_npz(file)


def _header(text: str) -> bytes:
    padded = text.encode() + b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded


def _archive(*records: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in records:
            archive.writestr(name, content)
    return file.getvalue()


def _of(shape: str, content: bytes = bytes(8), dtype: str = "<f4", order: str = "False") -> bytes:
    header = _header(f"{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}")
    return _archive(("x.npy", header + content))


_HOSTILE = {
    "nothing": b"", "text": b"hello" * 100, "no archive": b"PK\x03\x04" + bytes(50),
    "not an array": _archive(("x.npy", b"abc")),
    "another record": _archive(("data.pkl", b"abc")), "a huge shape": _of("(2**40,)"),
    "a large shape": _of("(4611686018427387904, 4)"),
    "a negative shape": _of("(-2,)"), "two negative sizes": _of("(-1, -2)"), "more than there is": _of("(3,)"),
    "less than there is": _of("(1,)"), "a shape of text": _of("'ab'"), "a shape of floats": _of("(2.0,)"),
    "code": _of("__import__('os').getpid()"), "objects": _of("(1,)", dtype="|O"),
    "text for numbers": _of("(2,)", dtype="<U1"),
    "a long header": _archive(("x.npy", _header("(" * 60_000))), "many dimensions": _of("(" + "1, " * 70 + "2)"),
    "a strange order": _of("(2,)", order="3"), "no dtype": _of("(2,)", dtype="zz"),
    "a bomb": _archive(("x.npy", _header("{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }") + bytes(10**7)),
                       method=zipfile.ZIP_DEFLATED),
}  # fmt: skip


@pytest.mark.parametrize("content", _HOSTILE.values(), ids=_HOSTILE)
def test_hostile_archives_are_refused(content: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises((RuntimeError, TypeError)):
            load_npz(io.BytesIO(content))
        assert tracemalloc.get_traced_memory()[1] < 20 * len(content) + 1_000_000
    finally:
        tracemalloc.stop()


def test_damaged_archives_are_refused_or_right() -> None:
    file = io.BytesIO()
    save_npz({"x": lg.arange(20.0), "y": lg.ones(3)}, file)
    good = file.getvalue()
    for place in range(0, len(good), 17):
        with pytest.raises((RuntimeError, TypeError)):
            load_npz(io.BytesIO(good[:place]))
        changed = bytearray(good)
        changed[place] ^= 1 << place % 8
        try:
            found = load_npz(io.BytesIO(bytes(changed)))
        except (RuntimeError, TypeError):
            continue
        assert sum(x.nbytes for x in found.values()) <= len(good)
