"""Names of ``torch.utils._foreach_utils`` that optimizers of others import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.tensor import Tensor

Indices = list[int]
TensorListList = list[list[Tensor | None]]
_Group = tuple[TensorListList, Indices]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Device, DType], _Group]:
    """The lists, cut into groups whose tensors in the first list share device and dtype, with their positions.

    Args:
        tensorlistlist: lists of equal length; the first holds tensors only.
        with_indices: whether positions are told.

    Raises:
        RuntimeError: lists of other lengths.
    """
    first = tensorlistlist[0]
    if any(len(each) not in (0, len(first)) for each in tensorlistlist):
        raise RuntimeError("the tensor lists must be empty or as long as the first one")
    groups: dict[tuple[Device, DType], _Group] = {}
    for position, tensor in enumerate(first):
        assert tensor is not None
        lists, indices = groups.setdefault((tensor.device, tensor.dtype), ([[] for _ in tensorlistlist], []))
        for group, each in zip(lists, tensorlistlist, strict=True):
            if each:
                group.append(each[position])
        if with_indices:
            indices.append(position)
    return groups


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cpu", "cuda"]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["cpu", "cuda"]


def _has_foreach_support(tensors: Sequence[Tensor], device: Any) -> bool:
    """Whether ``_foreach`` functions take the tensors: they take all."""
    return all(isinstance(tensor, Tensor) for tensor in tensors)


def _device_has_foreach_support(device: Any) -> bool:
    return True
