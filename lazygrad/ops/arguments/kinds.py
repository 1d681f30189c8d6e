"""The kinds of arguments that many functions take, for annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, Scalar
from lazygrad.tensor import Tensor

Operand = Tensor | Scalar | np.ndarray | np.generic  # what arithmetic takes beside a tensor
Dim = int | Sequence[int] | None  # which axes; None for all
Sizes = SupportsIndex | Sequence[SupportsIndex]  # each of ``*sizes``: several integers, or one sequence of them
Tensors = Tensor | Sequence[Tensor]  # each of ``*tensors``: several tensors, or one sequence of them
DTypeLike = DType | type  # a dtype, or the Python type of numbers that stands for one
DeviceLike = Device | str | int  # a device, its name, or the ordinal of a CUDA one
