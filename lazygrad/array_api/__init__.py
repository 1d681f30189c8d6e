"""``lazygrad.array_api``: the functions of the Python array API standard, for libraries written against it.

``tensor.__array_namespace__()`` is this module. PyTorch's functions, which `lazygrad` has, differ from the standard in
names, keywords, promotion and in what some return; those of this module have the standard's signatures and rules. What
the standard does not name is not here. Standard: https://data-apis.org/array-api/2025.12/.
"""

from __future__ import annotations

import sys
from math import e, inf, nan, pi
from types import ModuleType
from typing import Any

from lazygrad.array_api import fft, linalg
from lazygrad.array_api.creation import *
from lazygrad.array_api.dtypes import *
from lazygrad.array_api.elementwise import *
from lazygrad.array_api.info import *
from lazygrad.array_api.manipulation import *
from lazygrad.array_api.order import *
from lazygrad.array_api.products import *
from lazygrad.array_api.reductions import *
from lazygrad.array_api.sets import *
from lazygrad.ir.dtype import bool_ as bool
from lazygrad.ir.dtype import complex64, complex128, float32, float64, int8, int16, int32, int64, uint8
from lazygrad.ops.arguments.registering import method
from lazygrad.tensor import Tensor

__array_api_version__ = "2025.12"
newaxis = None

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


@method("__array_namespace__")
def _namespace(self: Tensor, /, *, api_version: str | None = None) -> ModuleType:
    """This module, for libraries written against the array API standard.

    Raises:
        ValueError: a version of the standard that is not known.
    """
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f"unknown version of the array API standard {api_version!r}; known: {', '.join(_VERSIONS)}")
    return sys.modules[__name__]


@method()
def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The array API's name of ``to(device)``."""
    moved: Tensor = self.to(device=device)
    return moved
