"""Datasets read the files they are published in, and fetch them: from a server on this machine."""

from __future__ import annotations

import gzip
import hashlib
import io
import pickle
import struct
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import lazygrad as lg
from lazygrad.vision import datasets, transforms
from lazygrad.vision.datasets import utils
from lazygrad.vision.datasets.mnist import read_idx
from lazygrad.vision.datasets.utils import check_integrity, download_url, extract_archive

RNG = np.random.default_rng(3)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Says nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address it is served at."""
    folder = tmp_path / "server"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()
        thread.join()


def md5(content: bytes) -> str:
    return hashlib.md5(content).hexdigest()


def idx(array: np.ndarray) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


def digits() -> dict[str, np.ndarray]:
    return {
        "train-images-idx3-ubyte": RNG.integers(0, 255, (6, 28, 28)).astype(np.uint8),
        "train-labels-idx1-ubyte": RNG.integers(0, 10, 6).astype(np.uint8),
        "t10k-images-idx3-ubyte": RNG.integers(0, 255, (3, 28, 28)).astype(np.uint8),
        "t10k-labels-idx1-ubyte": RNG.integers(0, 10, 3).astype(np.uint8),
    }


@pytest.mark.parametrize("kind", ["MNIST", "FashionMNIST", "KMNIST"])
def test_digits_are_fetched_checked_and_read(
    kind: str, server: tuple[Path, str], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, address = server
    arrays = digits()
    resources = []
    for name, array in arrays.items():
        content = gzip.compress(idx(array))
        (folder / f"{name}.gz").write_bytes(content)
        resources.append((f"{name}.gz", md5(content)))
    own = type(kind, (getattr(datasets, kind),), {"resources": resources, "mirrors": [f"{address}absent/", address]})
    root = tmp_path / "data"
    with pytest.raises(RuntimeError, match="You can use download=True"):
        own(root)
    train = own(root, download=True, transform=transforms.ToTensor())
    assert "100%" in capsys.readouterr().err
    assert len(train) == 6 and train.data.dtype == lg.uint8 and train.targets.dtype == lg.int64
    assert np.array_equal(train.data.numpy(), arrays["train-images-idx3-ubyte"])
    image, label = train[2]
    assert np.allclose(image.numpy()[0], arrays["train-images-idx3-ubyte"][2] / 255)
    assert label == arrays["train-labels-idx1-ubyte"][2] and type(label) is int
    (folder / "t10k-labels-idx1-ubyte.gz").unlink()  # what is there is not fetched again
    test = own(str(root), train=False, download=True, target_transform=lambda label: -label)
    assert [label for _, label in test] == (-arrays["t10k-labels-idx1-ubyte"].astype(int)).tolist()
    assert repr(test).splitlines()[1:4] == [
        "    Number of datapoints: 3",
        f"    Root location: {root}",
        "    Split: Test",
    ]
    assert test.class_to_idx[test.classes[3]] == 3 and len(test.classes) == 10


def test_what_is_not_what_was_published_does_not_stay(server: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = server
    (folder / "file.bin").write_bytes(b"other")
    with pytest.raises(RuntimeError, match="corrupted"):
        download_url(f"{address}file.bin", tmp_path / "there", md5=md5(b"wanted"))
    assert list((tmp_path / "there").iterdir()) == []
    with pytest.raises(OSError, match="404"):
        download_url(f"{address}absent.bin", tmp_path / "there")
    assert list((tmp_path / "there").iterdir()) == []
    download_url(f"{address}file.bin", tmp_path / "there", "own name", md5(b"other"))
    assert check_integrity(tmp_path / "there" / "own name", md5(b"other"))
    broken = type("MNIST", (datasets.MNIST,), {"mirrors": [address, f"{address}x/"]})
    with pytest.raises(RuntimeError, match=rf"Error downloading train-images[\s\S]*Tried {address}, got"):
        broken(tmp_path, download=True)


@pytest.mark.parametrize(("kind", "key"), [("CIFAR10", "labels"), ("CIFAR100", "fine_labels")])
def test_small_pictures_are_fetched_and_read(kind: str, key: str, server: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = server
    base = getattr(datasets, kind)
    names = [name for name, _ in [*base.train_list, *base.test_list]]
    files = {
        name: {"data": RNG.integers(0, 255, (2, 3072)).astype(np.uint8), key: RNG.integers(0, 9, 2).tolist()}
        for name in names
    }
    contents = {name: pickle.dumps(entry, protocol=2) for name, entry in files.items()}
    contents[base.meta["filename"]] = pickle.dumps({base.meta["key"]: ["a", "b"]})
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in contents.items():
            info = tarfile.TarInfo(f"{base.base_folder}/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    (folder / base.filename).write_bytes(packed.getvalue())
    own = type(kind, (base,), {
        "url": f"{address}{base.filename}", "tgz_md5": md5(packed.getvalue()),
        "train_list": [[name, md5(contents[name])] for name, _ in base.train_list],
        "test_list": [[name, md5(contents[name])] for name, _ in base.test_list],
        "meta": base.meta | {"md5": md5(contents[base.meta["filename"]])},
    })  # fmt: skip
    train = own(tmp_path, download=True)
    assert len(train) == 2 * len(base.train_list) and train.data.shape[1:] == (32, 32, 3)
    image, label = train[1]
    entry = files[base.train_list[0][0]]
    assert np.array_equal(np.asarray(image).transpose(2, 0, 1).ravel(), entry["data"][1]) and label == entry[key][1]
    assert train.class_to_idx == {"a": 0, "b": 1}
    assert own(tmp_path, train=False).targets == files[base.test_list[0][0]][key]
    (tmp_path / base.base_folder / base.train_list[0][0]).write_bytes(b"other")
    with pytest.raises(RuntimeError, match="not found or corrupted"):
        own(tmp_path)


def test_files_of_other_forms_are_refused(tmp_path: Path) -> None:
    (tmp_path / "no.idx").write_bytes(b"\0\1\x08\1\0\0\0\1x")
    (tmp_path / "short.idx").write_bytes(idx(np.zeros(3, np.uint8))[:-1])
    with pytest.raises(ValueError, match="not in the IDX format"):
        read_idx(tmp_path / "no.idx")
    with pytest.raises(ValueError, match="holds 2 values"):
        read_idx(tmp_path / "short.idx")
    with pytest.raises(RuntimeError, match="Unknown compression"):
        extract_archive(str(tmp_path / "no.idx"))


def pictures_in_folders(root: Path) -> None:
    for name in ("dog", "cat", "cat/deeper"):
        (root / name).mkdir(parents=True, exist_ok=True)
        for number in range(2):
            Image.fromarray(RNG.integers(0, 255, (5, 6, 3)).astype(np.uint8)).save(root / name / f"{number}.PNG")
    (root / "cat" / "notes.txt").write_text("no picture")


def test_folders_are_classes(tmp_path: Path) -> None:
    pictures_in_folders(tmp_path)
    found = datasets.ImageFolder(str(tmp_path), transforms.ToTensor())
    assert found.classes == ["cat", "dog"] and found.targets == [0, 0, 0, 0, 1, 1] and found.imgs is found.samples
    image, label = found[-1]
    assert image.shape == (3, 5, 6) and label == 1
    some = datasets.ImageFolder(tmp_path, is_valid_file=lambda path: path.endswith("1.PNG"))
    assert [Path(path).name for path, _ in some.samples] == ["1.PNG"] * 3
    texts = datasets.DatasetFolder(tmp_path, lambda path: Path(path).read_text(), (".txt",), allow_empty=True)
    assert len(texts) == 1 and texts[0] == ("no picture", 0)
    with pytest.raises(FileNotFoundError, match="Found no valid file for the classes dog"):
        datasets.DatasetFolder(tmp_path, str, (".txt",))
    with pytest.raises(FileNotFoundError, match="Couldn't find any class folder"):
        datasets.ImageFolder(tmp_path / "dog")


def test_as_torchvision_reads_them(tmp_path: Path, torchvision: Any) -> None:
    import torch
    import torchvision.datasets as theirs

    pictures_in_folders(tmp_path / "folders")
    ours_of, theirs_of = (module.ImageFolder(str(tmp_path / "folders")) for module in (datasets, theirs))
    assert ours_of.samples == theirs_of.samples and repr(ours_of) == repr(theirs_of)
    assert all(a[0].tobytes() == b[0].tobytes() for a, b in zip(ours_of, theirs_of, strict=True))
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for name, array in digits().items():
        (raw / name).write_bytes(idx(array))
    steps = [module.Compose([module.ToTensor()]) for module in (transforms, torchvision.transforms)]
    have, want = datasets.MNIST(str(tmp_path), transform=steps[0]), theirs.MNIST(str(tmp_path), transform=steps[1])
    assert repr(have) == repr(want) and have.classes == want.classes
    assert all(np.array_equal(a[0].numpy(), b[0].numpy()) and a[1] == b[1] for a, b in zip(have, want, strict=True))
    options = {"size": 3, "image_size": (3, 9, 8), "random_offset": 2}
    lg.manual_seed(7)
    torch.manual_seed(7)
    for (a, label), (b, expected) in zip(datasets.FakeData(**options), theirs.FakeData(**options), strict=True):
        assert a.tobytes() == b.tobytes() and label == expected
    assert lg.rand(2).tolist() == torch.rand(2).tolist()


def test_noise_is_the_same_each_time() -> None:
    found = datasets.FakeData(4, (1, 5, 5), 3, transforms.PILToTensor())
    lg.manual_seed(1)
    before = lg.get_rng_state()
    assert found[1][0].equal(found[1][0]) and not found[1][0].equal(found[2][0])
    assert lg.get_rng_state().equal(before)
    assert len([*found]) == 4
    loader = lg.data.DataLoader(found, batch_size=2, num_workers=1)
    assert [images.shape for images, _ in loader] == [(2, 1, 5, 5)] * 2


@pytest.mark.parametrize("has_filter", [True, False])
def test_an_archive_stays_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_filter: bool) -> None:
    if not has_filter:
        monkeypatch.delattr(tarfile, "data_filter", raising=False)  # as Python was before 3.11.4
    elif not hasattr(tarfile, "data_filter"):
        pytest.skip("this Python has no filter for archives")
    inside, outside = tmp_path / "inside.tar", tmp_path / "outside.tar"
    (tmp_path / "file").write_text("x")
    for path, name in ((inside, "folder/file"), (outside, "../evil")):
        with tarfile.open(path, "w") as archive:
            archive.add(tmp_path / "file", name)
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    extract_archive(inside, folder)
    assert (folder / "folder" / "file").read_text() == "x"
    with pytest.raises((RuntimeError, tarfile.TarError)):
        extract_archive(outside, folder)
    assert not (tmp_path / "a" / "evil").exists()


def test_what_other_datasets_ask_of_folders_and_arguments(
    server: tuple[Path, str], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, address = server
    (folder / "an_id").write_bytes(b"kept in a drive")
    monkeypatch.setattr(utils, "_DRIVE", address)
    utils.download_file_from_google_drive("an_id", tmp_path / "there", "data.zip", md5(b"kept in a drive"))
    assert utils.list_files(tmp_path / "there", ".zip") == ["data.zip"]
    assert utils.list_files(tmp_path / "there", ".tar") == utils.list_dir(tmp_path / "there") == []
    assert utils.list_dir(tmp_path, prefix=True) == [str(tmp_path / name) for name in utils.list_dir(tmp_path)]
    assert {*utils.list_dir(tmp_path)} == {"server", "there"}
    assert utils.verify_str_arg("train", "split", ("train", "test")) == utils.verify_str_arg("train") == "train"
    with pytest.raises(ValueError, match=r"Unknown value 'all' for argument split. Valid values are {train, test}."):
        utils.verify_str_arg("all", "split", ("train", "test"))
    with pytest.raises(ValueError, match="Expected type str for argument split, but got type <class 'int'>"):
        utils.verify_str_arg(3, "split")
