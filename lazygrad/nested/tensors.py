"""Tensors of different sizes kept together."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import Layout, strided
from lazygrad.left_out import stand_in
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.public import empty, stack
from lazygrad.ops.shapes.padding import pad
from lazygrad.tensor import Tensor

__all__ = ["NestedTensor"]

_INSTEAD = "call unbind() and compute with its tensors, or with to_padded_tensor(padding)"


class NestedTensor:
    """Tensors with as many dimensions each, whose sizes may differ. It is no `Tensor`: nothing computes with it.

    Args:
        tensors: the components, of one dtype, on one device.
        is_leaf: whether the components were made for it.
    """

    is_nested = True
    layout: Layout = strided
    _instead = _INSTEAD

    def __init__(self, tensors: Sequence[Tensor], is_leaf: bool) -> None:
        self._tensors, self.is_leaf = tuple(tensors), is_leaf

    @property
    def dtype(self) -> DType:
        return self._tensors[0].dtype if self._tensors else get_default_dtype()

    @property
    def device(self) -> Device:
        return self._tensors[0].device if self._tensors else CPU

    @property
    def requires_grad(self) -> bool:
        return any(tensor.requires_grad for tensor in self._tensors)

    @property
    def grad(self) -> NestedTensor | None:
        """The gradients of the components; None where there are none."""
        grads = [tensor.grad for tensor in self._tensors if tensor.grad is not None]
        return NestedTensor(grads, True) if grads and len(grads) == len(self._tensors) else None

    @property
    def ndim(self) -> int:
        return self.dim()

    def dim(self) -> int:
        """The dimensions of a component, and one that counts components."""
        return 1 + (self._tensors[0].dim() if self._tensors else 0)

    def size(self, dim: int | None = None) -> int:
        """The size of a dimension.

        Raises:
            RuntimeError: components differ in it, or no dimension is named.
            IndexError: it is not there.
        """
        if dim is None:
            raise RuntimeError("a nested tensor has no sizes as a whole; ask size(dim), or the tensors of unbind()")
        count = self.dim()
        if not -count <= dim < count:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})"
            )
        if dim % count == 0:
            return len(self._tensors)
        sizes = {tensor.shape[dim % count - 1] for tensor in self._tensors}
        if len(sizes) > 1:
            raise RuntimeError(f"Given dimension {dim % count} is irregular and does not have a size.")
        return int(sizes.pop())

    def numel(self) -> int:
        """How many elements all components have."""
        return sum(tensor.numel() for tensor in self._tensors)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """The components. RuntimeError: a dimension other than 0."""
        if dim != 0:
            raise RuntimeError(f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead.")
        return self._tensors

    def to_padded_tensor(self, padding: float, output_size: Sequence[int] | None = None) -> Tensor:
        """The components in one tensor, each filled up behind its end.

        Args:
            padding: what is put there.
            output_size: the shape; by default the smallest that holds all.

        Raises:
            RuntimeError: a shape that is too small or has another number of dimensions.
        """
        shapes = [tensor.shape for tensor in self._tensors]
        least = (len(shapes), *(max(sizes) for sizes in zip(*shapes, strict=True)))
        if not shapes:
            return empty(0) if output_size is None else empty(tuple(output_size)).fill_(padding)
        chosen = tuple(output_size) if output_size is not None else least
        if len(chosen) != len(least):
            raise RuntimeError("Length of output_size does not match NestedTensor dims. Broadcasting is not supported.")
        if any(size < needed for size, needed in zip(chosen, least, strict=True)):
            raise RuntimeError(
                "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
            )
        whole = stack([_filled(tensor, chosen[1:], padding) for tensor in self._tensors])
        return _filled(whole, chosen, padding)

    def to(self, *args: Any, **kwargs: Any) -> NestedTensor:
        """The components as `Tensor.to` gives them."""
        return NestedTensor([tensor.to(*args, **kwargs) for tensor in self._tensors], self.is_leaf)

    def clone(self) -> NestedTensor:
        """Copies of the components, through which gradients flow."""
        return NestedTensor([tensor.clone() for tensor in self._tensors], not self.requires_grad)

    def detach(self) -> NestedTensor:
        """The components without their history."""
        return NestedTensor([tensor.detach() for tensor in self._tensors], True)

    def __len__(self) -> int:
        return len(self._tensors)

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self._tensors)

    def __getitem__(self, index: Any) -> Tensor:
        """A component, or a part of one: ``x[1]``, ``x[1, 0]``. NotImplementedError: an index of another kind."""
        first, *rest = index if isinstance(index, tuple) else (index,)
        if not isinstance(first, int):
            stand_in("an index of nested tensors that is no number", self._instead)()
        if not -len(self) <= first < len(self):
            raise IndexError(f"index {first} is out of bounds for dimension 0 with size {len(self)}")
        found = self._tensors[first]
        return found[tuple(rest)] if rest else found

    def __repr__(self) -> str:
        parts = [textwrap.indent(repr(tensor), "  ") for tensor in self._tensors]
        suffix = ", requires_grad=True" if self.requires_grad and self.is_leaf else ""
        return "nested_tensor([\n" + ",\n".join(parts) + f"\n]{suffix})"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"lazygrad has no {name!r} of nested tensors: {self._instead}")

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> NoReturn:
        stand_in(f"{getattr(function, '__name__', 'function')} of nested tensors", cls._instead)()


def _filled(tensor: Tensor, shape: Sequence[int], padding: float) -> Tensor:
    missing = [size - own for size, own in zip(shape, tensor.shape, strict=True)]
    widths = [width for size in reversed(missing) for width in (0, size)]
    return pad(tensor, widths, value=padding) if any(missing) else tensor
