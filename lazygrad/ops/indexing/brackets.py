"""Reading and writing with square brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import bool_, int64
from lazygrad.ir.node import Node, next_serial
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import assigned_node, cast_node, is_scalar, tensor_argument
from lazygrad.ops.arguments.registering import (
    broadcast_node,
    may_be_written_directly,
    method,
    number_written_directly,
    written_directly,
)
from lazygrad.ops.indexing.addressing import Indexed, put_node, region_shape, take_node
from lazygrad.ops.indexing.fill import overwrite
from lazygrad.ops.indexing.index_forms import counted_by, parse_index, plain_region, refuse_fill_of_bytes
from lazygrad.ops.indexing.masking import mask_positions
from lazygrad.ops.indexing.picking import picked, placed
from lazygrad.runtime.realize import realize_if_small
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node
from lazygrad.tensor_parts import at

__all__ = ["index_put"]


@method("__getitem__")
def _get_item(input: Tensor, index: Any) -> Tensor:
    """input[index]: a view for numbers, slices, ``...`` and None; a copy where masks, lists or tensors take part.

    Raises:
        IndexError, ValueError, TypeError: see `parse_index`.
    """
    positions = _positions_inside(input, index)
    if positions is not None:
        return at(input, positions)
    region = plain_region(input._sizes(), index)
    if region is not None:
        part = region.of(input)
    else:
        found = picked(input, index)
        if found is not None:
            return found
        form = parse_index(input, index)
        part = form.view(input)
        if form.advanced:
            return Tensor.from_node(take_node(part.node(), _positions(form.advanced)))
    return part if part is not input else input.moved(movement.permute, (tuple(range(input.ndim)),))


def _positions_inside(input: Tensor, index: Any) -> tuple[int, ...] | None:
    """Ints that are inside the first dimensions, counted from their beginning: the common case, without parsing.

    So do 0-dim tensors of integers count, which are computed.
    """
    if type(index) is slice:
        return None
    shape = input._sizes()
    if type(index) is int:
        return (index % shape[0],) if shape and -shape[0] <= index < shape[0] else None
    numbers = index if type(index) is tuple else (index,)
    if not 0 < len(numbers) <= len(shape):
        return None
    positions = []
    for number, size in zip(numbers, shape, strict=False):
        if type(number) is not int:
            number = counted_by(number)
        if number is None or not -size <= number < size:
            return None
        positions.append(number if number >= 0 else number + size)
    return tuple(positions)


@method("index")
def _index(input: Tensor, indices: Sequence[Any]) -> Tensor:
    """input[tuple(indices)]; None takes a dimension as a whole."""
    return _get_item(input, tuple([slice(None) if index is None else index for index in indices]))


@method("__setitem__")
def _set_item(input: Tensor, index: Any, value: Operand) -> None:
    """input[index] = value: broadcast, and cast to the tensor's dtype unless both an index and the value are tensors.

    Raises:
        IndexError, ValueError, TypeError: see `parse_index`; a value that is neither a number nor a tensor.
        RuntimeError: a value that does not broadcast or has another dtype; whatever `Tensor.assign` refuses.
    """
    since = next_serial()
    realize_if_small(input._storage.value)
    is_direct, positions = may_be_written_directly(input), _positions_inside(input, index)
    advanced: Sequence[tuple[int, Tensor]] = ()
    if positions is not None:
        if is_direct and _written_directly(input, input.view_of_storage().at(positions), value):
            return
        part = at(input, positions)
    else:
        region = plain_region(input._sizes(), index)
        if region is not None:
            is_part = bool(input._chain) or region.sliced != input._sizes()
            view = region.view_in(input) if is_direct and is_part else None
            if view is not None and _written_directly(input, view, value):
                return
            part = region.of(input)
        else:
            if is_direct and placed(input, index, value):
                return
            if not isinstance(value, Tensor) or value._sizes().count(1) == value.ndim:
                refuse_fill_of_bytes(index)
            form = parse_index(input, index)
            part, advanced = form.view(input), form.advanced
            is_region = is_direct and part is not input and not advanced
            if is_region and _written_directly(part, part.view_of_storage(), value):
                return
    values = _value_node(value, part.node())
    if index is False:
        return
    if advanced:
        part.assign(_with_elements(part.node(), advanced, values, False), "__setitem__", since)
        return
    fitted = broadcast_node(_fewer_dimensions(cast_node(values, input.dtype), part.node().shape), part.node().shape)
    if part is input:
        overwrite(input, fitted, "__setitem__")
    else:
        part.assign(fitted, "__setitem__", since)


@method("__delitem__")
def _delete_item(input: Tensor, index: Any) -> None:
    """A tensor's size is fixed.

    Raises:
        TypeError: always.
    """
    raise TypeError("a tensor does not support deleting items; select those to keep instead")


@method(inplace=True)
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """``input`` with input[indices] set to ``values``, or increased by them.

    Args:
        indices: masks or integer tensors for the leading dimensions.
        values: broadcast to the indexed region, of the same dtype.
        accumulate: add; elements named twice get both values.

    Raises:
        IndexError, RuntimeError: as for ``input[indices] = values``.
    """
    positions = [tensor_argument(index, "index_put", "indices") for index in indices]
    if not accumulate and tensor_argument(values, "index_put", "values")._sizes().count(1) == values.ndim:
        refuse_fill_of_bytes(tuple(positions))
    form = parse_index(tensor_argument(input, "index_put"), tuple(positions))
    part = form.view(input).node()
    values = tensor_argument(values, "index_put", "values")
    values_node = values.node() if values.ndim else _value_node(values, part)
    return Tensor.from_node(_with_elements(part, form.advanced, values_node, accumulate))


def _written_directly(input: Tensor, view: View, value: Any) -> bool:
    """Whether ``value`` could be put into the memory of some elements of ``input`` at once."""
    if isinstance(value, Tensor):
        return written_directly(input, view, value)
    return number_written_directly(input, view, value)


def _value_node(value: Any, like: Node) -> Node:
    if isinstance(value, Tensor):
        return value.node() if value.device is like.device else value.to(like.device).node()
    if not is_scalar(value):
        raise TypeError(f"can't assign a {type(value).__name__} to a tensor of {like.dtype.name}; assign a number or a "
                        f"tensor")  # fmt: skip
    return assigned_node(value, like.dtype, like.device)


def _positions(advanced: Sequence[tuple[int, Tensor]]) -> Indexed:
    """Masks as the positions where they are true, all as int64 nodes."""
    indexed: list[tuple[int, Node]] = []
    for axis, index in advanced:
        indices = mask_positions(index) if index.dtype is bool_ else (index,)
        indexed += [(axis + i, cast_node(position.node(), int64)) for i, position in enumerate(indices)]
    return indexed


def _with_elements(part: Node, advanced: Sequence[tuple[int, Tensor]], values: Node, accumulate: bool) -> Node:
    """``part`` with the elements at masks or index tensors written.

    Raises:
        RuntimeError: values of another dtype, or that do not broadcast to the indexed region.
    """
    masked = len(advanced) == 1 and advanced[0][1].dtype is bool_ and not accumulate
    if values.dtype is not part.dtype:
        if not (masked and values.shape in ((), (1,))):
            raise RuntimeError(f"Index put requires the source and destination dtypes match, got "
                               f"{part.dtype.scalar_type} for the destination and {values.dtype.scalar_type} for the "
                               f"source.")  # fmt: skip
        values = cast_node(values, part.dtype)
    if masked:
        axis, mask = advanced[0]
        aligned = _beside_mask(part, axis, mask.ndim, values)
        if aligned is not None:
            trailing = (1,) * (part.rank - axis - mask.ndim)
            condition = record_node(movement.reshape, (mask.node(),), (tuple(mask.shape) + trailing,))
            return record_node(ew.where, (condition, aligned, part))
    indexed = _positions(advanced)
    return put_node(part, indexed, _fitted(values, region_shape(part.shape, indexed)), accumulate)


def _beside_mask(part: Node, axis: int, rank: int, values: Node) -> Node | None:
    """``values`` broadcast against all of ``part``, or None where they differ from one masked element to the next.

    Then writing needs not know how many elements the mask selects.
    """
    trailing = part.rank - axis - rank
    shape = _without_leading_ones(values.shape)
    split = len(shape) - trailing
    if split > 0:
        if shape[split - 1] != 1:
            return None
        shape = shape[: split - 1] + (1,) * rank + shape[split:]
    return _fitted(record_node(movement.reshape, (values,), (shape,)), part.shape)


def _without_leading_ones(shape: Shape) -> Shape:
    lead = next((axis for axis, size in enumerate(shape) if size != 1), len(shape))
    return shape[lead:]


def _fewer_dimensions(values: Node, shape: Shape) -> Node:
    """``values`` without its leading dimensions of size 1 where it has more dimensions than ``shape``."""
    if len(values.shape) <= len(shape):
        return values
    return record_node(movement.reshape, (values,), (_without_leading_ones(values.shape),))


def _fitted(values: Node, shape: Shape) -> Node:
    """``values`` broadcast to the region that is written; superfluous leading dimensions of size 1 do not count.

    Raises:
        RuntimeError: they do not fit.
    """
    values = _fewer_dimensions(values, shape)
    try:
        return broadcast_node(values, shape)
    except RuntimeError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of "
            f"shape {list(shape)}"
        ) from None
