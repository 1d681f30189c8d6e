"""The formats that torch writes besides its zip archives, files that are mapped, and how records lie in archives."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

import lazygrad

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

_FRAMEWORKS = [torch, lazygrad]
_NAMES = ["torch", "lazygrad"]
_STORAGE_DTYPES = (
    "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
    "float8_e8m0fnu",
)  # fmt: skip


def _object(t: Any) -> Any:
    memory = t.arange(6.0).reshape(2, 3)
    return {
        "memory": memory, "view": memory.T[1:], "parameter": t.nn.Parameter(t.ones(2)),
        "bool": t.tensor([True, False, True]), "half": t.ones(3, dtype=t.bfloat16), "long": t.tensor([2**40, -1]),
        "complex": t.ones(2, dtype=t.complex64), "none": t.zeros(0, 3), "number": t.tensor(5, dtype=t.int16),
        "plain": [1, (2.5, "text"), {"key": None}], "size": t.Size([1, 2]),
    }  # fmt: skip


def _stored(t: Any) -> Any:
    """Tensors of the dtypes that files have no storages for; two of them share one."""
    made = {name: t.tensor([1.0, 2.0, 4.0]).to(getattr(t, name)) for name in _STORAGE_DTYPES}
    return made | {"view": made["uint32"][1:], "parameter": t.nn.Parameter(made["float8_e5m2"], requires_grad=False)}


def _described(t: Any, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _described(t, item) for key, item in value.items()}
    if isinstance(value, t.Tensor):
        values = value.view(t.uint8) if value.dtype.itemsize == 1 and value.is_floating_point() else value.detach()
        facts = str(value.dtype).rpartition(".")[2], tuple(value.shape), value.stride(), value.storage_offset()
        return *facts, value.requires_grad, isinstance(value, t.nn.Parameter), values.tolist()
    return tuple(value) if isinstance(value, t.Size) else value


def _written(t: Any, value: Any, **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    t.save(value, file, **options)
    file.seek(0)
    return file


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("reader", _FRAMEWORKS, ids=_NAMES)
@pytest.mark.parametrize("writer", _FRAMEWORKS, ids=_NAMES)
def test_legacy_files_go_both_ways(writer: Any, reader: Any, weights_only: bool) -> None:
    file = _written(writer, _object(writer), _use_new_zipfile_serialization=False)
    found = reader.load(file, weights_only=weights_only)
    assert _described(reader, found) == _described(writer, _object(writer))
    found["memory"][0, 1] = 7
    assert found["view"][0, 0] == 7


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_legacy_files_of_every_protocol(protocol: int) -> None:
    file = _written(torch, _object(torch), _use_new_zipfile_serialization=False, pickle_protocol=protocol)
    assert _described(lazygrad, lazygrad.load(file)) == _described(torch, _object(torch))


def test_a_legacy_file_at_a_path(tmp_path: Path) -> None:
    torch.save(_object(torch), tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    assert lazygrad.load(tmp_path / "old.pt")["view"].tolist() == [[1, 4], [2, 5]]
    for t in _FRAMEWORKS:
        with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
            t.load(tmp_path / "old.pt", mmap=True)


def test_sparse_tensors_in_legacy_files() -> None:
    file = _written(torch, torch.eye(2).to_sparse(), _use_new_zipfile_serialization=False)
    assert lazygrad.load(file).to_dense().tolist() == [[1, 0], [0, 1]]


def test_tar_files_are_refused_by_name() -> None:
    content = bytes(257) + b"ustar" + bytes(1000)
    with pytest.raises(RuntimeError, match=r"legacy \.tar format"):
        lazygrad.load(io.BytesIO(content))


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("reader", _FRAMEWORKS, ids=_NAMES)
@pytest.mark.parametrize("writer", _FRAMEWORKS, ids=_NAMES)
def test_storage_dtypes_go_both_ways(writer: Any, reader: Any, weights_only: bool) -> None:
    found = reader.load(_written(writer, _stored(writer)), weights_only=weights_only)
    assert _described(reader, found) == _described(writer, _stored(writer))
    found["uint32"][1] = 9
    assert found["view"][0].item() == 9


@pytest.mark.parametrize("writer", _FRAMEWORKS, ids=_NAMES)
def test_storage_dtypes_in_legacy_files(writer: Any) -> None:
    """torch writes them, too, but cannot read what it wrote."""
    file = _written(writer, _stored(writer), _use_new_zipfile_serialization=False)
    assert _described(lazygrad, lazygrad.load(file)) == _described(writer, _stored(writer))


# Mapped files.


@pytest.mark.parametrize("reader", _FRAMEWORKS, ids=_NAMES)
@pytest.mark.parametrize("writer", _FRAMEWORKS, ids=_NAMES)
def test_mapped_files(writer: Any, reader: Any, tmp_path: Path) -> None:
    path = tmp_path / "mapped.pt"
    writer.save(_object(writer) | {"stored": _stored(writer)}, path)
    before = path.read_bytes()
    found = reader.load(path, mmap=True)
    assert _described(reader, found) == _described(writer, _object(writer) | {"stored": _stored(writer)})
    found["memory"][0, 1] = 7
    found["bool"].logical_not_()
    assert found["view"][0, 0] == 7 and found["bool"].tolist() == [False, True, False]
    assert path.read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="only Linux says what a process has mapped")
def test_storages_of_a_mapped_file_are_parts_of_it(tmp_path: Path) -> None:
    lazygrad.save([lazygrad.arange(1000.0), lazygrad.arange(9).to(lazygrad.uint16)], tmp_path / "mapped.pt")
    found = lazygrad.load(tmp_path / "mapped.pt", mmap=True)
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    ranges = [line.split()[0].split("-") for line in maps if line.endswith("mapped.pt")]
    for tensor in found:
        assert any(int(begin, 16) <= tensor.data_ptr() < int(end, 16) for begin, end in ranges)
    assert found[0].sum().item() == 499_500
    path = tmp_path / "mapped.pt"
    path.unlink()
    assert found[0][999].item() == 999


def test_only_paths_are_mapped() -> None:
    for t in _FRAMEWORKS:
        with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
            t.load(_written(t, _object(t)), mmap=True)


def test_what_a_mapped_file_says_of_itself_is_not_believed(tmp_path: Path) -> None:
    file = _written(lazygrad, lazygrad.arange(1000.0)).getvalue()
    for place in range(0, len(file), 101):
        (tmp_path / "cut.pt").write_bytes(file[:place])
        with pytest.raises((RuntimeError, EOFError)):
            lazygrad.load(tmp_path / "cut.pt", mmap=True)


# Records.


@pytest.mark.parametrize("writer", _FRAMEWORKS, ids=_NAMES)
def test_contents_are_aligned(writer: Any) -> None:
    file = _written(writer, _object(writer))
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        for record in archive.infolist():
            file.seek(record.header_offset + 26)
            lengths = struct.unpack("<2H", file.read(4))
            assert (record.header_offset + 30 + sum(lengths)) % 64 == 0
        assert archive.read("archive/.storage_alignment") == b"64"
        assert archive.read("archive/.format_version") == b"1"


def test_options_of_save() -> None:
    with zipfile.ZipFile(_written(lazygrad, 1, _disable_byteorder_record=True)) as archive:
        assert "archive/byteorder" not in archive.namelist()
    assert torch.load(_written(lazygrad, [lazygrad.ones(2)], pickle_protocol=2))[0].tolist() == [1, 1]
    assert lazygrad.load(_written(torch, [torch.ones(2)], pickle_protocol=5))[0].tolist() == [1, 1]
