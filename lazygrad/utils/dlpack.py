"""``torch.utils.dlpack``: memory of tensors as DLPack capsules, and tensors over such memory."""

from __future__ import annotations

from typing import Any

from lazygrad.ops.creation.sharing import from_dlpack
from lazygrad.tensor import Tensor

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule over the tensor's memory, of version 1, which says that it may be written to; for one consumer.

    Raises:
        BufferError: the tensor requires grad, its dtype has no DLPack code, or it is on neither the CPU nor CUDA.
    """
    return tensor.__dlpack__(max_version=(1, 0))
