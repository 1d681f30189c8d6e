"""save and load, alone and with PyTorch on the other side of the file."""

from __future__ import annotations

import io
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn

DTYPES = (
    lg.bool, lg.uint8, lg.int8, lg.int16, lg.int32, lg.int64, lg.float16, lg.bfloat16, lg.float32, lg.float64,
    lg.complex64, lg.complex128,
)  # fmt: skip


def _through_memory(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    lg.save(obj, file)
    file.seek(0)
    return lg.load(file, **options)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_every_dtype_comes_back(dtype: lg.dtype) -> None:
    tensor = lg.tensor([[0, 1, 2], [3, 0, 5]]).to(dtype)
    back = _through_memory(tensor)
    assert back.dtype is dtype and back.tolist() == tensor.tolist() and not back._is_view()


def test_containers_numbers_and_flags(tmp_path: Path) -> None:
    leaf = lg.ones(2, requires_grad=True)
    saved = {"n": 3, "f": 2.5, "z": 1j, "s": "text", "t": (1, [None, True]), "dtype": lg.float16, "leaf": leaf,
             "device": lg.device("cpu"), "size": leaf.shape, "set": {1, 2}}  # fmt: skip
    lg.save(saved, tmp_path / "file.pt")
    back = lg.load(str(tmp_path / "file.pt"))
    assert back.pop("leaf").requires_grad and isinstance(back["size"], lg.Size)
    del saved["leaf"]
    assert back == saved
    assert [path.name for path in tmp_path.iterdir()] == ["file.pt"]


def test_shared_memory_is_shared_again() -> None:
    base = lg.arange(6.0).reshape(2, 3)
    back = _through_memory({"base": base, "column": base[:, 1], "transposed": base.t(), "again": base})
    back["base"][0, 1] = 9
    assert back["column"].tolist() == [9, 4] and back["transposed"].stride() == (1, 3)
    assert back["transposed"].tolist() == [[0, 3], [9, 4], [2, 5]] and back["again"] is back["base"]


def test_a_flipped_view_is_saved_as_a_copy() -> None:
    assert _through_memory(lg.arange(4).flip(0)).tolist() == [3, 2, 1, 0]


def test_views_of_other_elements_are_saved_as_copies() -> None:
    z = lg.tensor([1 + 2j, 3 - 4j])
    views = {"conj": z.conj(), "imag": z.imag[1:], "neg": z.conj().imag, "bits": z.view(lg.int32)}
    back = _through_memory({"z": z, **views})
    assert back["z"].tolist() == z.tolist() and back["conj"].tolist() == z.conj().tolist()
    assert back["imag"].tolist() == [-4] and back["neg"].tolist() == [-2, 4]
    assert back["bits"].tolist() == z.view(lg.int32).tolist()


def test_modules_and_their_state() -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    state = _through_memory(model.state_dict())
    other = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    other.load_state_dict(state)
    x = lg.ones(4, 3)
    assert other.eval()(x).tolist() == model.eval()(x).tolist()
    whole = _through_memory(model, weights_only=False)
    assert isinstance(whole[0].weight, nn.Parameter) and whole(x).tolist() == model(x).tolist()
    with pytest.raises(pickle.UnpicklingError, match="weights_only=False"):
        _through_memory(model)


def test_code_in_a_file_is_not_run() -> None:
    class Malicious:
        def __reduce__(self) -> Any:
            return exec, ("raise SystemExit",)

    with pytest.raises(pickle.UnpicklingError, match=r"__builtin__\.exec"):
        _through_memory(Malicious())


def test_map_location() -> None:
    seen = []

    def chosen(storage: Any, location: str) -> Any:
        seen.append(location)
        return storage.cpu()

    tensor = lg.ones(2)
    assert _through_memory(tensor, map_location=chosen).tolist() == [1, 1] and seen == ["cpu"]
    for location in ("cpu", lg.device("cpu"), {"cuda:0": "cpu"}):
        assert _through_memory(tensor, map_location=location).tolist() == [1, 1]
    with pytest.raises(TypeError, match="map_location is a device"):
        _through_memory(tensor, map_location=3)
    with pytest.raises(RuntimeError, match="map_location='cpu'"):
        _through_memory(tensor, map_location={"cpu": "cuda:0"})


def test_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.pt"
    lg.save(lg.ones(2), path)
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        lg.save({"tensor": lg.zeros(2), "function": lambda: 0}, path)
    assert lg.load(path).tolist() == [1, 1] and len(list(tmp_path.iterdir())) == 1


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "file.pt").write_bytes(b"")
    (tmp_path / "file.pt").chmod(0o600)
    (tmp_path / "latest.pt").symlink_to("file.pt")
    lg.save(lg.ones(2), tmp_path / "latest.pt")
    assert (tmp_path / "latest.pt").is_symlink() and lg.load(tmp_path / "file.pt").tolist() == [1, 1]
    assert (tmp_path / "file.pt").stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    lg.save(lg.ones(2), tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    reader.join()
    assert lg.load(io.BytesIO(read[0])).tolist() == [1, 1]


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    with pytest.raises(RuntimeError, match="not an archive"):
        lg.load(tmp_path / "text")
    with pytest.raises(FileNotFoundError):
        lg.load(tmp_path / "nothing")
    with pytest.raises(EOFError):
        lg.load(io.BytesIO())
    for function in (lg.load, lambda file: lg.save(lg.ones(2), file)):
        with pytest.raises(AttributeError, match="a path or a file"):
            function(None)  # type: ignore[arg-type]
    for path in (tmp_path, tmp_path / "nothing" / "file.pt"):
        with pytest.raises(RuntimeError, match="folder"):
            lg.save(lg.ones(2), path)


class TestBesidePyTorch:
    torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

    @pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
    def test_torch_reads_our_files(self, dtype: lg.dtype) -> None:
        file = io.BytesIO()
        base = lg.tensor([[0, 1, 2], [3, 0, 5]]).to(dtype)
        lg.save({"base": base, "view": base.t()[1:], "dtype": dtype, "parameter": nn.Parameter(lg.ones(2))}, file)
        file.seek(0)
        back = self.torch.load(file)
        assert back["base"].tolist() == base.tolist() and back["view"].tolist() == base.t()[1:].tolist()
        assert back["view"].stride() == (1, 3) and back["view"].storage_offset() == 1
        assert back["dtype"] is getattr(self.torch, dtype.name)
        assert isinstance(back["parameter"], self.torch.nn.Parameter)

    def test_we_read_conjugates_of_torch(self) -> None:
        file = io.BytesIO()
        z = self.torch.tensor([1 + 2j, 3 - 4j])
        self.torch.save({"z": z, "conj": z.conj()}, file)
        file.seek(0)
        back = lg.load(file)
        assert back["conj"].tolist() == [1 - 2j, 3 + 4j] and back["z"].tolist() == [1 + 2j, 3 - 4j]
        file = io.BytesIO()
        self.torch.save(z.conj().imag, file)
        file.seek(0)
        assert lg.load(file).tolist() == [-2, 4]

    def test_we_read_torch_files(self) -> None:
        model = self.torch.nn.Sequential(self.torch.nn.Linear(3, 2), self.torch.nn.BatchNorm1d(2))
        optimizer = self.torch.optim.Adam(model.parameters())
        model(self.torch.ones(4, 3)).sum().backward()
        optimizer.step()
        file = io.BytesIO()
        half = self.torch.arange(3, dtype=self.torch.bfloat16)
        self.torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "half": half[1:]}, file)
        file.seek(0)
        back = lg.load(file)
        ours = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
        ours.load_state_dict(back["model"])
        x = [[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]
        expected = model.eval()(self.torch.tensor(x)).tolist()
        assert lg.allclose(ours.eval()(lg.tensor(x)), lg.tensor(expected))
        assert back["half"].dtype is lg.bfloat16 and back["half"].tolist() == [1, 2]
        lg.optim.Adam(ours.parameters()).load_state_dict(back["optimizer"])
