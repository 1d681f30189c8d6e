"""Making sparse tensors: from coordinates, from dense tensors, from diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from lazygrad.ir.dtype import Category, int64
from lazygrad.ir.memory_format import Layout, sparse_coo
from lazygrad.ops.arguments.creation_options import TensorOptions, chosen, takes_options
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.options import shape_option
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.indexing.masking import nonzero
from lazygrad.ops.pointwise.relational import ne
from lazygrad.size import as_shape
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor


@takes_options(TensorOptions)
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Sequence[int] | None = None,
    *,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
    **options: Unpack[TensorOptions],
) -> SparseTensor:
    """A tensor with ``values`` at ``indices`` and zeros elsewhere.

    Args:
        indices: integers, shape (sparse_dim, nnz); a place may occur more than once.
        values: shape (nnz, …), whose dimensions after the first are the last ones of the result.
        size: of the result; by default the smallest that contains all places.
        check_invariants: whether places must lie inside ``size``, and be what ``is_coalesced`` states.
        is_coalesced: states that the places are sorted and distinct.
        options: see `TensorOptions`.

    Raises:
        RuntimeError: numbers of places and values that differ, a size that does not fit them, a place outside it.
    """
    if values is None:
        return _empty(indices if size is None else size, options)
    places = tensor(indices) if not isinstance(indices, Tensor) else indices.detach()
    entries = values if isinstance(values, Tensor) else tensor(values)
    made = chosen("sparse_coo_tensor", options, like=entries)
    if places.dtype.category is not Category.INTEGER and places.numel():
        raise RuntimeError(f"indices must be an integer tensor, but got {places.dtype.name}")
    if places.ndim != 2 or (entries.ndim and places.shape[1] != entries.shape[0]):
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {places.shape[-1:].numel()}, nnz from "
            f"values: {entries.shape[:1].numel()}"
        )
    places = places.to(device=made.device, dtype=int64)
    if size is None:
        _require_not_negative(places)
        largest = (places.max(1)[0] + 1).tolist() if places.shape[1] else [0] * places.shape[0]
        size = (*largest, *entries.shape[1:])
    shape = shape_option("sparse_coo_tensor", (), size)
    if len(shape) != places.shape[0] + entries.ndim - 1:
        raise RuntimeError(f"number of dimensions must be sparse_dim ({places.shape[0]}) + dense_dim "
                           f"({entries.ndim - 1}), but got {len(shape)}")  # fmt: skip
    if tuple(entries.shape[1:]) != shape[places.shape[0] :]:
        raise RuntimeError(f"values has incorrect size, expected {[places.shape[1], *shape[places.shape[0] :]]}, got "
                           f"{list(entries.shape)}")  # fmt: skip
    if check_invariants:
        _check_inside(places, shape)
    stored: Any = entries.to(device=made.device, dtype=made.dtype)
    if not stored.requires_grad:
        stored = stored.detach().requires_grad_(made.requires_grad)  # an object of its own over the same memory
    made_of_these = SparseTensor(places, stored, shape, bool(is_coalesced))
    if check_invariants and is_coalesced:
        _check_sorted(made_of_these)
    return made_of_these


def _check_sorted(sparse: SparseTensor) -> None:
    flat: Any = sparse.flat_places()
    if not (flat[1:] > flat[:-1]).all().item():
        raise RuntimeError("is_coalesced is stated of places that are not sorted and distinct")


def _empty(size: Any, options: TensorOptions) -> SparseTensor:
    if size is None:
        raise TypeError("sparse_coo_tensor() needs indices and values, or a size")
    shape, made = as_shape((size,)), chosen("sparse_coo_tensor", options)
    values = made.finished(zeros(0, dtype=made.dtype, device=made.device))
    places = zeros(len(shape), 0, dtype=int64, device=made.device)
    return SparseTensor(places, values, shape, coalesced=True)


def _require_not_negative(places: Tensor) -> None:
    if places.numel() and places.min().item() < 0:
        raise RuntimeError(f"found negative index {places.min().item()} in sparse_coo_tensor")


def _check_inside(places: Tensor, shape: tuple[int, ...]) -> None:
    _require_not_negative(places)
    for axis, row in enumerate(places.max(1)[0].tolist() if places.shape[1] else ()):
        if row >= shape[axis]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {axis}, size is {shape[axis]} but found index {row}"
            )


@method()
def to_sparse(input: Tensor, sparse_dim: int | None = None, *, layout: Layout | None = None) -> SparseTensor:
    """The elements that are not zero, by coordinates; computes ``input``.

    Args:
        input: a tensor with memory.
        sparse_dim: how many dimensions are named by coordinates, all by default; the others belong to the values.
        layout: `sparse_coo`.

    Raises:
        RuntimeError: a number of dimensions the tensor has not.
        NotImplementedError: another layout.
    """
    if layout not in (None, sparse_coo):
        raise NotImplementedError(f"to_sparse: only the sparse_coo layout exists here, not {layout!r}")
    split = input.ndim if sparse_dim is None else sparse_dim
    if not min(input.ndim, 1) <= split <= input.ndim:
        raise RuntimeError(f"sparse_dim argument must be in [1, {input.ndim}] range, but {split} is given")
    present: Any = ne(input.detach(), 0)
    if split < input.ndim:
        present = present.reshape((*input.shape[:split], -1)).any(-1)
    places = nonzero(present).t().contiguous()
    values = input[tuple(places)] if split else input.reshape(1)[: places.shape[1]]
    return SparseTensor(places, values, input.shape, coalesced=True)


@method()
def to_dense(input: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor itself, which is dense already, or cast to ``dtype``."""
    dense: Tensor = input if dtype is None else input.to(dtype)
    return dense


@method()
def sparse_mask(input: Tensor, mask: SparseTensor) -> SparseTensor:
    """The elements of ``input`` at the places of ``mask``.

    Raises:
        RuntimeError: shapes that differ, or a mask that is not sparse.
    """
    if not isinstance(tensor_argument(mask, "sparse_mask", "mask"), SparseTensor):
        raise RuntimeError("sparse_mask: the mask must be a sparse tensor")
    if tuple(input.shape) != tuple(mask.shape):
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {list(input.shape)} but "
                           f"mask has size {list(mask.shape)}")  # fmt: skip
    dense = input.to_dense() if isinstance(input, SparseTensor) else input
    return mask.like(dense[tuple(mask._places)])


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Sequence[int], layout: Layout | None = None) -> SparseTensor:
    """A sparse matrix with rows of ``diagonals`` as its diagonals.

    Args:
        diagonals: (count, length), or (length,) for one; column j of the matrix takes element j.
        offsets: which diagonal each row is, (count,), distinct; 0 is the main one, positive ones lie above.
        shape: of the matrix.
        layout: `sparse_coo`.

    Raises:
        RuntimeError: offsets that are repeated, not integers or not one per diagonal; another layout; no shape of a
            matrix.
    """
    if offsets.dtype is not int64:
        raise RuntimeError(f"spdiags(): offsets must be of dtype int64, not {offsets.dtype.name}")
    if len(shape) != 2:
        raise RuntimeError(f"spdiags(): the shape must have two sizes, got {tuple(shape)}")
    table: Any = diagonals if diagonals.ndim == 2 else diagonals.reshape(1, -1)
    shifts = offsets.reshape(-1).tolist()
    if len(set(shifts)) != len(shifts) or len(shifts) != table.shape[0]:
        raise RuntimeError(f"spdiags(): offsets must be distinct and one per diagonal, got {shifts}")
    if layout not in (None, sparse_coo):
        raise RuntimeError(f"spdiags(): only the sparse_coo layout exists here, not {layout!r}")
    rows, columns = shape
    found = [
        (column - shift, column, number, column)
        for number, shift in enumerate(shifts)
        for column in range(max(0, shift), min(columns, rows + shift, table.shape[1]))
    ]
    places = tensor(found, dtype=int64, device=diagonals.device).reshape(-1, 4).t()
    return SparseTensor(places[:2].contiguous(), table[places[2], places[3]], (rows, columns))
