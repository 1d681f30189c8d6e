"""Sums, means, products, quantifiers and counts over all elements, one dimension or several.

``dim`` is None for all dimensions, an int or a tuple of ints, counted from the end when negative; ``keepdim`` keeps
the reduced dimensions with size 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.ir.composites import softmax
from lazygrad.ir.dtype import Category, DType, bool_, int64, uint8
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.leaf import structural_number
from lazygrad.ir.shape import normalize_axes
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Dim, Sizes
from lazygrad.ops.arguments.operands import cast_node, float_node, scalar_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.precision import single_precision
from lazygrad.ops.arguments.reducing import extent, reduced, reduced_shape, reshaped, widened, without_axes
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import filled
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["sum", "prod", "mean", "any", "all", "count_nonzero", "logsumexp"]


def _fold(name: str, op: Op, input: Tensor, dim: Dim, keepdim: bool, dtype: DType | None) -> Tensor:
    """A sum or product, in int64 for integers and bools unless ``dtype`` says otherwise."""
    node = tensor_argument(input, name).node()
    axes = normalize_axes(dim, node.rank, name)
    if dtype is None:
        dtype = int64 if node.dtype.category < Category.FLOAT else node.dtype
    folded = reduced(op, widened(cast_node(node, dtype)), axes)
    return without_axes(cast_node(folded, dtype), axes, keepdim)


@accepts_out
@method()
@traced
@numpy_keywords
def sum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The sum over ``dim``.

    Args:
        input: any shape and dtype; integers and bools are summed in int64, 16-bit floats in float32.
        dim: None or an empty tuple for all dimensions.
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype before summing.

    Raises:
        IndexError: a dimension out of range.
        RuntimeError: a dimension given twice.
    """
    return _fold("sum", rd.reduce_sum, input, dim, keepdim, dtype)


@method()
def sum_to_size(input: Tensor, *given: Sizes, size: Sequence[int] | None = None) -> Tensor:
    """The sum over the dimensions along which a tensor of another size would have been expanded to this shape.

    Raises:
        RuntimeError: the size does not expand to the input's shape.
        TypeError: the size both by position and by keyword.
    """
    if given and size is not None:
        raise TypeError(f"sum_to_size() got its size twice: as positional arguments and as size={size!r}")
    target = as_shape(given if size is None else (size,))
    shape = tensor_argument(input, "sum_to_size").shape
    if not target:
        return sum(input)
    lead = len(shape) - len(target)
    fits = [want in (1, have) for have, want in zip(shape[lead:], target, strict=True)] if lead >= 0 else [False]
    if False in fits:
        raise RuntimeError(f"size {{{list(target)}}} is not expandable to size {{{list(shape)}}}.")
    axes = [*range(lead), *[lead + a for a, want in enumerate(target) if want == 1 and shape[lead + a] != 1]]
    if not axes:
        return input
    summed = sum(input, axes, keepdim=True)
    return Tensor.from_node(reshaped(summed.node(), target)) if lead else summed


@accepts_out
@method()
@traced
@single_precision
@numpy_keywords
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The product of all elements, or along one ``dim``; see `sum` for dtypes.

    Raises:
        TypeError: several dimensions.
        IndexError: a dimension out of range.
    """
    if isinstance(dim, Sequence):
        raise TypeError("prod(): argument 'dim' must be int or None, not a sequence; reduce one dimension at a time")
    return _fold("prod", rd.reduce_prod, input, dim, keepdim, dtype)


@accepts_out
@method()
@traced
@numpy_keywords
def mean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The arithmetic mean over ``dim``; NaN of no elements.

    Raises:
        RuntimeError: an integer or bool result; pass a floating ``dtype``, or cast with ``.float()``.
        IndexError: a dimension out of range.
    """
    node = tensor_argument(input, "mean").node()
    target = dtype or node.dtype
    if not target.differentiable:
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(f"mean(): could not infer output dtype. {which} dtype must be either a floating point or "
                           f"complex dtype. Got: {target.scalar_type}")  # fmt: skip
    axes = normalize_axes(dim, node.rank, "mean")
    return without_axes(cast_node(mean_node(widened(cast_node(node, target)), axes), target), axes, keepdim)


def mean_node(node: Node, axes: tuple[int, ...]) -> Node:
    """The mean over ``axes``, which it keeps."""
    count = structural_number(extent(node.type.shape, axes), node.dtype, node.device)
    return record_node(ew.div, (reduced(rd.reduce_sum, node, axes), count))


def _truth(node: Node) -> Node:
    """Which elements are not zero; NaN is not."""
    return node if node.dtype is bool_ else record_node(ew.ne, (node, scalar_node(0, node.dtype, node.device)))


def _quantified(name: str, op: Op, of_nothing: bool, input: Tensor, dim: Dim, keepdim: bool) -> Tensor:
    node = tensor_argument(input, name).node()
    axes = normalize_axes(dim, node.rank, name) if dim is None or isinstance(dim, int) or len(dim) else ()
    dtype = uint8 if node.dtype is uint8 else bool_
    if not axes:
        return Tensor.from_node(cast_node(_truth(node), dtype))
    if extent(node.type.shape, axes) == 0:
        return filled(reduced_shape(node.type.shape, axes, keepdim), of_nothing, dtype, node.device)
    return without_axes(cast_node(reduced(op, _truth(node), axes), dtype), axes, keepdim)


@accepts_out
@method()
@traced
@numpy_keywords
def any(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether any element over ``dim`` is not zero, as bool (uint8 for uint8); False of no elements.

    Unlike in other reductions ``()`` names no dimension: the result is whether each element is not zero.

    Raises:
        IndexError: a dimension out of range.
    """
    return _quantified("any", rd.reduce_max, False, input, dim, keepdim)


@accepts_out
@method()
@traced
@numpy_keywords
def all(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether every element over ``dim`` is not zero, as bool (uint8 for uint8); True of no elements.

    Unlike in other reductions ``()`` names no dimension: the result is whether each element is not zero.

    Raises:
        IndexError: a dimension out of range.
    """
    return _quantified("all", rd.reduce_min, True, input, dim, keepdim)


@method()
@numpy_keywords
def count_nonzero(input: Tensor, dim: Dim = None) -> Tensor:
    """How many elements over ``dim`` are not zero, as int64.

    Raises:
        IndexError: a dimension out of range.
    """
    node = tensor_argument(input, "count_nonzero").node()
    axes = normalize_axes(dim, node.rank, "count_nonzero")
    return without_axes(reduced(rd.reduce_sum, cast_node(_truth(node), int64), axes), axes, keepdim=False)


@accepts_out
@method()
@traced
@numpy_keywords
def logsumexp(input: Tensor, dim: int | Sequence[int], keepdim: bool = False) -> Tensor:
    """log Σ exp(x) over ``dim``, without overflow; -∞ of no elements. Integers become the default float dtype.

    Raises:
        TypeError: ``dim`` is None.
        IndexError: a dimension out of range.
    """
    if dim is None:
        raise TypeError("logsumexp(): argument 'dim' must be an int or a tuple of ints, not NoneType")
    node = float_node(tensor_argument(input, "logsumexp"))
    if node.dtype.is_complex and not node.rank:
        normalize_axes(dim, 0, "logsumexp")
        return logsumexp(Tensor.from_node(reshaped(node, (1,))), 0)  # not the number itself: log gives an angle up to π
    axes = normalize_axes(dim, node.rank, "logsumexp")
    return without_axes(reduced(softmax.logsumexp, node, axes), axes, keepdim)
