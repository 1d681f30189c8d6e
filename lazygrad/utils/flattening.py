"""Several tensors as one vector and back, under the names programs import from ``torch._utils``."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.ops.shapes.joining import cat
from lazygrad.tensor import Tensor


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """All elements in one vector, in the order of ``tensors``, which have one dtype and device."""
    return cat([tensor.reshape(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of ``flat`` with the shapes of ``tensors``, one behind the other.

    Raises:
        RuntimeError: ``flat`` has fewer elements than they have.
    """
    parts, begin = [], 0
    for tensor in tensors:
        parts.append(flat.narrow(0, begin, tensor.numel()).view(tensor.shape))
        begin += tensor.numel()
    return tuple(parts)
