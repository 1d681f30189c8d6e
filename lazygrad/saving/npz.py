"""Archives of numpy's arrays, ``.npz``, as dictionaries of tensors.

Source of the format: numpy's documentation of `numpy.lib.format`.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from math import prod
from typing import IO, Any

import numpy as np

from lazygrad.host.dtypes import from_numpy
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import bfloat16
from lazygrad.saving.destination import destination
from lazygrad.tensor import Tensor

_ENDING = ".npy"
_LARGEST_RATIO = 1032  # of the sizes before and after zlib's compression; source: zlib's technical details
_FORMS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_CHUNK = 1 << 20
_DIMENSIONS = 64  # as many as numpy knows


def save_npz(tensors: Mapping[str, Tensor], f: str | os.PathLike[str] | IO[bytes], *, compressed: bool = False) -> None:
    """Write tensors by name to a file that `numpy.load` reads.

    Args:
        tensors: by name.
        f: a path, whose file is replaced when everything is written, or a file open for writing bytes.
        compressed: make the file smaller, which takes longer.

    Raises:
        TypeError: a tensor of a dtype that numpy does not have, or what is no tensor.
        RuntimeError: a tensor without values; a path in a folder that does not exist.
    """
    arrays = {}
    for name, tensor in tensors.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise TypeError(f"save_npz: expected a tensor by its name, got {type(tensor).__name__} by {name!r:.80}")
        if tensor.dtype is bfloat16 or tensor.dtype.is_float8:
            raise TypeError(f"save_npz: numpy has no {tensor.dtype.name}, which {name!r:.80} has; cast it, or save its "
                            f"bytes, .view(lazygrad.uint8)")  # fmt: skip
        arrays[name] = tensor.detach().cpu().array()
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with destination(f) as file, zipfile.ZipFile(file, "w", method) as archive:
        for name, array in arrays.items():
            with archive.open(name + _ENDING, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)


def load_npz(f: str | os.PathLike[str] | IO[bytes]) -> dict[str, Tensor]:
    """The tensors of a file that `save_npz` or `numpy.savez` wrote, by name.

    Args:
        f: a path, or a file open for reading bytes.

    Raises:
        RuntimeError: no such archive, or a damaged one; an array that is not as large as its header says.
        TypeError: an array of a dtype that tensors do not have, such as text or Python objects.
    """
    with ExitStack() as stack:
        file = f if hasattr(f, "read") else stack.enter_context(open(f, "rb"))
        content = file if hasattr(file, "seek") else io.BytesIO(file.read())
        size = content.seek(0, os.SEEK_END)
        try:
            archive = stack.enter_context(zipfile.ZipFile(content))
            return _tensors_in(archive, size)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, struct.error, ValueError) as error:
            raise RuntimeError(
                f"load_npz: not an archive of numpy's arrays, or a damaged one: {error!s:.200}"
            ) from None


def _tensors_in(archive: zipfile.ZipFile, size: int) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    rest = size  # bytes of the file that no array has taken: records that lie over each other would take them twice
    for record in archive.infolist():
        name = record.filename.removesuffix(_ENDING)
        rest -= record.compress_size
        if not record.filename.endswith(_ENDING) or name in found or rest < 0:
            raise ValueError(f"it has a record {record.filename!r:.80} that there cannot be")
        if record.file_size > record.compress_size * _LARGEST_RATIO + _LARGEST_RATIO:
            raise ValueError(f"{name!r:.80} is longer than anything that is compressed so far")
        with archive.open(record) as stream:
            found[name] = Tensor.from_array(_array_of(name, stream, record.file_size), CPU, shared=False)
    return found


def _array_of(name: str, stream: IO[bytes], size: int) -> np.ndarray:
    form = np.lib.format.read_magic(stream)
    if form not in _FORMS:
        raise ValueError(f"{name!r:.80} is of version {form} of numpy's format")
    shape, is_fortran, dtype = _FORMS[form](stream)
    native = dtype.newbyteorder("=")
    if dtype.hasobject:
        raise TypeError(f"load_npz: {name!r:.80} holds Python objects, which no tensor does")
    from_numpy(native)  # refuses what no tensor has
    wanted = prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or len(shape) > _DIMENSIONS:
        raise ValueError(f"{name!r:.80} has no possible shape")
    if wanted != size - stream.tell():
        raise ValueError(f"{name!r:.80} has {size - stream.tell()} bytes, its header says {wanted}")
    content = bytearray()
    while part := stream.read(_CHUNK):
        content += part
    if len(content) != wanted:
        raise ValueError(f"{name!r:.80} ends too early")
    array: Any = np.frombuffer(content, dtype).astype(native, copy=False)
    made = array.reshape(shape[::-1]).T if is_fortran else array.reshape(shape)
    return np.ascontiguousarray(made).reshape(shape)
