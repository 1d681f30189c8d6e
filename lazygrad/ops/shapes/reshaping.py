"""Changes of shape that keep every element: views wherever strides can express them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lazygrad.ir.dtype import DType
from lazygrad.ir.primitives import elementwise, movement
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.ir.shape import Shape, ShapeError, as_integers, infer_reshape, normalize_axes, normalize_axis, numel
from lazygrad.ir.shape import broadcast_shapes as common_shape
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere, answers_elsewhere
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Sizes
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.shapes.layout import Move, contiguous, inplace_move, integers
from lazygrad.size import Size, as_shape
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "reshape", "flatten", "unflatten", "ravel", "squeeze", "unsqueeze", "broadcast_to", "broadcast_shapes",
    "broadcast_tensors",
]
# fmt: on


@method()
def reshape(input: Tensor, *given: Sizes, shape: Sequence[int] | None = None) -> Tensor:
    """The elements in row-major order under another shape; one size may be -1. A view where possible, else a copy.

    Raises:
        RuntimeError: the sizes do not multiply to the number of elements.
    """
    try:
        target = infer_reshape(tensor_argument(input, "reshape")._sizes(), integers("reshape", given, shape))
        return input.moved(movement.reshape, (target,))
    except FAILED:
        return cast(Tensor, answered_elsewhere(reshape, (input, *given), {} if shape is None else {"shape": shape}))


@method()
def view(input: Tensor, *given: Sizes | DType, size: Sequence[int] | None = None, dtype: DType | None = None) -> Tensor:
    """The same memory under another shape, of which one size may be -1; or, given a dtype, as that dtype.

    As a dtype of another size, the last dimension shrinks or grows accordingly. Such a view carries no gradient.

    Raises:
        RuntimeError: the sizes do not fit, or the elements lie so in memory that no strides can express it.
        TypeError: both sizes and a dtype.
    """
    if dtype is None and given and isinstance(given[0], DType):
        dtype, given = given[0], given[1:]
    if dtype is not None:
        if given or size is not None:
            raise TypeError("view() takes sizes or a dtype, not both; x.view(dtype).view(sizes) has the same effect")
        result = reinterpreted(input.detach(), dtype)
        result._base = None  # PyTorch does not count it as a view
        return result
    target = infer_reshape(input._sizes(), integers("view", given, size), "view")
    if input._chain and input.view_of_storage().reshape(target) is None:
        raise RuntimeError(
            f"view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            f"contiguous subspaces). Use .reshape(...) instead. The size is {list(target)}, that of the input "
            f"{list(input.shape)}, and its strides are {input.view_of_storage().strides}"
        )
    return input.moved(movement.reshape, (target,))


def reinterpreted(input: Tensor, dtype: DType) -> Tensor:
    """The bytes of ``input`` as ``dtype``."""
    if dtype is input.dtype:
        return input
    if any(op is elementwise.conj for op, _ in input._chain):
        raise RuntimeError("view: not supported for conjugate view tensors when converting to a different dtype")
    have, want = input.dtype.itemsize, dtype.itemsize
    if have == want:
        return input.moved(reinterpret, (dtype.name,))
    _check_sizes(input, dtype)
    shape = tuple(input.shape)
    if want < have:
        parts = input.moved(reinterpret, (dtype.name,))
        return parts.moved(movement.reshape, ((*shape[:-1], shape[-1] * have // want),))
    groups = input.moved(movement.reshape, ((*shape[:-1], shape[-1] * have // want, want // have),))
    return groups.moved(reinterpret, (dtype.name,))


def _check_sizes(input: Tensor, dtype: DType) -> None:
    """Whether elements of another size can be laid over those of ``input``."""
    view, ratio = input.view_of_storage(), dtype.itemsize // input.dtype.itemsize
    found = ""
    if not view.shape:
        found = "dim() cannot be 0"
    elif view.strides[-1] != 1:
        found = f"stride(-1) must be 1, but got {view.strides[-1]},"
    elif ratio > 1 and view.shape[-1] % ratio:
        found = f"size(-1) must be divisible by {ratio}, but got {view.shape[-1]},"
    elif ratio > 1 and view.offset % ratio:
        found = f"storage_offset() must be divisible by {ratio}, but got {view.offset},"
    elif ratio > 1 and any(stride % ratio for stride in view.strides[:-1]):
        found = f"stride() of all but the last dimension must be divisible by {ratio}, but got {view.strides}"
    if found:
        raise RuntimeError(f"view: self.{found} to view {input.dtype.name} as {dtype.name} (different element sizes)")


@method()
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`view` with ``other``'s shape."""
    return view(input, other.shape)


@method()
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`reshape` to ``other``'s shape."""
    return reshape(input, other.shape)


@method()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from ``start_dim`` to ``end_dim`` as one. The tensor itself where that changes nothing.

    Raises:
        RuntimeError: ``start_dim`` comes after ``end_dim``.
    """
    try:
        shape = tensor_argument(input, "flatten")._sizes()
        start = normalize_axis(start_dim, len(shape), "flatten")
        end = normalize_axis(end_dim, len(shape), "flatten")
        if start > end:
            raise RuntimeError(
                f"flatten() has invalid args: start_dim cannot come after end_dim: {start_dim} > {end_dim}"
            )
        if start == end and shape:
            return input
        return reshape(input, (*shape[:start], numel(shape[start : end + 1]), *shape[end + 1 :]))
    except FAILED:
        return cast(Tensor, answered_elsewhere(flatten, (input, start_dim, end_dim), {}))


@answers_elsewhere
@method()
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension as several of the given sizes, of which one may be -1. A view.

    Raises:
        RuntimeError: the sizes do not multiply to the dimension's.
    """
    shape = tensor_argument(input, "unflatten").shape
    axis = normalize_axis(dim, len(shape), "unflatten")
    if not shape or len(sizes) == 0:
        raise RuntimeError(f"unflatten: cannot split dimension {dim} of shape {tuple(shape)} into {tuple(sizes)}")
    wanted = as_shape((sizes,))
    try:
        parts = infer_reshape((shape[axis],), wanted, "unflatten")
    except ShapeError as error:
        raise ShapeError(f"unflatten: Provided sizes {list(wanted)} don't multiply up to the size of dim {axis} "
                         f"({shape[axis]}) in the input tensor: {error}") from None  # fmt: skip
    return view(input, (*shape[:axis], *parts, *shape[axis + 1 :]))


@method()
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension; a view where they lie in row-major order."""
    return reshape(contiguous(tensor_argument(input, "ravel")), (-1,))


# Dimensions of size 1.


def _squeezing(input: Tensor, dim: int | Sequence[int] | None = None) -> Move:
    shape = tensor_argument(input, "squeeze")._sizes()
    empty = dim is not None and len(as_integers(dim)) == 0
    dropped = () if empty else normalize_axes(dim, len(shape), "squeeze")
    return movement.reshape, (tuple([size for axis, size in enumerate(shape) if size != 1 or axis not in dropped]),)


@method()
@numpy_keywords
def squeeze(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """A view without dimensions of size 1: all of them, or those among ``dim``."""
    return input.moved(*_squeezing(input, dim))


def _unsqueezing(input: Tensor, dim: int) -> Move:
    shape = tensor_argument(input, "unsqueeze")._sizes()
    axis = normalize_axis(dim, len(shape) + 1, "unsqueeze")
    return movement.reshape, ((*shape[:axis], 1, *shape[axis:]),)


@method()
@numpy_keywords
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a new dimension of size 1 at ``dim``."""
    return input.moved(*_unsqueezing(input, dim))


squeeze_ = inplace_move("squeeze_", numpy_keywords(_squeezing))
unsqueeze_ = inplace_move("unsqueeze_", numpy_keywords(_unsqueezing))


# Broadcasting.


@method()
def expand(input: Tensor, *given: Sizes, size: Sequence[int] | None = None) -> Tensor:
    """A view with dimensions of size 1 repeated, and new ones in front; -1 keeps a size.

    Raises:
        RuntimeError: a dimension of another size would change, or fewer dimensions are asked for.
    """
    return _expanded("expand", input, integers("expand", given, size))


def _expanded(name: str, input: Tensor, sizes: Shape) -> Tensor:
    shape = tensor_argument(input, name)._sizes()
    lead = len(sizes) - len(shape)
    if not sizes or min(sizes) >= 0:
        return input.moved(movement.expand, (sizes,))
    if any(wanted == -1 and axis < lead for axis, wanted in enumerate(sizes)):
        raise RuntimeError(f"{name}: the expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
                           f"dimension: {tuple(sizes)} for a tensor of shape {tuple(shape)}")  # fmt: skip
    if any(wanted < -1 for wanted in sizes):
        raise RuntimeError(f"{name}: sizes must be non-negative, or -1 to keep a dimension, but got {tuple(sizes)}")
    target = tuple([shape[axis - lead] if wanted == -1 else wanted for axis, wanted in enumerate(sizes)])
    return input.moved(movement.expand, (target,))


@method()
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`expand` to ``other``'s shape."""
    return expand(input, other.shape)


@method()
def broadcast_to(input: Tensor, *given: Sizes, size: Sequence[int] | None = None) -> Tensor:
    """Another name of `expand`."""
    return _expanded("broadcast_to", input, integers("broadcast_to", given, size))


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The shape that tensors of these shapes broadcast to.

    Raises:
        RuntimeError: they do not broadcast.
    """
    return Size(common_shape("broadcast_shapes", *[as_shape((shape,)) for shape in shapes]))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of the tensors, all of the shape they broadcast to; those that have it already, themselves.

    Raises:
        RuntimeError: they do not broadcast.
    """
    shape = broadcast_shapes(*[tensor_argument(tensor, "broadcast_tensors").shape for tensor in tensors])
    return tuple([tensor if tensor.shape == shape else expand(tensor, shape) for tensor in tensors])
