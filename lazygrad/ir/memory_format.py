"""The orders in which the dimensions of a tensor can lie in memory, and the kinds of storage, by PyTorch's names."""

from __future__ import annotations

from lazygrad.ir.spoken_name import spoken
from lazygrad.ir.view import View


class _Name:
    """A constant that prints as ``lazygrad.name``; there is one object per name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return spoken(self.name)

    def __reduce__(self) -> str | tuple[object, ...]:
        return _named, (self.name,)


class MemoryFormat(_Name):
    """An order of dimensions in memory.

    Attributes:
        name: PyTorch's.
        axes: the dimensions from the outermost to the innermost, or None where the tensor decides.
    """

    __slots__ = ("axes",)

    def __init__(self, name: str, axes: tuple[int, ...] | None = None) -> None:
        super().__init__(name)
        self.axes = axes

    def order(self, view: View) -> tuple[int, ...]:
        """The dimensions of a tensor like ``view`` from the outermost to the innermost.

        Raises:
            RuntimeError: a number of dimensions for which the format is not defined.
        """
        if self is preserve_format:
            return memory_order(view)
        if self.axes is None:
            return tuple(range(len(view.shape)))
        if len(view.shape) != len(self.axes):
            raise RuntimeError(f"required rank {len(self.axes)} tensor to use {self.name} format, but the tensor has "
                               f"{len(view.shape)} dimensions")  # fmt: skip
        return self.axes

    def describes(self, view: View) -> bool:
        """Whether the elements of ``view`` lie in this order without gaps."""
        if self.axes is None:
            return view.is_contiguous
        return len(view.shape) == len(self.axes) and view.permute(self.axes).is_contiguous


class Layout(_Name):
    """A kind of storage: strided memory, or coordinates of the elements that are not zero."""

    __slots__ = ()


contiguous_format = MemoryFormat("contiguous_format")
preserve_format = MemoryFormat("preserve_format")
channels_last = MemoryFormat("channels_last", (0, 2, 3, 1))
channels_last_3d = MemoryFormat("channels_last_3d", (0, 2, 3, 4, 1))

strided = Layout("strided")
sparse_coo = Layout("sparse_coo")
sparse_csr = Layout("sparse_csr")
sparse_csc = Layout("sparse_csc")
sparse_bsr = Layout("sparse_bsr")
sparse_bsc = Layout("sparse_bsc")
jagged = Layout("jagged")  # of nested tensors

_BY_NAME: dict[str, _Name] = {
    constant.name: constant
    for constant in (
        *(contiguous_format, preserve_format, channels_last, channels_last_3d),
        *(strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged),
    )
}


def _named(name: str) -> _Name:
    return _BY_NAME[name]


def memory_order(view: View) -> tuple[int, ...]:
    """The dimensions from the one with the largest stride to the one with the smallest.

    Row-major where elements are repeated, since there the order says nothing.
    """
    rank = len(view.shape)
    if View.contiguous(view.shape).strides == view.strides or view.overlaps:
        return tuple(range(rank))
    # Among equal strides a dimension of size 1 lies inside: its stride is the product of what lies further inside.
    return tuple(sorted(range(rank), key=lambda axis: (-abs(view.strides[axis]), -view.shape[axis])))
