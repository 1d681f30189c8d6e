"""``lazygrad.array_api``: the functions of the Python array API standard, for libraries written against it.

``tensor.__array_namespace__()`` is this module. PyTorch's functions, which `lazygrad` has, differ from the standard in
names, keywords and in what some return, so they are wrapped where they do; what is the same is found in
`lazygrad.ops.public`. Standard: https://data-apis.org/array-api/2024.12/.
"""

from __future__ import annotations

import sys
from importlib import import_module
from math import e, inf, nan, pi
from types import ModuleType
from typing import Any

from lazygrad.array_api.creation import *
from lazygrad.array_api.dtypes import *
from lazygrad.array_api.manipulation import *
from lazygrad.array_api.order import *
from lazygrad.array_api.products import *
from lazygrad.array_api.reductions import *
from lazygrad.ir.dtype import bool_ as bool
from lazygrad.ir.dtype import complex64, complex128, float32, float64, int8, int16, int32, int64, uint8
from lazygrad.ops import public
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.public import bitwise_not as bitwise_invert
from lazygrad.tensor import Tensor

__array_api_version__ = "2024.12"
newaxis = None


def __getattr__(name: str) -> Any:
    if name in ("fft", "linalg"):
        return import_module(f"lazygrad.{name}")
    if not hasattr(public, name):
        raise AttributeError(f"module 'lazygrad.array_api' has no attribute {name!r}")
    return getattr(public, name)


@method("__array_namespace__")
def _namespace(self: Tensor, *, api_version: str | None = None) -> ModuleType:
    """This module, for libraries written against the array API standard."""
    return sys.modules[__name__]


@method()
def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The array API's name of ``to(device)``."""
    moved: Tensor = self.to(device=device)
    return moved
