"""Nested tensors of the layout ``torch.jagged``: all components one after another in one tensor, and where each begins.

Programs compute with that tensor and put the offsets around the result again:
``nested_tensor_from_jagged(layer(x.values()), x.offsets())``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from lazygrad.ir.memory_format import Layout, jagged
from lazygrad.nested.tensors import NestedTensor
from lazygrad.ops.public import cat, tensor
from lazygrad.tensor import Tensor

__all__ = ["JaggedTensor", "joined"]


class JaggedTensor(NestedTensor):
    """Tensors whose sizes differ in one dimension, along which they lie one after another.

    Args:
        values: what they lie in.
        offsets: where each begins, and where the last one ends; a tensor of integers, or these.
        lengths: how long they are, where there are gaps between them.
        dim: the dimension of ``values`` along which they lie.
        is_leaf: whether ``values`` was made for it.

    Attributes:
        padded_length: how long components are made by padding; None for as long as the longest one.
    """

    padded_length: int | None = None

    layout: Layout = jagged
    _instead = (
        "compute with values(), and put offsets() around the result by nested_tensor_from_jagged; or call unbind()"
    )

    def __init__(
        self,
        values: Tensor,
        offsets: Tensor | Sequence[int],
        lengths: Tensor | None = None,
        dim: int = 0,
        is_leaf: bool = False,
    ) -> None:
        self._values, self._lengths, self._dim = values, lengths, dim
        self._offsets = offsets if isinstance(offsets, Tensor) else tensor(offsets, device=values.device)
        starts = offsets.tolist() if isinstance(offsets, Tensor) else list(offsets)
        sizes = [end - start for start, end in pairwise(starts)] if lengths is None else lengths.tolist()
        parts = [values.narrow(dim, start, size) for start, size in zip(starts, sizes, strict=False)]
        super().__init__(parts, is_leaf or not values.requires_grad)

    @property
    def requires_grad(self) -> bool:
        return self._values.requires_grad

    @property
    def grad(self) -> NestedTensor | None:
        """The gradients of the components; None where there are none."""
        found = self._values.grad
        return None if found is None else self._around(found, True)

    @property
    def ragged_dim(self) -> int:
        """The dimension of `values` along which the components lie."""
        return self._dim

    def values(self) -> Tensor:
        """All components in one tensor."""
        return self._values

    def offsets(self) -> Tensor:
        """Where each component begins, and where the last one ends."""
        return self._offsets

    def lengths(self) -> Tensor | None:
        """How long the components are, where there are gaps between them."""
        return self._lengths

    def is_contiguous(self) -> bool:
        """Whether there are no gaps."""
        return self._lengths is None

    def contiguous(self) -> JaggedTensor:
        """The components without gaps."""
        return self if self.is_contiguous() else joined(self._tensors)

    def to(self, *args: Any, **kwargs: Any) -> NestedTensor:
        return self._around(self._values.to(*args, **kwargs), self.is_leaf)

    def clone(self) -> NestedTensor:
        return self._around(self._values.clone(), False)

    def detach(self) -> NestedTensor:
        return self._around(self._values.detach(), True)

    def _around(self, values: Tensor, is_leaf: bool) -> JaggedTensor:
        places = [None if each is None else each.to(values.device) for each in (self._offsets, self._lengths)]
        assert places[0] is not None
        made = JaggedTensor(values, places[0], places[1], self._dim, is_leaf)
        made.padded_length = self.padded_length
        return made

    def to_padded_tensor(self, padding: float, output_size: Sequence[int] | None = None) -> Tensor:
        if output_size is None and self.padded_length is not None:
            sizes = list(self._values.shape)
            sizes[self._dim] = self.padded_length
            output_size = (len(self), *sizes)
        return super().to_padded_tensor(padding, output_size)

    def __repr__(self) -> str:
        sizes = [str(size) for size in self._values.shape]
        sizes[self._dim] = "j"  # it has no number
        suffix = ", requires_grad=True" if self.requires_grad and self.is_leaf else ""
        facts = f"offsets={self._offsets!r}, contiguous={self.is_contiguous()}"
        return f"NestedTensor(size=({', '.join([str(len(self)), *sizes])}), {facts}{suffix})"


def joined(tensors: Sequence[Tensor]) -> JaggedTensor:
    """Tensors one after another; gradients flow to them.

    Raises:
        RuntimeError: there are none; they have no dimensions, or different numbers of them; their sizes differ in more
            than one dimension.
    """
    if not tensors:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    if not tensors[0].dim():
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")
    if any(each.dim() != tensors[0].dim() for each in tensors):
        raise RuntimeError("When constructing a nested tensor, all tensors in list must have the same dim")
    ragged = [dim for dim, sizes in enumerate(zip(*(each.shape for each in tensors), strict=True)) if len({*sizes}) > 1]
    if len(ragged) > 1:
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note that the jagged layout "
            "only allows for a single ragged dimension. For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    dim = ragged[0] if ragged else 0
    offsets = list(accumulate([each.shape[dim] for each in tensors], initial=0))
    return JaggedTensor(cat(list(tensors), dim), offsets, dim=dim)
