"""Tensors stored as coordinates: the places of elements that are not zero, and their values.

A `SparseTensor` is an object of the frontend. It holds two ordinary tensors, and all it does is recorded on them:
lookups, scattered sums, and products of gathered rows. So gradients reach the values, and what is computed with them
is planned and fused like anything else. Only how many places there are must be known, so functions that merge places
compute the places first.
"""

from __future__ import annotations

from math import prod
from typing import Any, NoReturn

from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import DType, bool_, int64
from lazygrad.ir.memory_format import Layout, sparse_coo
from lazygrad.ir.node import Node
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.indexing.brackets import index_put
from lazygrad.ops.indexing.masking import nonzero
from lazygrad.ops.indexing.scattering import index_add
from lazygrad.ops.objects.conversion import type_name
from lazygrad.ops.reductions.sets import unique
from lazygrad.ops.shapes.joining import stack
from lazygrad.size import Size, as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import TensorBase
from lazygrad.torch_function import left_alone


class SparseTensor(Tensor):
    """A tensor whose elements are zero except at some places. Made by `sparse_coo_tensor` and `Tensor.to_sparse`.

    The first ``sparse_dim()`` dimensions are named by coordinates, shape (sparse_dim, nnz); the other dimensions belong
    to the values, shape (nnz, …). A place may occur more than once, then its values add up.
    """

    _places: Tensor
    _entries: Tensor
    _size: Size
    _merged: bool
    __torch_function__ = staticmethod(left_alone)

    def __new__(cls, indices: Tensor, values: Tensor, size: tuple[int, ...], coalesced: bool = False) -> SparseTensor:
        """``values`` at ``indices``, which are not checked; ``coalesced`` when they are sorted and distinct."""
        made: SparseTensor = TensorBase.__new__(cls)
        made._places, made._entries, made._size = indices, values, Size(size)
        made._merged = coalesced or indices.shape[1] < 2
        return made

    def like(self, values: Tensor) -> SparseTensor:
        """Other values at the same places."""
        return SparseTensor(self._places, values, self._size, self._merged)

    def _without_places(self, size: tuple[int, ...]) -> SparseTensor:
        """A tensor of this dtype and device, with as many dimensions of the values, that is zero everywhere."""
        split = len(size) - self.dense_dim()
        values = zeros((0, *size[split:]), dtype=self.dtype, device=self.device)
        return SparseTensor(zeros(split, 0, dtype=int64, device=self.device), values, size, coalesced=True)

    # What it says about itself.

    def node(self) -> Node:
        """There is none: what has no sparse form ends here.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("this function is not implemented for sparse tensors; call .to_dense() first")

    def array(self) -> NoReturn:
        """See `numpy`. TypeError."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def view_of_storage(self) -> NoReturn:
        """A sparse tensor has no strides. NotImplementedError."""
        raise NotImplementedError("sparse tensors have no storage and no strides; call .to_dense() first")

    _storage = _chain = _detached = property(view_of_storage)

    def __getitem__(self, index: Any) -> Tensor:
        """One element per leading dimension taken away, for integers.

        Raises:
            NotImplementedError: another index.
            IndexError: out of range.
        """
        index = index if isinstance(index, tuple) else (index,)
        if not all(type(number) is int for number in index) or len(index) > self.sparse_dim():
            raise NotImplementedError("sparse tensors are indexed by integers only; call .to_dense() first")
        found: Any = self.coalesce()
        for number in index:
            found = found._select(number)
        return found

    def _select(self, number: int) -> Tensor:
        size = self._size[0]
        if not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for dimension 0 with size {size}")
        kept = nonzero(self._places[0] == number % size)[:, 0]
        if self.sparse_dim() == 1:
            found = self._entries[kept]
            element: Tensor = found.any(0) if self.dtype is bool_ else found.sum(0, dtype=self.dtype)
            return element
        return SparseTensor(self._places[1:, kept], self._entries[kept], self._size[1:])

    @property
    def shape(self) -> Size:
        return self._size

    def _sizes(self) -> Size:
        return self._size

    @property
    def ndim(self) -> int:
        return len(self._size)

    @property
    def dtype(self) -> DType:
        return self._entries.dtype

    @property
    def device(self) -> Device:
        return self._entries.device

    @property
    def layout(self) -> Layout:
        """`sparse_coo`."""
        return sparse_coo

    @property
    def is_sparse(self) -> bool:
        """True."""
        return True

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """False: there is no memory to be in order."""
        return False

    def sparse_dim(self) -> int:
        """How many dimensions are named by coordinates."""
        return self._places.shape[0]

    def dense_dim(self) -> int:
        """How many dimensions belong to the values."""
        return self._entries.ndim - 1

    def _nnz(self) -> int:
        """How many values are stored."""
        return self._places.shape[1]

    def _indices(self) -> Tensor:
        """The coordinates as they are stored, int64, shape (sparse_dim, nnz)."""
        return self._places

    def _values(self) -> Tensor:
        """The values as they are stored, shape (nnz, …)."""
        return self._entries

    def indices(self) -> Tensor:
        """The coordinates, sorted and distinct, int64, shape (sparse_dim, nnz).

        Raises:
            RuntimeError: the tensor is not coalesced.
        """
        self._require_coalesced("indices")
        return self._places

    def values(self) -> Tensor:
        """The values at `indices`, shape (nnz, …). RuntimeError: the tensor is not coalesced."""
        self._require_coalesced("values")
        return self._entries

    def _require_coalesced(self, what: str) -> None:
        if not self._merged:
            raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")

    def is_coalesced(self) -> bool:
        """Whether each place occurs once and the places are known to be sorted."""
        return self._merged

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """``'lazygrad.sparse.FloatTensor'``; with ``dtype``, the tensor cast to it."""
        if dtype is None:
            return type_name(self.dtype).replace(".", ".sparse.", 1)
        return self.to(getattr(dtype, "dtype", dtype))

    # Other forms.

    def flat_places(self) -> Tensor:
        """Each place as one number: its position in the sparse dimensions, row-major."""
        number = zeros(self._nnz(), dtype=self._places.dtype, device=self._places.device)
        for axis, size in enumerate(self._size[: self.sparse_dim()]):
            number = number * size + self._places[axis]
        return number

    def coalesce(self) -> SparseTensor:
        """Sorted, with the values of a place that occurs several times added up; itself where that is so already."""
        if self._merged:
            return self
        flat, which = unique(self.flat_places(), return_inverse=True)
        return SparseTensor(self.places_of(flat), self._added_up(which, flat.shape[0]), self._size, coalesced=True)

    def _added_up(self, rows: Tensor, count: int) -> Tensor:
        """The values added up in ``count`` rows, as ``rows`` says which goes where; a row without one is zero."""
        total = zeros((count, *self._entries.shape[1:]), dtype=self.dtype, device=self.device)
        if self.dtype is bool_:
            return index_put(total, (rows,), self._entries, accumulate=True)
        return index_add(total, 0, rows, self._entries)

    def places_of(self, flat: Tensor) -> Tensor:
        """The coordinates, shape (sparse_dim, n), of positions as `flat_places` numbers them."""
        rows, rest = [], flat
        for size in reversed(self._size[: self.sparse_dim()]):
            rows.append(rest % size)
            rest = rest // size
        return stack(rows[::-1]) if rows else zeros((0, flat.shape[0]), dtype=flat.dtype, device=flat.device)

    def to_dense(self, dtype: DType | None = None, *, masked_grad: bool | None = None) -> Tensor:
        """The same elements in memory, zeros included."""
        flat: Any = self._added_up(self.flat_places(), prod(self._size[: self.sparse_dim()]))
        dense = flat.reshape(self._size)
        return dense if dtype is None else dense.to(dtype)

    def to_sparse(self, sparse_dim: int | None = None, *, layout: Layout | None = None) -> SparseTensor:
        """The tensor itself.

        Raises:
            NotImplementedError: another layout, or another number of sparse dimensions.
        """
        if layout not in (None, sparse_coo) or sparse_dim not in (None, self.sparse_dim()):
            raise NotImplementedError("to_sparse: only the sparse_coo layout, with the same sparse dimensions")
        return self

    def to_sparse_coo(self) -> SparseTensor:
        """The tensor itself."""
        return self

    def clone(self, *, memory_format: Any = None) -> SparseTensor:
        """A copy of places and values, through which gradients flow."""
        return SparseTensor(self._places.clone(), self._entries.clone(), self._size, self._merged)

    def to(self, *args: Any, **kwargs: Any) -> SparseTensor:
        """The tensor with values of another dtype, or on another device; see `Tensor.to`."""
        values = self._entries.to(*args, **kwargs)
        if values is self._entries:
            return self
        return SparseTensor(self._places.to(values.device), values, self._size, self._merged)

    def type_as(self, other: Tensor) -> SparseTensor:
        """The tensor with values of ``other``'s dtype, on its device."""
        return self.to(other.device, other.dtype)

    def new_zeros(self, *size: Any, **options: Any) -> SparseTensor:
        """A sparse tensor of another size, without places; see `Tensor.new_zeros`."""
        made = self._without_places(as_shape(size))
        return made.to(**options) if options else made

    new_empty = new_zeros

    def sparse_resize_(self, size: Any, sparse_dim: int, dense_dim: int) -> SparseTensor:
        """Change the size; places and values stay.

        Raises:
            RuntimeError: other numbers of dimensions, or a smaller size, while there are places.
        """
        size = as_shape((size,))
        if self._nnz():
            if (sparse_dim, dense_dim) != (self.sparse_dim(), self.dense_dim()):
                raise RuntimeError("changing the number of sparse or dense dimensions of a non-empty sparse tensor is "
                                   "not supported")  # fmt: skip
            if any([new < old for new, old in zip(size, self._size, strict=False)]):
                raise RuntimeError("shrinking the size of a non-empty sparse tensor is not supported")
        if not self._nnz() or size[sparse_dim:] != tuple(self._size[sparse_dim:]):
            return self.sparse_resize_and_clear_(size, sparse_dim, dense_dim)
        self._size = Size(size)
        return self

    def sparse_resize_and_clear_(self, size: Any, sparse_dim: int, dense_dim: int) -> SparseTensor:
        """Change the size and drop all places. RuntimeError: numbers of dimensions that are not those of the size."""
        size = as_shape((size,))
        if len(size) != sparse_dim + dense_dim:
            raise RuntimeError(f"number of dimensions must be sparse_dim ({sparse_dim}) + dense_dim ({dense_dim}), but "
                               f"got {len(size)}")  # fmt: skip
        self._entries = zeros((0, *size[sparse_dim:]), dtype=self.dtype, device=self.device)
        self._places = zeros(sparse_dim, 0, dtype=int64, device=self.device)
        self._size, self._merged = Size(size), True
        return self

    def cpu(self, memory_format: Any = None) -> SparseTensor:
        """The tensor on the CPU, itself if it is there."""
        return self.to(CPU)

    # Gradients are those of the values.

    @property
    def requires_grad(self) -> bool:
        return self._entries.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> SparseTensor:
        """Make this leaf record gradients, or stop it; see `Tensor.requires_grad_`."""
        self._entries.requires_grad_(requires_grad)
        return self

    @property
    def is_leaf(self) -> bool:
        return self._entries.is_leaf

    @property
    def grad_fn(self) -> Any:
        """The operation that made the values; None for leaves."""
        return self._entries.grad_fn

    @property
    def grad(self) -> Tensor | None:
        """The gradient at the places of this tensor, a sparse one; None before ``backward``."""
        gradient = self._entries.grad
        return None if gradient is None else self.like(gradient)

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        self._entries.grad = value._entries if isinstance(value, SparseTensor) else value

    def detach(self) -> SparseTensor:
        """The same places and values, cut off from gradients."""
        return self.like(self._entries.detach())

    def detach_(self) -> SparseTensor:
        """Cut this tensor off from gradients."""
        self._entries = self._entries.detach()
        return self

    def _data(self) -> SparseTensor:
        """The same places and values without gradient."""
        return self.detach()

    def _set_data(self, value: Tensor) -> None:
        assert isinstance(value, SparseTensor)
        self._places, self._entries, self._merged = value._places, value._entries.detach(), value._merged
        self._size = value._size

    data = property(_data, _set_data)

    def backward(self, gradient: Any = None, *args: Any, **kwargs: Any) -> None:
        """Gradients from the values on; ``gradient`` is a sparse tensor with the same places."""
        weights = gradient._entries if isinstance(gradient, SparseTensor) else gradient
        self._entries.backward(weights, *args, **kwargs)

    __hash__ = Tensor.__hash__
