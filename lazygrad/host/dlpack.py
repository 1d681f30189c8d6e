"""DLPack's capsules: made for other libraries, and read.

Source: dlpack.h of DLPack 1.1. Its first form of a tensor, without versions, all libraries understand; the second has
flags that say whether the memory may be written to.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir import dtype as dtypes
from lazygrad.ir.dtype import DType


class DLDeviceType(IntEnum):
    """The kinds of devices that DLPack numbers."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


CPU, CUDA = DLDeviceType.kDLCPU, DLDeviceType.kDLCUDA
_CODES = {  # kind and bits
    **{getattr(dtypes, f"int{bits}"): (0, bits) for bits in (8, 16, 32, 64)},
    **{getattr(dtypes, f"uint{bits}"): (1, bits) for bits in (8, 16, 32, 64)},
    **{getattr(dtypes, f"float{bits}"): (2, bits) for bits in (16, 32, 64)},
    dtypes.bfloat16: (4, 16),
    **{getattr(dtypes, f"complex{bits}"): (5, bits) for bits in (64, 128)},
    dtypes.bool_: (6, 8),
    dtypes.float8_e4m3fn: (10, 8),
    dtypes.float8_e4m3fnuz: (11, 8),
    dtypes.float8_e5m2: (12, 8),
    dtypes.float8_e5m2fnuz: (13, 8),
    dtypes.float8_e8m0fnu: (14, 8),
}
_DTYPES = {code: dtype for dtype, code in _CODES.items()}
_OLD, _VERSIONED = b"dltensor", b"dltensor_versioned"
_IS_READ_ONLY, _IS_COPIED = 1, 2  # flags


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_ordinal", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))
    flags = 0


class _VersionedManaged(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_FORMS: dict[bytes, Any] = {_OLD: _Managed, _VERSIONED: _VersionedManaged}
_READ = {name: b"used_" + name for name in _FORMS}  # capsules keep the pointers to these names
_api = ctypes.pythonapi
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _api)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _api))
# The destructor is given a bare pointer: a new reference to a dying object would have it die again.
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_is_named = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_exported: dict[int, tuple[Any, ...]] = {}  # what a capsule refers to, by its address, until its deleter is called


class Shared(NamedTuple):
    """Memory of another library.

    Attributes:
        address: of the first element.
        dtype, shape, strides: of the elements; strides count elements.
        ordinal: of the device.
        owner: keeps the memory as long as it lives.
        device_type: of the device.
        is_read_only: whether its owner lets nobody write to it.
    """

    address: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    ordinal: int
    owner: Any
    device_type: int = CUDA
    is_read_only: bool = False


def capsule_of(memory: Shared) -> Any:
    """A capsule that keeps the owner of memory on a CUDA device until its reader lets go of it."""
    count, managed = len(memory.shape), _Managed()
    shape, strides = (ctypes.c_int64 * count)(*memory.shape), (ctypes.c_int64 * count)(*memory.strides)
    pointers = [ctypes.cast(each, ctypes.POINTER(ctypes.c_int64)) for each in (shape, strides)]
    device = (CUDA, memory.ordinal)
    managed.tensor = _Tensor(memory.address, *device, count, *_CODES[memory.dtype], 1, *pointers, 0)
    managed.deleter = _let_go
    address = ctypes.addressof(managed)
    _exported[address] = managed, shape, strides, memory.owner
    return _new_capsule(address, _OLD, ctypes.cast(_unread, ctypes.c_void_p))


def capsule_of_array(array: np.ndarray, dtype: DType, max_version: tuple[int, int] | None, is_copied: bool) -> Any:
    """Numpy's capsule over an array, of a dtype that numpy may have no code for.

    Args:
        array: what is shared.
        dtype: of its elements.
        max_version: the last version of DLPack that the reader understands; None is that before versions.
        is_copied: whether the array was made for the reader.

    Raises:
        BufferError: the array may not be written to, which the form without versions cannot say.
    """
    options: dict[str, Any] = {"max_version": (1, 0)} if max_version is not None and max_version[0] >= 1 else {}
    if dtype is dtypes.bfloat16 or dtype.is_float8:
        array = array.view(f"u{dtype.itemsize}")
    capsule = array.__dlpack__(**options)
    _, managed = _contents(capsule)
    managed.tensor.kind, managed.tensor.bits = _CODES[dtype]
    if options and is_copied:
        managed.flags |= _IS_COPIED
    return capsule


@_Deleter
def _let_go(managed: Any) -> None:
    _exported.pop(managed, None)


@_Destructor
def _unread(capsule: int) -> None:
    """What nobody has read is let go of with the capsule."""
    if _is_named(capsule, _OLD):
        get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
        _exported.pop(get(capsule, _OLD), None)


class _Owner:
    """Calls the deleter of what was read."""

    def __init__(self, managed: Any) -> None:
        self._managed = managed

    def __del__(self) -> None:
        if self._managed.deleter:
            self._managed.deleter(ctypes.addressof(self._managed))


def _contents(capsule: Any) -> tuple[bytes, Any]:
    """The name of a capsule that nobody has read, and the structure that it points to."""
    for name, form in _FORMS.items():
        if type(capsule).__name__ == "PyCapsule" and _is_named(id(capsule), name):
            return name, form.from_address(_pointer(capsule, name))
    raise RuntimeError(
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
        "have already constructed a tensor from it once."
    )


def read_capsule(capsule: Any) -> Shared:
    """What a capsule refers to, which is then ours.

    Raises:
        BufferError: a dtype or a version that there is not.
        RuntimeError: it is no capsule of DLPack, or was read before.
    """
    name, managed = _contents(capsule)
    if name is _VERSIONED and managed.major > 1:
        raise BufferError(f"DLPack: version {managed.major}.{managed.minor} of a tensor is not understood")
    tensor = managed.tensor
    dtype = _DTYPES.get((tensor.kind, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        raise BufferError(f"DLPack: no dtype for kind {tensor.kind} of {tensor.bits} bits in {tensor.lanes} lanes")
    shape = tuple(tensor.shape[: tensor.dimensions])
    strides = tuple(tensor.strides[: tensor.dimensions]) if tensor.strides else row_major(shape)
    _rename(capsule, _READ[name])
    address, is_read_only = (tensor.data or 0) + tensor.offset, bool(managed.flags & _IS_READ_ONLY)
    place = tensor.device_type, is_read_only
    return Shared(address, dtype, shape, strides, tensor.device_ordinal, _Owner(managed), *place)


class _Described:
    """Memory as numpy reads it; arrays over it keep this object."""

    def __init__(self, memory: Shared) -> None:
        size = memory.dtype.itemsize
        stored = to_numpy(memory.dtype)
        self.__array_interface__ = {
            "version": 3,
            "data": (memory.address, memory.is_read_only),
            "shape": memory.shape,
            "strides": tuple(stride * size for stride in memory.strides),
            "typestr": stored.str if stored.isbuiltin == 1 else f"<u{size}",
        }
        self.owner = memory.owner


def array_over(memory: Shared) -> np.ndarray:
    """An array over memory of the host."""
    if 0 in memory.shape:
        return np.empty(memory.shape, to_numpy(memory.dtype))
    return np.asarray(_Described(memory)).view(to_numpy(memory.dtype))


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of elements that lie one behind the other."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
