"""``torch.utils.dlpack``: memory of tensors as DLPack capsules, and tensors over such memory."""

from __future__ import annotations

from typing import Any

from lazygrad.host.dlpack import DLDeviceType
from lazygrad.ops.creation.sharing import from_dlpack
from lazygrad.tensor import Tensor

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule over the tensor's memory, of the form without versions that all libraries know; for one reader.

    Raises:
        BufferError: the tensor's memory does not hold its elements, or it is on neither the CPU nor CUDA.
    """
    return tensor.detach().__dlpack__()
