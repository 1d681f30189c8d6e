"""Dictionaries of tensors and modules in files of safetensors: the functions of ``safetensors.torch``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from lazygrad.ir.device import Device
from lazygrad.nn.core.module import Module
from lazygrad.safetensors.header import header_length, ordered_names, parsed, written
from lazygrad.safetensors.opened import array_in, placed, safe_open
from lazygrad.saving.destination import destination
from lazygrad.tensor import Tensor

__all__ = ["load", "load_file", "load_model", "save", "save_file", "save_model", "storage_ptr", "storage_size"]


def save_file(
    tensors: Mapping[str, Tensor], filename: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> None:
    """Write tensors by name to a file, which is replaced when everything is written.

    Args:
        tensors: dense and contiguous ones that share no memory.
        filename: a path.
        metadata: texts to put beside them.

    Raises:
        ValueError: not a dict of tensors, or a tensor that is sparse or not contiguous.
        RuntimeError: tensors that share memory.
        SafetensorError: a dtype that the format does not have.
    """
    parts = _parts(tensors, metadata)
    with destination(filename) as file:
        for part in parts:
            file.write(part)


def save(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> bytes:
    """The content of a file as `save_file` writes it."""
    return b"".join(_parts(tensors, metadata))


def load_file(
    filename: str | os.PathLike[str], device: Device | str | int = "cpu", *, backend: str = "mmap"
) -> dict[str, Tensor]:
    """The tensors of a file by name: parts of the mapped file, see `safe_open`.

    Raises:
        FileNotFoundError: no such file.
        SafetensorError: no file of safetensors, or a damaged one.
    """
    with safe_open(filename, "pt", device, backend=backend) as file:
        return file.get_tensors(file.offset_keys())


def load(data: bytes) -> dict[str, Tensor]:
    """The tensors in the content of a file.

    Raises:
        SafetensorError: see `load_file`.
    """
    length = header_length(data[:8], len(data))
    entries, _ = parsed(bytes(data[8 : 8 + length]), len(data))
    content = np.frombuffer(data, np.uint8).copy()
    return {name: placed(array_in(content, entry), "cpu") for name, entry in entries.items()}


def save_model(
    model: Module,
    filename: str | os.PathLike[str],
    metadata: Mapping[str, str] | None = None,
    force_contiguous: bool = True,
) -> None:
    """Write a module's ``state_dict``; of tensors that share memory one, under the name that is sorted first.

    Args:
        model: the module.
        filename: a path.
        metadata: texts to put beside the tensors; the names that are left out are added to them.
        force_contiguous: write contiguous copies where need be, instead of refusing.

    Raises:
        RuntimeError: of tensors that share memory none is the whole of it.
        ValueError: a tensor that is not contiguous.
    """
    state = model.state_dict()
    for kept, others in _repeated(state).items():
        metadata = {**dict.fromkeys(others, kept), **(metadata or {})}
        for name in others:
            del state[name]
    save_file({name: x.contiguous() if force_contiguous else x for name, x in state.items()}, filename, metadata)


def load_model(
    model: Module,
    filename: str | os.PathLike[str],
    strict: bool = True,
    device: Device | str | int = "cpu",
    *,
    backend: str = "mmap",
) -> tuple[set[str], list[str]]:
    """Load a module's ``state_dict`` from a file of `save_model`.

    Args:
        model: the module.
        filename: a path.
        strict: whether names that are missing or unexpected are an error.
        device: where the tensors are read to.
        backend: see `safe_open`.

    Returns:
        The names that are missing and those that are unexpected.

    Raises:
        RuntimeError: such names, with ``strict``; shapes that differ.
    """
    state = load_file(filename, device, backend=backend)
    repeated = _repeated(model.state_dict(), preferred=state.keys())
    found = model.load_state_dict(state, strict=False)
    missing, unexpected = set(found.missing_keys), list(found.unexpected_keys)
    for others in repeated.values():
        unexpected += [name for name in others if name not in missing]
        missing -= set(others)
    if strict and (missing or unexpected):
        error = f"Error(s) in loading state_dict for {type(model).__name__}:"
        for kind, names in (("Missing", missing), ("Unexpected", unexpected)):
            if names:
                error += f"\n    {kind} key(s) in state_dict: " + ", ".join(f'"{name}"' for name in sorted(names))
        raise RuntimeError(error)
    return missing, unexpected


def _parts(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None) -> list[bytes | memoryview]:
    _check(tensors)
    names = ordered_names({name: tensor.dtype for name, tensor in tensors.items()})
    arrays = [np.ascontiguousarray(tensors[name].detach().cpu().array()) for name in names]
    about = [(name, tensors[name].dtype, tuple(tensors[name].shape)) for name in names]
    contents: list[Any] = [array.reshape(-1).view(np.uint8) for array in arrays]
    return [written(about, metadata), *[memoryview(content) for content in contents]]


def _check(tensors: Mapping[str, Tensor]) -> None:
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, lazygrad.Tensor] but received {type(tensors)}")
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"a name of a tensor is a str, not {type(name).__name__}")
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected lazygrad.Tensor but received {type(tensor)}")
    sparse = [name for name, tensor in tensors.items() if tensor.is_sparse]
    if sparse:
        raise ValueError(f"You are trying to save a sparse tensors: `{sparse}` which this library does not support. "
                         f"You can make it a dense tensor before saving with `.to_dense()`")  # fmt: skip
    shared = [names for names in _sharing(tensors) if len(names) > 1]
    if shared:
        raise RuntimeError(f"Some tensors share memory, this will lead to duplicate memory on disk and potential "
                           f"differences when loading them again: {shared}. A potential way to correctly save your "
                           f"model is to use `save_model`.")  # fmt: skip
    for name, tensor in tensors.items():
        if not tensor.is_contiguous():
            raise ValueError(f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. Call "
                             f"`.contiguous()` on it before saving.")  # fmt: skip


def _sharing(tensors: Mapping[str, Tensor]) -> Iterator[list[str]]:
    """The names of tensors that overlap, sorted; those that overlap with none stand alone."""
    by_storage: dict[int, list[tuple[int, int, str]]] = {}
    for name, tensor in tensors.items():
        if tensor.numel():
            begin, end = _extent(tensor)
            by_storage.setdefault(id(tensor._storage), []).append((begin, end, name))
    for extents in by_storage.values():
        extents.sort()
        names, reached = [extents[0][2]], extents[0][1]
        for begin, end, name in extents[1:]:
            if begin >= reached:
                yield sorted(names)
                names = []
            names.append(name)
            reached = max(reached, end)
        yield sorted(names)


def _extent(tensor: Tensor) -> tuple[int, int]:
    """The first and behind the last byte of a tensor in its storage."""
    view = tensor.view_of_storage()
    last = sum((size - 1) * stride for size, stride in zip(view.shape, view.strides, strict=True))
    return view.offset * tensor.dtype.itemsize, (view.offset + last + 1) * tensor.dtype.itemsize


def _repeated(tensors: Mapping[str, Tensor], preferred: Iterable[str] = ()) -> dict[str, list[str]]:
    """For each group of tensors that share memory, the name to keep and the others."""
    found = {}
    wanted = set(preferred)
    for names in _sharing(tensors):
        if len(names) == 1:
            continue
        whole = [name for name in names if tensors[name].nbytes == tensors[name].untyped_storage().nbytes()]
        if not whole:
            raise RuntimeError(f"Error while trying to find names to remove to save state dict, but found no suitable "
                               f"name to keep for saving amongst: {names}. None is covering the entire storage. "
                               f"Refusing to save/load the model since you could be storing much more memory than "
                               f"needed.")  # fmt: skip
        kept = min([name for name in whole if name in wanted] or whole)
        found[kept] = [name for name in names if name != kept]
    return found


def storage_ptr(tensor: Tensor) -> int:
    """The address of the memory that ``tensor`` shares with its views."""
    address: int = tensor.untyped_storage().data_ptr()
    return address


def storage_size(tensor: Tensor) -> int:
    """How many bytes ``tensor`` and its views share."""
    size: int = tensor.untyped_storage().nbytes()
    return size
