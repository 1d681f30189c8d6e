"""Files of safetensors: the package's bytes, its tensors and its refusals; nothing in a header is believed."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.safetensors import SafetensorError, safe_open
from lazygrad.safetensors import torch as mine

_DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64", "complex64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip


def _tensors(t: Any) -> dict[str, Any]:
    made = {f"{name} é": t.tensor([0.0, 1.0, 2.0, 4.0]).to(getattr(t, name)).reshape(2, 2) for name in _DTYPES}
    return made | {"number": t.tensor(3.5), "none": t.zeros(2, 0), "row": t.arange(5)}


def _described(t: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    def values(x: Any) -> Any:
        return (x.view(t.uint8) if x.dtype.itemsize == 1 and x.is_floating_point() else x).tolist()

    return {name: (str(x.dtype).rpartition(".")[2], tuple(x.shape), values(x)) for name, x in tensors.items()}


def test_files_go_both_ways(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    theirs = pytest.importorskip("safetensors.torch", reason="safetensors, the oracle of this test, is not installed")
    texts = {"format": "pt", "é": '"quoted"'}
    assert mine.save(_tensors(lg), {"a": "b"}) == theirs.save(_tensors(torch), {"a": "b"})
    assert mine.save(_tensors(lg)) == theirs.save(_tensors(torch))
    assert mine.save({}) == theirs.save({})
    mine.save_file(_tensors(lg), tmp_path / "mine", texts)
    theirs.save_file(_tensors(torch), tmp_path / "theirs", texts)
    assert _described(torch, theirs.load_file(tmp_path / "mine")) == _described(torch, _tensors(torch))
    assert _described(lg, mine.load_file(tmp_path / "theirs")) == _described(lg, _tensors(lg))


def test_a_file_made_by_hand() -> None:
    header = b'{"x":{"dtype":"I16","shape":[2,1],"data_offsets":[0,4]},"__metadata__":{"a":"b"}}'
    loaded = mine.load(len(header).to_bytes(8, "little") + header + b"\1\0\xff\xff")
    assert loaded["x"].dtype is lg.int16 and loaded["x"].tolist() == [[1], [-1]]


def test_saved_tensors_come_back(tmp_path: Path) -> None:
    mine.save_file(_tensors(lg), tmp_path / "file", {"a": "b"})
    assert _described(lg, mine.load_file(tmp_path / "file")) == _described(lg, _tensors(lg))
    assert _described(lg, mine.load((tmp_path / "file").read_bytes())) == _described(lg, _tensors(lg))
    found = mine.load_file(tmp_path / "file")
    before = (tmp_path / "file").read_bytes()
    found["row"][1] = 9
    assert found["row"].tolist() == [0, 9, 2, 3, 4] and (tmp_path / "file").read_bytes() == before


def test_an_open_file(tmp_path: Path) -> None:
    mine.save_file(_tensors(lg), tmp_path / "file", {"a": "b"})
    with safe_open(tmp_path / "file", framework="pt") as file:
        assert file.keys() == sorted(_tensors(lg)) and file.metadata() == {"a": "b"}
        assert set(file.offset_keys()) == set(file.keys())
        part = file.get_slice("float32 é")
        assert part.get_shape() == [2, 2] and part.get_dtype() == "F32" and part[1:, 0].tolist() == [2]
        assert file.get_tensor("number").item() == 3.5
        with pytest.raises(SafetensorError, match="File does not contain tensor x"):
            file.get_tensor("x")
    with pytest.raises(SafetensorError, match="File is closed"):
        file.get_tensor("number")
    with safe_open(tmp_path / "file", framework="np") as file:
        assert file.get_tensor("uint16 é").dtype == "uint16"
    with pytest.raises(FileNotFoundError, match="No such file"):
        safe_open(tmp_path / "other", framework="pt")
    with pytest.raises(SafetensorError, match="framework tf is invalid"):
        safe_open(tmp_path / "file", framework="tf")


class _Tied(lg.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = lg.nn.Linear(2, 2), lg.nn.Linear(2, 2)
        self.second.weight = self.first.weight


def test_modules(tmp_path: Path) -> None:
    model, other = _Tied(), _Tied()
    mine.save_model(model, tmp_path / "file")
    with safe_open(tmp_path / "file", "pt") as file:
        assert file.keys() == ["first.bias", "first.weight", "second.bias"]
        assert file.metadata() == {"second.weight": "first.weight"}
    assert mine.load_model(other, tmp_path / "file") == (set(), [])
    assert other.second.weight is other.first.weight and lg.equal(other.first.weight, model.first.weight)
    problem = r'Missing key.*"bias", "weight"\n.*Unexpected key.*"first.bias"'
    with pytest.raises(RuntimeError, match=problem):
        mine.load_model(lg.nn.Linear(2, 2), tmp_path / "file")


def test_what_cannot_be_saved() -> None:
    x = lg.ones(2, 2)
    with pytest.raises(RuntimeError, match=r"Some tensors share memory.*\['a', 'b'\]"):
        mine.save({"a": x, "b": x[:1], "c": lg.ones(1)})
    assert mine.load(mine.save({"a": x[:1], "b": x[1:]}))["b"].tolist() == [[1, 1]]
    for bad, error, message in (
        ({"a": lg.arange(6).reshape(2, 3).T}, ValueError, "non contiguous tensor: `a`"),
        ({"a": 1}, ValueError, "Key `a` is invalid"),
        ([x], ValueError, "Expected a dict"),
        ({1: x}, TypeError, "a name of a tensor is a str"),
        ({"a": lg.eye(2).to_sparse()}, ValueError, "sparse"),
        ({"a": lg.ones(2, dtype=lg.complex128)}, SafetensorError, "no dtype for complex128"),
    ):
        with pytest.raises(error, match=message):
            mine.save(bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="texts"):
        mine.save({"a": x}, {"a": 1})  # type: ignore[dict-item]


# Files made to do harm.


def _file(header: Any, content: bytes = bytes(8), length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + content


def _one(**changes: Any) -> dict[str, Any]:
    return {"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes}


_HOSTILE = {
    "nothing": b"", "seven bytes": bytes(7), "no header": bytes(8),
    "a header beyond the file": _file(_one(), length=999),
    "a huge header": _file(_one(), length=2**63), "a header of 100 MB": _file(_one(), length=100_000_000),
    "no JSON": _file(b"abc"), "no object": _file([]), "a number": _file(b"1"), "cut off": _file(b'{"x":'),
    "no UTF-8": _file(b'{"\xff":1}'), "deep": _file(b"[" * 100_000), "deep objects": _file(b'{"a":' * 100_000),
    "space first": _file(b" " + json.dumps(_one()).encode()), "a long number": _file(b'{"x":' + b"9" * 10_000 + b"}"),
    "a name twice": _file(b'{"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},' * 2 + b"}"),
    "a tensor twice": _file(b'{"x":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"x":{"dtype":"U8","shape":[8],'
                            b'"data_offsets":[0,8]}}'),
    "metadata of numbers": _file({"__metadata__": {"a": 1}} | _one()), "metadata of text": _file({"__metadata__": "a"}),
    "a list for a tensor": _file({"x": []}), "a field too many": _file(_one(more=1)),
    "a field too few": _file({"x": {"dtype": "F32", "shape": [2]}}),
    "another dtype": _file(_one(dtype="F128")), "a dtype of 4 bits": _file(_one(dtype="F4")),
    "a dtype that is a list": _file(_one(dtype=[])), "too many elements": _file(_one(shape=[3])),
    "too few elements": _file(_one(shape=[1])), "a negative size": _file(_one(shape=[-2])),
    "two negative sizes": _file(_one(shape=[-1, -2])), "a size of 2.0": _file(_one(shape=[2.0])),
    "a size of true": _file(_one(shape=[True, 2])), "a huge size": _file(_one(shape=[2**62, 2**62])),
    "a huge size of nothing": _file(_one(shape=[2**63, 2**63, 0], data_offsets=[0, 0])),
    "a size of text": _file(_one(shape=["2"])), "many sizes": _file(_one(shape=[1] * 100_000)),
    "offsets in one": _file(_one(data_offsets=[8])), "offsets backwards": _file(_one(data_offsets=[8, 0])),
    "negative offsets": _file(_one(data_offsets=[-8, 0])), "offsets beyond": _file(_one(data_offsets=[4, 12])),
    "offsets of 2**64": _file(_one(data_offsets=[2**64, 2**64 + 8])),
    "a hole before": _file(_one(data_offsets=[8, 16]), bytes(16)),
    "bytes behind": _file(_one(), bytes(9)), "bytes missing": _file(_one(), bytes(7)),
    "an overlap": _file(_one() | {"y": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}}),
    "a hole between": _file(_one() | {"y": {"dtype": "U8", "shape": [4], "data_offsets": [12, 16]}}, bytes(16)),
    "NaN": _file(b'{"x":NaN}'),
}  # fmt: skip


@pytest.mark.parametrize("content", _HOSTILE.values(), ids=_HOSTILE)
def test_hostile_files_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(SafetensorError):
            mine.load(content)
        with pytest.raises(SafetensorError):
            mine.load_file(tmp_path / "file")
        assert tracemalloc.get_traced_memory()[1] < 20 * len(content) + 1_000_000
    finally:
        tracemalloc.stop()


def test_damaged_files_are_refused_or_right() -> None:
    good = mine.save(_tensors(lg), {"a": "b"})
    for place in range(0, len(good), 13):
        with pytest.raises(SafetensorError):
            mine.load(good[:place])
    for place in range(0, int.from_bytes(good[:8], "little"), 7):
        changed = bytearray(good)
        changed[place] ^= 1 << place % 8
        try:
            found = mine.load(bytes(changed))
        except SafetensorError:
            continue
        assert sum(x.nbytes for x in found.values()) <= len(good)


def test_booleans_are_false_or_true() -> None:
    content = _file({"x": {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]}}, b"\0\1\2")
    assert mine.load(content)["x"].view(lg.uint8).tolist() == [0, 1, 1]


def test_a_program_that_imports_safetensors_gets_this_one() -> None:
    program = (
        "import lazygrad; lazygrad.as_torch()\n"
        "import torch, safetensors.torch\n"
        "from safetensors import safe_open, SafetensorError\n"
        "from safetensors.torch import save_file, load_file, save, load, save_model, load_model\n"
        "assert safetensors.torch.save is save and save.__module__.startswith('lazygrad.')\n"
        "print(load(save({'x': torch.arange(3)})))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "{'x': tensor([0, 1, 2])}\n", done.stderr
