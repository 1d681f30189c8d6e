"""``torch.nested``: tensors of different sizes kept together, to be padded or taken apart.

What PyTorch computes with them as a whole is not there. Those of the layout ``torch.jagged`` lie in one tensor, with
which programs compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import jagged, strided
from lazygrad.left_out import stand_in
from lazygrad.nested.joined_tensors import JaggedTensor, joined
from lazygrad.nested.tensors import NestedTensor
from lazygrad.ops.public import as_tensor, tensor
from lazygrad.tensor import Tensor

__all__ = [
    "NestedTensor", "as_nested_tensor", "masked_select", "narrow", "nested_tensor", "nested_tensor_from_jagged",
    "to_padded_tensor",
]  # fmt: skip


def nested_tensor(
    tensor_list: Sequence[Any] | Tensor,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> NestedTensor:
    """Copies of tensors, without their history.

    Args:
        tensor_list: tensors, or what `tensor` makes tensors of, with as many dimensions each.
        dtype, device: of all; those of the first by default.
        layout: `strided`, or `jagged`, which also takes apart a tensor.
        requires_grad: whether gradients are collected.
        pin_memory: accepted.

    Raises:
        TypeError: no list.
        RuntimeError: tensors with different numbers of dimensions; another layout.
    """
    is_jagged = _is_jagged(layout)
    given = tensor_list.unbind(0) if is_jagged and isinstance(tensor_list, Tensor) else tensor_list
    made = [each.detach().clone() if isinstance(each, Tensor) else tensor(each) for each in _checked(given)]
    if is_jagged:
        values = joined(_alike(made, dtype, device))
        values.values().requires_grad_(requires_grad)
        return JaggedTensor(values.values(), values.offsets(), dim=values.ragged_dim, is_leaf=True)
    _require_dimensions(made)
    common = [each.detach().requires_grad_(requires_grad) for each in _alike(made, dtype, device)]
    return NestedTensor(common, True)


def as_nested_tensor(
    ts: Tensor | Sequence[Tensor], dtype: DType | None = None, device: Any = None, layout: Any = None
) -> NestedTensor:
    """Tensors kept together; gradients flow to them.

    Args:
        ts: a list of tensors with as many dimensions each, or a tensor, which is taken apart along dimension 0.
        dtype, device, layout: see `nested_tensor`.

    Raises:
        TypeError: no list.
        RuntimeError: tensors with different numbers of dimensions; another layout.
    """
    is_jagged = _is_jagged(layout)
    parts = list(ts.unbind(0)) if isinstance(ts, Tensor) else _checked(ts)
    alike = _alike(parts, dtype, device)
    if is_jagged:
        return joined(alike)
    _require_dimensions(parts)
    return NestedTensor(alike, not any(each.requires_grad for each in alike))


def to_padded_tensor(
    input: NestedTensor, padding: float, output_size: Sequence[int] | None = None, out: Tensor | None = None
) -> Tensor:
    """`NestedTensor.to_padded_tensor`. NotImplementedError: an ordinary tensor."""
    if not isinstance(input, NestedTensor):
        stand_in("nested.to_padded_tensor of ordinary tensors", "they are padded by nn.functional.pad")()
    padded = input.to_padded_tensor(padding, output_size)
    return padded if out is None else out.copy_(padded)


def nested_tensor_from_jagged(
    values: Tensor,
    offsets: Tensor | None = None,
    lengths: Tensor | None = None,
    jagged_dim: int | None = None,
    min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> NestedTensor:
    """Components that lie one after another in a tensor; gradients flow to it.

    Args:
        values: the tensor.
        offsets: where each component begins, and where the last one ends; by default they have no gaps between them.
        lengths: how long they are; by default each ends where the next one begins.
        jagged_dim: along which dimension of the result they differ, 1 by default.
        min_seqlen: accepted.
        max_seqlen: how long components are made by padding, as the longest one by default. PyTorch's default there is
            the length of all.

    Raises:
        RuntimeError: neither offsets nor lengths.
        AssertionError: offsets that are no vector.
    """
    if offsets is None and lengths is None:
        raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
    if offsets is None:
        assert lengths is not None
        offsets, lengths = tensor([0, *accumulate(lengths.tolist())], device=lengths.device), None
    if offsets.dim() != 1:
        raise AssertionError(f"offsets must be 1D, but got {offsets.dim()}D")
    made = JaggedTensor(values, offsets, lengths, (1 if jagged_dim is None else jagged_dim) - 1)
    made.padded_length = max_seqlen
    return made


def narrow(tensor: Tensor, dim: int, start: int | Tensor, length: int | Tensor, layout: Any = strided) -> NestedTensor:
    """A part of each row of a tensor, along dimension 1.

    Args:
        tensor: of two dimensions or more.
        dim: 1.
        start, length: of the parts: numbers, or one for each row, for the layout `jagged`.
        layout: see `nested_tensor`.

    Raises:
        RuntimeError: another dimension; tensors for the layout `strided`.
    """
    if not _is_jagged(layout):
        if isinstance(start, Tensor) or isinstance(length, Tensor):
            raise RuntimeError("start and length must be integers for the strided layout NT impl")
        return as_nested_tensor([row.narrow(dim - 1, start, length) for row in tensor.unbind(0)])
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    rows, size = tensor.shape[:2]
    starts = start.tolist() if isinstance(start, Tensor) else [start] * rows
    lengths = length.tolist() if isinstance(length, Tensor) else [length] * rows
    places = [row * size + begin for row, begin in enumerate(starts)]
    offsets = [*places, places[-1] + lengths[-1]]
    return JaggedTensor(tensor.flatten(0, 1), offsets, as_tensor(lengths, device=tensor.device))


def masked_select(tensor: Tensor, mask: Tensor) -> NestedTensor:
    """What a mask picks of each row of a tensor, in the layout `jagged`.

    Args:
        tensor: the last dimension of which is the one that differs.
        mask: broadcast against it.
    """
    chosen = mask.expand(tensor.shape)
    counts = chosen.sum(-1).reshape(-1).tolist()
    return JaggedTensor(tensor.masked_select(chosen), list(accumulate(counts, initial=0)))


def _checked(tensors: Any) -> list[Any]:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    return list(tensors)


def _alike(tensors: Sequence[Tensor], dtype: DType | None, device: Any) -> list[Tensor]:
    """The tensors in one dtype, on one device."""
    return [
        each.to(device=tensors[0].device if device is None else device, dtype=dtype or tensors[0].dtype)
        for each in tensors
    ]


def _require_dimensions(tensors: Sequence[Tensor]) -> None:
    """Raises RuntimeError for tensors with different numbers of dimensions."""
    for number, each in enumerate(tensors):
        if each.dim() != tensors[0].dim():
            raise RuntimeError(
                "All Tensors given to nested_tensor must have the same dimension. Found dimension "
                f"{each.dim()} for Tensor at index {number} and dimension {tensors[0].dim()} for Tensor at index 0."
            )


def _is_jagged(layout: Any) -> bool:
    if layout is not None and layout not in (strided, jagged):
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")
    return layout is jagged
