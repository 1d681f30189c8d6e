"""``torch.nested``: tensors of different sizes kept together, to be padded or taken apart.

What PyTorch computes with them as a whole is not there, nor its second layout, ``torch.jagged``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import strided
from lazygrad.left_out import stand_in
from lazygrad.nested.tensors import NestedTensor
from lazygrad.ops.public import tensor
from lazygrad.tensor import Tensor

__all__ = [
    "NestedTensor", "as_nested_tensor", "masked_select", "narrow", "nested_tensor", "nested_tensor_from_jagged",
    "to_padded_tensor",
]  # fmt: skip

_INSTEAD = "there is no layout torch.jagged; nested_tensor(tensors) keeps them, and pads them"
masked_select = stand_in("nested.masked_select", _INSTEAD)
narrow = stand_in("nested.narrow", _INSTEAD)
nested_tensor_from_jagged = stand_in("nested.nested_tensor_from_jagged", _INSTEAD)


def nested_tensor(
    tensor_list: Sequence[Any],
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
        layout: `strided`.
        requires_grad: whether gradients are collected.
        pin_memory: accepted.

    Raises:
        TypeError: no list.
        RuntimeError: tensors with different numbers of dimensions; another layout.
    """
    _check_layout(layout)
    made = [
        (each.detach().clone() if isinstance(each, Tensor) else tensor(each)) for each in _checked(tensor_list)
    ]  # fmt: skip
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
    _check_layout(layout)
    parts = list(ts.unbind(0)) if isinstance(ts, Tensor) else _checked(ts)
    alike = _alike(parts, dtype, device)
    return NestedTensor(alike, not any(each.requires_grad for each in alike))


def to_padded_tensor(
    input: NestedTensor, padding: float, output_size: Sequence[int] | None = None, out: Tensor | None = None
) -> Tensor:
    """`NestedTensor.to_padded_tensor`. NotImplementedError: an ordinary tensor."""
    if not isinstance(input, NestedTensor):
        stand_in("nested.to_padded_tensor of ordinary tensors", "they are padded by nn.functional.pad")()
    padded = input.to_padded_tensor(padding, output_size)
    return padded if out is None else out.copy_(padded)


def _checked(tensors: Any) -> list[Any]:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    return list(tensors)


def _alike(tensors: Sequence[Tensor], dtype: DType | None, device: Any) -> list[Tensor]:
    """The tensors in one dtype, on one device."""
    for number, each in enumerate(tensors):
        if each.dim() != tensors[0].dim():
            raise RuntimeError(
                "All Tensors given to nested_tensor must have the same dimension. Found dimension "
                f"{each.dim()} for Tensor at index {number} and dimension {tensors[0].dim()} for Tensor at index 0."
            )
    return [
        each.to(device=tensors[0].device if device is None else device, dtype=dtype or tensors[0].dtype)
        for each in tensors
    ]


def _check_layout(layout: Any) -> None:
    if layout is not None and layout is not strided:
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")
