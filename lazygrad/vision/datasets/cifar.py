"""Small color images of things: 32 × 32, in pickled arrays."""

from __future__ import annotations

import os
import pickle
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from lazygrad.vision.datasets.utils import check_integrity, download_and_extract_archive
from lazygrad.vision.datasets.vision import Transform, VisionDataset

__all__ = ["CIFAR10", "CIFAR100"]


class CIFAR10(VisionDataset):
    """Images of ten classes: 50,000 to learn from, 10,000 to test with.

    Args:
        root: a folder; the files are below ``cifar-10-batches-py`` in it.
        train: which of the two.
        transform, target_transform: of image and class.
        download: fetch what is not there.

    Attributes:
        data: the images, an array of bytes of shape [count, 32, 32, 3].
        targets: their classes, a list.

    Raises:
        RuntimeError: the files are not there or not those that were published.
    """

    base_folder = "cifar-10-batches-py"
    url = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    filename = "cifar-10-python.tar.gz"
    tgz_md5 = "c58f30108f718f92721af3b95e74349a"
    train_list: ClassVar[list[list[str]]] = [
        ["data_batch_1", "c99cafc152244af753f735de768cd75f"],
        ["data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"],
        ["data_batch_3", "54ebc095f3ab1f0389bbae665268c751"],
        ["data_batch_4", "634d18415352ddfa80567beed471001a"],
        ["data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"],
    ]
    test_list: ClassVar[list[list[str]]] = [["test_batch", "40351d587109b95175f43aff81a1287e"]]
    meta: ClassVar[dict[str, str]] = {
        "filename": "batches.meta",
        "key": "label_names",
        "md5": "5ff9c542aee3614f3951f8cda6e48888",
    }

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
            raise RuntimeError("Dataset not found or corrupted. You can use download=True to download it")
        entries = [self._read(name) for name, _ in (self.train_list if train else self.test_list)]
        planes = np.concatenate([entry["data"] for entry in entries]).reshape(-1, 3, 32, 32)
        self.data = planes.transpose(0, 2, 3, 1)
        self.targets = [label for entry in entries for label in (entry.get("labels") or entry["fine_labels"])]
        self.classes: list[str] = self._read(self.meta["filename"])[self.meta["key"]]
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}

    def _read(self, name: str) -> dict[str, Any]:
        with open(os.path.join(self.root, self.base_folder, name), "rb") as file:
            # Pickles run what they name: these have the checksums of those that were published.
            found: dict[str, Any] = pickle.load(file, encoding="latin1")
        return found

    def _is_there(self) -> bool:
        files = [*self.train_list, *self.test_list, [self.meta["filename"], self.meta["md5"]]]
        return all(check_integrity(os.path.join(self.root, self.base_folder, name), md5) for name, md5 in files)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        return self.transformed(Image.fromarray(self.data[index]), self.targets[index])

    def __len__(self) -> int:
        return len(self.data)

    def download(self) -> None:
        """Fetches and unpacks the archive.

        Raises:
            OSError, RuntimeError: it cannot be fetched, or is not the one that was published.
        """
        if not self._is_there():
            download_and_extract_archive(self.url, self.root, filename=self.filename, md5=self.tgz_md5)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


class CIFAR100(CIFAR10):
    """Images of a hundred classes. See `CIFAR10`; the files are below ``cifar-100-python``."""

    base_folder = "cifar-100-python"
    url = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
    filename = "cifar-100-python.tar.gz"
    tgz_md5 = "eb9058c3a382ffc7106e4002c42a8d85"
    train_list: ClassVar[list[list[str]]] = [["train", "16019d7e3df5f24257cddd939b257f8d"]]
    test_list: ClassVar[list[list[str]]] = [["test", "f0ef6b0ae62326f3e7ffdfab6717acfc"]]
    meta: ClassVar[dict[str, str]] = {
        "filename": "meta",
        "key": "fine_label_names",
        "md5": "7973b15100ade9c7d40fb424638fde48",
    }
