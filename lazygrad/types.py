"""``torch.types``: names for kinds of arguments, which programs write into the signatures of their functions."""

from __future__ import annotations

import os
from builtins import bool as _bool
from builtins import bytes as _bytes
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import IO, TypeAlias

from lazygrad.ir.device import Device as _device
from lazygrad.ir.dtype import DType as _dtype
from lazygrad.ir.memory_format import Layout as _layout
from lazygrad.left_out import stand_in
from lazygrad.ops.objects.storages import TypedStorage, UntypedStorage
from lazygrad.size import Size
from lazygrad.tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number: TypeAlias = int | float | bool
_Number = (int, float, bool)
Device: TypeAlias = _device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
Storage: TypeAlias = TypedStorage | UntypedStorage

_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_size: TypeAlias = Size | list[int] | tuple[int, ...]

# Numbers that are known only later are not there: no value is of these classes, and sizes are plain numbers.
SymInt, SymFloat, SymBool = py_sym_types = stand_in("SymInt"), stand_in("SymFloat"), stand_in("SymBool")
_symsize: TypeAlias = Size | Sequence[int]
IntLikeType: TypeAlias = int
FloatLikeType: TypeAlias = float
BoolLikeType: TypeAlias = bool
