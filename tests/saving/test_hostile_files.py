"""Files made to do harm: each raises at once, with little memory, and leaves the process as it was.

Most are refused with `pickle.UnpicklingError` (what the pickle asks for) or RuntimeError (what the archive, a tensor or
a device is); a file with nothing in it is an EOFError.
"""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.saving.assembling import (
    ORDERED_DICT,
    PROTOCOL_2,
    STOP,
    archive,
    built,
    called,
    made,
    named,
    records,
    storage,
    tensor,
    zipped,
)

pytest.importorskip("resource", reason="limits of memory can be set on POSIX systems only")

_ROOT = Path(__file__).parents[2]
_REFUSALS = {"UnpicklingError", "RuntimeError", "EOFError", "NotImplementedError"}
_GOOD = "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]][1, 2, (3, 'four')]"
_SECONDS_EACH = 4.0  # of processor time; the slowest takes half a second


def _fault(outcome: dict[str, Any]) -> str | None:
    """What is wrong with how a file was treated, if anything."""
    refused = outcome["outcome"] in _REFUSALS
    if outcome["group"].endswith("trusted"):
        refused |= outcome["outcome"] == "TypeError"  # Python's own unpickler calls with the arguments of the file
    if outcome["group"] == "damaged":
        refused |= outcome["outcome"] == "loaded" and outcome["about"] == _GOOD
    if outcome["group"] in ("mutated", "legacy mutated"):
        refused |= outcome["outcome"] == "loaded"
    if refused and not outcome["changed"] and outcome["seconds"] < _SECONDS_EACH:
        return None
    return f"{outcome['group']}, {outcome['name']}: {outcome['outcome']} after {outcome['seconds']:.1f} s, " \
           f"changed {outcome['changed']}; {outcome['about'][-200:]}"  # fmt: skip


def test_every_hostile_file_is_refused() -> None:
    """In one process of its own, which has 384 MB and is asked after each file whether lazygrad is as it was."""
    environment = {**os.environ, "LAZYGRAD_BACKEND": "numpy", "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path])}
    command = [sys.executable, "-m", "tests.saving.hostile_runner"]
    done = subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True, timeout=600)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    last = next((line["starting"] for line in reversed(lines) if "starting" in line), "none")
    assert done.returncode == 0, f"the process died of {last}: {done.stderr[-1000:]}"
    outcomes = [line for line in lines if "starting" not in line]
    faults = [fault for fault in map(_fault, outcomes) if fault]
    assert not faults, "\n".join(faults)
    counts = Counter(outcome["group"] for outcome in outcomes)
    assert counts["pickle"] > 300 and counts["tensor"] > 150 and counts["archive"] > 100 and counts["damaged"] > 50
    refused = Counter(outcome["group"] for outcome in outcomes if outcome["outcome"] != "loaded")
    assert counts["mutated"] == 600 > refused["mutated"] > 400
    assert len({outcome["content"] for outcome in outcomes}) >= 1200  # no file is there twice


# What looks strange and is harmless has right values.


def _loaded(value: Any, **replaced: bytes | None) -> Any:
    return lg.load(io.BytesIO(archive(value, **replaced)))


def test_a_handmade_file_is_read() -> None:
    assert _loaded(tensor()).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert _loaded(tensor(None, 1, (2, 2), (3, 1))).tolist() == [[1, 2], [4, 5]]
    assert _loaded(tensor(None, 0, (4, 3), (1, 1))).tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]
    assert _loaded(tensor(None, 5, (), ())).item() == 5 and _loaded(tensor(None, 0, (0, 7), (7, 1))).shape == (0, 7)


def test_an_expanded_tensor_takes_no_memory() -> None:
    expanded = _loaded(tensor(None, 2, (2**36,), (0,)))
    assert expanded.shape == (2**36,) and expanded[2**35].item() == 2
    negated = _loaded(tensor(None, 0, (2**20, 2**16, 6), (0, 0, 1), False, {"neg": True}))
    assert negated[2**19, 5].tolist() == [0, -1, -2, -3, -4, -5]


def test_booleans_are_false_or_true() -> None:
    """Any other byte would be a number to kernels that count or compare booleans."""
    content = bytes([0, 1, 2, 128, 255, 0])
    found = _loaded(tensor(storage(named("torch.BoolStorage"))), **{"data/0": content})
    assert found.view(lg.uint8).tolist() == [[0, 1, 1], [1, 1, 0]] and found.sum().item() == 4


@pytest.mark.parametrize("kind", ["Short", "Int", "Long", "Half", "Float", "Double", "ComplexFloat", "ComplexDouble"])
def test_the_other_byte_order_is_turned_round(kind: str) -> None:
    about = np.dtype({"Short": "i2", "Int": "i4", "Long": "i8", "Half": "f2", "Float": "f4", "Double": "f8",
                      "ComplexFloat": "c8", "ComplexDouble": "c16"}[kind])  # fmt: skip
    content = np.arange(6, dtype=about).astype(about.newbyteorder(">")).tobytes()
    found = _loaded(tensor(storage(named(f"torch.{kind}Storage"))), **{"data/0": content, "byteorder": b"big"})
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_bfloat16_in_the_other_byte_order() -> None:
    content = np.arange(6, dtype="f4").view("u4").astype(">u4").view("u2")[::2].tobytes()
    found = _loaded(tensor(storage(named("torch.BFloat16Storage"))), **{"data/0": content, "byteorder": b"big"})
    assert found.dtype is lg.bfloat16 and found.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_numbers_of_memo_entries_need_not_follow_each_other() -> None:
    far = b"r\xff\xff\xff\xff"
    assert _loaded(PROTOCOL_2 + b"(K\x07" + far + b"j\xff\xff\xff\xfft" + STOP) == (7, 7)


def test_deep_nesting_is_no_recursion() -> None:
    depth, found = 0, _loaded(PROTOCOL_2 + b"](" * 100_000 + b"e" * 100_000 + STOP)
    while found:
        depth, found = depth + 1, found[0]
    assert depth == 99_999


def test_a_range_is_no_list() -> None:
    assert _loaded(called("builtins.range", 0, 2**40, 1)) == range(2**40)
    assert _loaded(called("builtins.slice", 1, None, 2)) == slice(1, None, 2)


def test_attributes_that_programs_set() -> None:
    assert _loaded(built(tensor(), {"label": "slow", "_is_tied": True})).label == "slow"
    kept = _loaded(built(ORDERED_DICT, {"_metadata": {"version": 1}}))
    assert kept._metadata == {"version": 1} and not kept


def test_text_of_python_2() -> None:
    file = archive(PROTOCOL_2 + b"U\x02\xc3\xa4" + STOP)
    assert lg.load(io.BytesIO(file)) == "ä"
    assert lg.load(io.BytesIO(file), encoding="bytes") == b"\xc3\xa4"
    assert lg.load(io.BytesIO(file), encoding="latin1") == "Ã¤"
    with pytest.raises(TypeError):
        lg.load(io.BytesIO(file), no_such_option=1)


def test_one_empty_storage_of_several_dtypes() -> None:
    both = [tensor(storage(named(f"torch.{kind}Storage"), "0", "cpu", 0), 0, (0,), (1,)) for kind in ("Float", "Int")]
    first, second = _loaded(both, **{"data/0": b""})
    assert first.dtype is lg.float32 and second.dtype is lg.int32


def test_saved_storages_come_back_as_storages() -> None:
    memory, view = _loaded([storage(), tensor(None, 0, (6,), (1,))])
    view[1] = 9
    assert isinstance(memory, lg.TypedStorage) and memory.tolist() == [0, 9, 2, 3, 4, 5]
    raw = _loaded(storage(named("torch.storage.UntypedStorage"), "0", "cpu", 24))
    assert bytes(raw.tolist()) == struct.pack("<6f", *range(6))


def test_records_may_be_padded_and_others_may_be_there() -> None:
    kept = records(made([]))
    assert lg.load(io.BytesIO(archive({"x": tensor()}, **{".data/serialization_id": b"1" * 40})))["x"].sum() == 15
    padded = records(PROTOCOL_2 + tensor() + STOP)
    padded[2].content, padded[2].local_padding = bytes(40) + padded[2].content, 40
    padded[2].compressed = padded[2].size = 24
    padded[2].checksum = kept[2].stated()[0]
    assert lg.load(io.BytesIO(zipped(padded))).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_sizes_in_fields_of_zip64() -> None:
    large = records(PROTOCOL_2 + tensor() + STOP)
    large[2].compressed = large[2].size = 2**32 - 1
    large[2].extra = struct.pack("<2H2Q", 1, 16, 24, 24)
    assert lg.load(io.BytesIO(zipped(large))).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_directory_that_is_counted_by_zip64(monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of 65536 records is."""
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        for record in records(PROTOCOL_2 + tensor() + STOP):
            written.writestr(record.name.decode(), record.content)
    assert b"PK\x06\x06" in file.getvalue()
    assert lg.load(io.BytesIO(file.getvalue())).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_file_is_not_held_in_memory_beside_its_tensors(tmp_path: Path) -> None:
    """Neither while it is written nor while it is read."""
    path, size = tmp_path / "file.pt", 8_000_000
    content = lg.ones(size // 4).realize()
    lg.save(lg.ones(1), path)
    lg.load(path)
    tracemalloc.start()
    try:
        lg.save(content, path)
        assert tracemalloc.get_traced_memory()[1] < 500_000
        found = lg.load(path)
        assert size <= tracemalloc.get_traced_memory()[1] < size + 500_000 and found.sum().item() == size // 4
    finally:
        tracemalloc.stop()


def test_what_a_map_location_raises_is_not_changed() -> None:
    def careless(memory: Any, location: str) -> Any:
        raise KeyError(location)

    with pytest.raises(KeyError, match="cpu"):
        lg.load(io.BytesIO(archive(tensor())), map_location=careless)
    with pytest.raises(RuntimeError, match="map_location returns"):
        lg.load(io.BytesIO(archive(tensor())), map_location=lambda memory, location: 5)


def test_a_path_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    for path in (Path("/dev/zero"), Path("/dev/urandom")):
        if path.exists():
            with pytest.raises(RuntimeError, match=r"not an archive|not a file"):
                lg.load(path)
    with pytest.raises(IsADirectoryError):
        lg.load(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("as_file", [False, True], ids=["path", "file"])
def test_a_pipe_without_an_end_that_begins_as_a_pickle_is_not_read_to_it(tmp_path: Path, as_file: bool) -> None:
    """One in 256 random bytes begins a pickle."""
    pipe, stopped = tmp_path / "pipe", []
    os.mkfifo(pipe)

    def write() -> None:
        with suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as file:
            for _ in range(1 << 16):  # 256 MB
                file.write(PROTOCOL_2 + bytes(4094))
            stopped.append("never")

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(RuntimeError, match="not a file"):
        if as_file:
            with open(pipe, "rb") as file:
                lg.load(file)
        else:
            lg.load(pipe)
    writer.join()
    assert not stopped


def test_a_file_that_gives_a_few_bytes_at_a_time_is_read() -> None:
    class Slow(io.RawIOBase):
        def __init__(self, content: bytes) -> None:
            self.content = io.BytesIO(content)

        def read(self, size: int = -1) -> bytes:
            return self.content.read(size if size < 0 else min(size, 7))

    for legacy in (False, True):
        memory = io.BytesIO()
        lg.save({"x": lg.arange(1000)}, memory, _use_new_zipfile_serialization=not legacy)
        assert lg.load(Slow(memory.getvalue()))["x"].tolist() == [*range(1000)]
