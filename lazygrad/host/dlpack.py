"""DLPack's capsules of memory that is no array: made for other libraries, and read.

Source: dlpack.h of DLPack 1.0, whose first form of a tensor, without versions, all libraries understand.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from lazygrad.ir import dtype as dtypes
from lazygrad.ir.dtype import DType

CUDA = 2
_CODES = {  # kind and bits
    **{getattr(dtypes, f"int{bits}"): (0, bits) for bits in (8, 16, 32, 64)},
    **{getattr(dtypes, f"uint{bits}"): (1, bits) for bits in (8, 16, 32, 64)},
    **{getattr(dtypes, f"float{bits}"): (2, bits) for bits in (16, 32, 64)},
    dtypes.bfloat16: (4, 16),
    **{getattr(dtypes, f"complex{bits}"): (5, bits) for bits in (64, 128)},
    dtypes.bool_: (6, 8),
}
_DTYPES = {code: dtype for dtype, code in _CODES.items()}
_NEW, _USED = b"dltensor", b"used_dltensor"


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


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))

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
        ordinal: of the CUDA device.
        owner: keeps the memory as long as it lives.
    """

    address: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    ordinal: int
    owner: Any


def capsule_of(memory: Shared) -> Any:
    """A capsule that keeps the owner of memory on a CUDA device until its reader lets go of it.

    Raises:
        BufferError: DLPack has no code for the dtype.
    """
    if memory.dtype not in _CODES:
        raise BufferError(f"DLPack has no code for {memory.dtype.name}")
    count, managed = len(memory.shape), _Managed()
    shape, strides = (ctypes.c_int64 * count)(*memory.shape), (ctypes.c_int64 * count)(*memory.strides)
    pointers = [ctypes.cast(each, ctypes.POINTER(ctypes.c_int64)) for each in (shape, strides)]
    device = (CUDA, memory.ordinal)
    managed.tensor = _Tensor(memory.address, *device, count, *_CODES[memory.dtype], 1, *pointers, 0)
    managed.deleter = _let_go
    address = ctypes.addressof(managed)
    _exported[address] = managed, shape, strides, memory.owner
    return _new_capsule(address, _NEW, ctypes.cast(_unread, ctypes.c_void_p))


@_Deleter
def _let_go(managed: Any) -> None:
    _exported.pop(ctypes.addressof(managed.contents), None)


@_Destructor
def _unread(capsule: int) -> None:
    """What nobody has read is let go of with the capsule."""
    if _is_named(capsule, _NEW):
        get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
        _exported.pop(get(capsule, _NEW), None)


class _Owner:
    """Calls the deleter of what was read."""

    def __init__(self, managed: Any) -> None:
        self._managed = managed

    def __del__(self) -> None:
        if self._managed.deleter:
            self._managed.deleter(ctypes.pointer(self._managed))


def read_capsule(capsule: Any) -> Shared:
    """What a capsule refers to, which is then ours.

    Raises:
        BufferError: not memory of a CUDA device, or a dtype that there is not.
    """
    managed = _Managed.from_address(_pointer(capsule, _NEW))
    tensor: Any = managed.tensor
    if tensor.device_type != CUDA:
        raise BufferError(f"DLPack: memory of device type {tensor.device_type} is not that of a CUDA device")
    dtype = _DTYPES.get((tensor.kind, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        raise BufferError(f"DLPack: no dtype for kind {tensor.kind} of {tensor.bits} bits in {tensor.lanes} lanes")
    shape = tuple(tensor.shape[: tensor.dimensions])
    strides = tuple(tensor.strides[: tensor.dimensions]) if tensor.strides else row_major(shape)
    _rename(capsule, _USED)
    address = (tensor.data or 0) + tensor.offset
    return Shared(address, dtype, shape, strides, tensor.device_ordinal, _Owner(managed))


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of elements that lie one behind the other."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
