"""The names PyTorch's files give to storages of each dtype."""

from __future__ import annotations

from lazygrad.ir.dtype import ALL_DTYPES
from lazygrad.ops.objects.conversion import TYPE_NAMES

STORAGE_NAMES = {dtype: f"{name.removesuffix('Tensor')}Storage" for dtype, name in TYPE_NAMES.items()}
STORAGE_DTYPES = {name: dtype for dtype, name in STORAGE_NAMES.items()}
DTYPE_NAMES = {dtype.name: dtype for dtype in ALL_DTYPES}
