"""Storages as objects: the memory that views share, element by element or byte by byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, uint8
from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import numel
from lazygrad.ir.spoken_name import spoken
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.arguments.options import device_option, placed
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.objects.conversion import TYPE_NAMES, type_name
from lazygrad.ops.shapes.layout import data_ptr
from lazygrad.ops.shapes.reshaping import reinterpreted
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor

__all__ = ["UntypedStorage", "TypedStorage", "is_storage"]


class _StorageObject:
    """What `UntypedStorage` and `TypedStorage` have in common. Two are equal when they are the same memory."""

    _storage: Storage

    @property
    def device(self) -> Device:
        """Where the memory is."""
        return self._storage.value.type.device

    def _whole(self) -> Tensor:
        """The memory as a vector of its own dtype, without gradient."""
        chain = ((movement.reshape, ((numel(self._storage.value.type.shape),),)),)
        return Tensor.from_storage(self._storage, chain, detached=True)

    def as_tensor(self, dtype: DType) -> Tensor:
        """A vector of all elements, read as ``dtype``, which shares the memory."""
        return reinterpreted(self._whole(), dtype)

    def _elements(self) -> Tensor:
        """The memory as this storage's elements."""
        return self.as_tensor(self.dtype)

    @property
    def dtype(self) -> DType:
        """Of the elements."""
        raise NotImplementedError

    def nbytes(self) -> int:
        """How many bytes the memory has."""
        return numel(self._storage.value.type.shape) * self._storage.value.type.dtype.itemsize

    def data_ptr(self) -> int:
        """The address of the first byte; computes the contents. 0 where there is none."""
        return data_ptr(self._whole()) if self.nbytes() else 0

    def size(self) -> int:
        """The number of elements."""
        return len(self)

    def __len__(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    def element_size(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: int | slice) -> Any:
        if not isinstance(index, (int, slice)):
            raise TypeError(f"can't index a storage with {type(index).__name__}")
        found: Any = self._elements()[index]
        return found.item() if isinstance(index, int) else around(type(self), found.clone())

    def __setitem__(self, index: int | slice, value: Any) -> None:
        elements: Any = self._elements()
        elements[index] = value

    def fill_(self, value: Any) -> Any:
        """Set all elements to one number; returns the storage."""
        self[:] = value
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> Any:
        """Set the elements to those of another storage of the same size; returns the storage."""
        self[:] = source._elements()
        return self

    def tolist(self) -> list[Any]:
        """All elements as Python numbers."""
        found: list[Any] = self._elements().tolist()
        return found

    def clone(self) -> Any:
        """A copy with memory of its own."""
        return around(type(self), self._whole().clone())

    def cpu(self) -> Any:
        """The storage itself, which is on the CPU."""
        return self

    def is_shared(self) -> bool:
        """Whether other processes share the memory; see `Tensor.share_memory_`."""
        return bool(self._whole().is_shared())

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is page-locked; see `Tensor.pin_memory`."""
        return bool(self._whole().is_pinned(device))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _StorageObject) and other._storage is self._storage

    def __hash__(self) -> int:
        return hash(self._storage)


class _StorageBase(_StorageObject):
    """PyTorch's name of the base of storages of bytes, which libraries ask for by ``isinstance``."""


class UntypedStorage(_StorageBase):
    """Memory as bytes.

    Args:
        source: how many bytes, zeros; or numbers from 0 to 255; or nothing.
        device: where.
    """

    def __init__(self, source: int | Sequence[int] = 0, *, device: Any = None) -> None:
        if isinstance(source, int):
            made = filled((source,), 0, uint8, device_option(device))
        else:
            made = placed(np.array(source, np.uint8), device_option(device))
        self._storage = made._storage

    @property
    def is_cuda(self) -> bool:
        """False: there are no CUDA devices."""
        return False

    @property
    def dtype(self) -> DType:
        """Of the elements: uint8."""
        return uint8

    def __repr__(self) -> str:
        lines = " " + "\n ".join(map(str, self.tolist())) + "\n"
        return f"{lines}[{spoken('storage.UntypedStorage')}(device={self.device}) of size {len(self)}]"


class _OfOneType(type):
    """The class of classes of storages; ``isinstance`` asks those of one dtype for the dtype and the device."""

    _of_type: DType | None = None
    _on: str = "cpu"

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls._of_type is None:
            return super().__instancecheck__(instance)
        is_typed = isinstance(instance, TypedStorage)
        return is_typed and instance.dtype is cls._of_type and instance.device.type == cls._on


class TypedStorage(_StorageObject, metaclass=_OfOneType):
    """Memory as elements of one dtype; what ``tensor.storage()`` returns.

    Args:
        source: how many elements, zeros; or the elements; or nothing.
        dtype: of the elements; the default dtype if left out.
        device: where.
        wrap_storage: share this memory instead, which must hold ``dtype``.
    """

    def __init__(
        self,
        source: int | Sequence[Any] = 0,
        *,
        dtype: DType | None = None,
        device: Any = None,
        wrap_storage: UntypedStorage | None = None,
    ) -> None:
        wanted = type(self)._of_type or dtype or get_default_dtype()
        device = "cuda" if device is None and type(self)._on == "cuda" else device
        if wrap_storage is not None:
            made = wrap_storage.as_tensor(wanted)
        elif isinstance(source, int):
            made = filled((source,), 0, wanted, device_option(device))
        else:
            made = placed(np.array(source).astype(to_numpy(wanted)), device_option(device))
        self._storage = made._storage

    @property
    def dtype(self) -> DType:
        """Of the elements."""
        return self._storage.value.type.dtype

    def type(self) -> str:
        """The name of the type, such as ``'lazygrad.FloatStorage'``."""
        return type_name(self.dtype).removesuffix("Tensor") + "Storage"

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return around(UntypedStorage, self)

    def __repr__(self) -> str:
        lines = " " + "\n ".join(map(str, self.tolist())) + "\n"
        facts = f"dtype={self.dtype!r}, device={self.device}"
        return f"{lines}[{spoken('storage.TypedStorage')}({facts}) of size {len(self)}]"


def _storage_types(module: str, on: str) -> dict[str, Any]:
    """`FloatStorage` and its kin by name, as a module has them for the devices of one type."""
    made = {}
    for dtype, of_tensor in TYPE_NAMES.items():
        name, doc = of_tensor.replace("Tensor", "Storage"), f"A `TypedStorage` of {dtype.name}."
        contents = {"_of_type": dtype, "_on": on, "__module__": module, "__doc__": doc}
        made[name] = _OfOneType(name, (TypedStorage,), contents)
    return made


_TYPES = _storage_types("lazygrad", "cpu")
CUDA_STORAGES = _storage_types("lazygrad.cuda", "cuda")
globals().update(_TYPES)
__all__ += _TYPES


def around(cls: type[Any], source: Tensor | _StorageObject) -> Any:
    """A storage object over the memory of a tensor or another storage object."""
    made = object.__new__(cls)
    made._storage = source._storage
    return made


@method()
def untyped_storage(input: Tensor) -> UntypedStorage:
    """The memory this tensor and its views share, as bytes."""
    found: UntypedStorage = around(UntypedStorage, input)
    return found


@method()
def storage(input: Tensor) -> TypedStorage:
    """The memory this tensor and its views share, as elements of its dtype."""
    found: TypedStorage = around(TypedStorage, input)
    return found


@method()
def storage_type(input: Tensor) -> type[TypedStorage]:
    """The class of storages of this dtype, such as `FloatStorage`; some dtypes have none of their own."""
    name = TYPE_NAMES.get(input.dtype, "TypedTensor").replace("Tensor", "Storage")
    found: type[TypedStorage] = globals()[name]
    return found


def is_storage(obj: Any) -> bool:
    """Whether ``obj`` is a storage object."""
    return isinstance(obj, _StorageObject)
