"""Handwritten digits, and collections of the same form: gray images of 28 × 28 in the IDX format."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from lazygrad.ir.dtype import int64
from lazygrad.ops.creation.sharing import from_numpy
from lazygrad.tensor import Tensor
from lazygrad.vision.datasets.utils import check_integrity, download_and_extract_archive
from lazygrad.vision.datasets.vision import Transform, VisionDataset

__all__ = ["KMNIST", "MNIST", "FashionMNIST"]

_IDX_DTYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def read_idx(path: Any) -> np.ndarray:
    """The array in a file of the IDX format (yann.lecun.com/exdb/mnist): two zeros, dtype, dimensions, sizes, values.

    Raises:
        ValueError: something else.
    """
    with open(path, "rb") as file:
        content = file.read()
    dtype, dimensions = content[2], content[3]
    if content[:2] != b"\0\0" or dtype not in _IDX_DTYPES:
        raise ValueError(f"{path} is not in the IDX format")
    shape = np.frombuffer(content, ">u4", dimensions, 4)
    values = np.frombuffer(content, _IDX_DTYPES[dtype], offset=4 + 4 * dimensions)
    if values.size != int(np.prod(shape, dtype=np.int64)):
        raise ValueError(f"{path} holds {values.size} values, not those of an array of {shape.tolist()}")
    return values.reshape(shape).astype(values.dtype.newbyteorder("="))


class MNIST(VisionDataset):
    """Handwritten digits: 60,000 images to learn from, 10,000 to test with.

    Args:
        root: a folder; the files are below ``MNIST/raw`` in it.
        train: which of the two.
        transform, target_transform: of image and class.
        download: fetch what is not there.

    Attributes:
        data: the images, bytes of shape [count, 28, 28].
        targets: their classes, int64.

    Raises:
        RuntimeError: the files are not there, or cannot be fetched.
    """

    mirrors: ClassVar[list[str]] = [
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "http://yann.lecun.com/exdb/mnist/",
    ]
    resources: ClassVar[list[tuple[str, str]]] = [
        ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    ]
    classes: ClassVar[list[str]] = [f"{digit} - {name}" for digit, name in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    )]  # fmt: skip
    data: Tensor
    targets: Tensor

    def __init__(
        self,
        root: Any,
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        if not self._is_there():
            raise RuntimeError("Dataset not found. You can use download=True to download it")
        split = "train" if train else "t10k"
        self.data = from_numpy(read_idx(os.path.join(self.raw_folder, f"{split}-images-idx3-ubyte")))
        self.targets = from_numpy(read_idx(os.path.join(self.raw_folder, f"{split}-labels-idx1-ubyte"))).to(int64)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        return self.transformed(Image.fromarray(self.data[index].numpy()), int(self.targets[index]))

    def __len__(self) -> int:
        return len(self.data)

    @property
    def raw_folder(self) -> str:
        """Where the files are."""
        return os.path.join(self.root, type(self).__name__, "raw")

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of each class by its name."""
        return {name: number for number, name in enumerate(self.classes)}

    def _is_there(self) -> bool:
        names = [name.removesuffix(".gz") for name, _ in self.resources]
        return all(check_integrity(os.path.join(self.raw_folder, name)) for name in names)

    def download(self) -> None:
        """Fetches the files from the first of the mirrors that has them.

        Raises:
            RuntimeError: none has.
        """
        if self._is_there():
            return
        for name, md5 in self.resources:
            errors = []
            for mirror in self.mirrors:
                try:
                    download_and_extract_archive(f"{mirror}{name}", self.raw_folder, filename=name, md5=md5)
                    break
                except (RuntimeError, OSError) as error:
                    errors.append(f"Tried {mirror}, got:\n{error}\n")
            else:
                raise RuntimeError(f"Error downloading {name}:\n{''.join(errors)}")

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


class FashionMNIST(MNIST):
    """Clothes in MNIST's form. See `MNIST`."""

    mirrors: ClassVar[list[str]] = ["http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"]
    resources: ClassVar[list[tuple[str, str]]] = [
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    ]
    classes: ClassVar[list[str]] = [
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"
    ]  # fmt: skip


class KMNIST(MNIST):
    """Japanese characters in MNIST's form. See `MNIST`."""

    mirrors: ClassVar[list[str]] = ["http://codh.rois.ac.jp/kmnist/dataset/kmnist/"]
    resources: ClassVar[list[tuple[str, str]]] = [
        ("train-images-idx3-ubyte.gz", "bdb82020997e1d708af4cf47b453dcf7"),
        ("train-labels-idx1-ubyte.gz", "e144d726b3acfaa3e44228e80efcd344"),
        ("t10k-images-idx3-ubyte.gz", "5c965bf0a639b31b8f53240b1b52f4d7"),
        ("t10k-labels-idx1-ubyte.gz", "7320c461ea6c1c855c0b718fb2a4b134"),
    ]
    classes: ClassVar[list[str]] = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]
