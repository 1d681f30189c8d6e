"""A file of safetensors that is open: its tensors are parts of the mapped file, made when they are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import bool_
from lazygrad.ops.objects.conversion import to
from lazygrad.safetensors.header import Entry, SafetensorError, header_length, parsed
from lazygrad.tensor import Tensor

_TENSORS, _ARRAYS = ("pt", "torch", "pytorch"), ("np", "numpy")


def array_in(content: np.ndarray, entry: Entry) -> np.ndarray:
    """A tensor of a file as an array over the file's bytes, or a copy of what is not aligned there."""
    stored = to_numpy(entry.dtype)
    found: Any = content[entry.begin : entry.end]
    if found.ctypes.data % stored.itemsize:
        found = found.copy()
    if entry.dtype is bool_ and (found > 1).any():  # any other byte than 0 and 1 is no boolean to numpy or C
        np.not_equal(found, 0, out=found.view(np.bool_))
    return np.asarray(found.view(stored).reshape(entry.shape))


class safe_open:
    """A file whose tensors are read one by one; also a context manager, which closes it.

    Args:
        filename: a path.
        framework: ``"pt"`` for tensors, ``"np"`` for numpy arrays.
        device: where tensors go.
        backend: ``"mmap"`` and ``"pread"`` are accepted; the file is mapped.

    Raises:
        FileNotFoundError: no such file.
        SafetensorError: not such a file, or another framework.
    """

    def __init__(
        self,
        filename: str | os.PathLike[str],
        framework: str,
        device: Device | str | int = "cpu",
        *,
        backend: str = "mmap",
    ) -> None:
        if framework not in _TENSORS + _ARRAYS:
            raise SafetensorError(f"framework {framework} is invalid: it is 'pt' or 'np'")
        if backend not in ("mmap", "pread"):
            raise SafetensorError(f"backend {backend} is invalid: it is 'mmap' or 'pread'")
        self._framework, self._device = framework, device
        if not os.path.exists(filename):
            raise FileNotFoundError(f"No such file or directory: {os.fspath(filename)}")
        with open(filename, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = header_length(file.read(8), size)
            self._entries, self._metadata = parsed(file.read(length), size)
            self._content: np.ndarray | None = np.asarray(np.memmap(file, np.uint8, "c"))

    def __enter__(self) -> safe_open:
        return self

    def __exit__(self, *_: object) -> None:
        self._content = None

    def keys(self) -> list[str]:
        """The names of the tensors, sorted."""
        return sorted(self._entries)

    def offset_keys(self) -> list[str]:
        """The names of the tensors in the order of their bytes."""
        return list(self._entries)

    def metadata(self) -> dict[str, str] | None:
        """The texts that the file has besides, None if there are none."""
        return None if self._metadata is None else dict(self._metadata)

    def get_tensor(self, name: str) -> Any:
        """A tensor. What is written to it does not reach the file.

        Raises:
            SafetensorError: there is none of this name, or the file is closed.
        """
        return self._made(self._array(name))

    def get_tensors(self, names: Iterable[str]) -> dict[str, Any]:
        """Several tensors by name."""
        return {name: self.get_tensor(name) for name in names}

    def get_slice(self, name: str) -> Slice:
        """A tensor of which parts can be taken.

        Raises:
            SafetensorError: see `get_tensor`.
        """
        self._array(name)
        return Slice(self, name, self._entries[name])

    def _array(self, name: str) -> np.ndarray:
        if self._content is None:
            raise SafetensorError("File is closed")
        if name not in self._entries:
            raise SafetensorError(f"File does not contain tensor {name}")
        return array_in(self._content, self._entries[name])

    def _made(self, array: np.ndarray) -> Any:
        return array if self._framework in _ARRAYS else placed(array, self._device)


class Slice:
    """A tensor of an open file, of which parts are taken by indexing."""

    def __init__(self, file: safe_open, name: str, entry: Entry) -> None:
        self._file, self._name, self._entry = file, name, entry

    def get_shape(self) -> list[int]:
        """Its shape."""
        return list(self._entry.shape)

    def get_dtype(self) -> str:
        """The name of its dtype in the file, such as ``"F32"``."""
        return self._entry.code

    def __getitem__(self, index: Any) -> Any:
        return self._file.get_tensor(self._name)[index]


def placed(array: np.ndarray, device: Device | str | int) -> Tensor:
    """The tensor over an array, or its copy on another device."""
    return to(Tensor.from_array(array, CPU, shared=False), device)
