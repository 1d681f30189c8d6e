"""Parts of a tensor: views of a range, of a position, of each position of an axis; and the arrays that tensors lie in.

Of contents that are computed these are places in memory, and no node is made before an operation reads them; of others
they are views that are recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lazygrad.autograd_meta import CONTENTS
from lazygrad.direct_access import is_plain_memory
from lazygrad.grad_mode import _mode
from lazygrad.host.buffer import Buffer, host_view
from lazygrad.ir.alias import Step
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import tensor_type, typed_node
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.leaf import buffer, constant
from lazygrad.ir.shape import Shape, numel
from lazygrad.ir.view import View, contiguous_strides
from lazygrad.runtime.realize import realize_if_small
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import from_node, new_tensor


def at(tensor: Tensor, positions: tuple[int, ...]) -> Tensor:
    """A view of one position of each of the first dimensions, which are inside them, without these."""
    if tensor._storage.value.value is None:
        tensor._realize_write()
    if tensor._storage.value.value is None or not tensor._is_read_from_memory():
        shape = tensor._sizes()
        return tensor.recorded_view((_slice_at(positions, shape), (movement.reshape, (shape[len(positions) :],))))
    view = tensor.view_of_storage()
    if len(positions) == 1:  # as datasets read rows, one by one
        steps, seen = _row(positions[0], view)
    else:
        steps = (_slice_at(positions, view.shape), (movement.reshape, (view.shape[len(positions) :],)))
        seen = view.at(positions)
    result = tensor._without_node(steps, capture())
    result._view = seen
    return result


def _row(position: int, view: View) -> tuple[tuple[Step, Step], View]:
    """The steps to a position of the first dimension, and what they make of a view."""
    shape, strides = view.shape, view.strides
    rest = shape[1:]
    ranges = (position, *(0,) * len(rest)), (position + 1, *rest), (1,) * len(shape)
    seen = View(rest, strides[1:], view.offset + position * strides[0])
    return ((movement.slice_, ranges), (movement.reshape, (rest,))), seen


def _slice_at(positions: tuple[int, ...], shape: Shape) -> Step:
    """The slice of one position of each of the first dimensions."""
    rest = shape[len(positions) :]
    stops = tuple([position + 1 for position in positions]) + rest
    return movement.slice_, (positions + (0,) * len(rest), stops, (1,) * len(shape))


def along(tensor: Tensor, axis: int, positions: Iterable[int]) -> list[Tensor]:
    """Views of some positions of an axis, which are inside it, each without that axis."""
    shape = tensor._sizes()
    before, behind = shape[:axis], shape[axis + 1 :]
    first, last, ones = (0,) * axis, (0,) * len(behind), (1,) * len(shape)
    sliced, reshaped = movement.slice_, (movement.reshape, (before + behind,))
    steps = [(sliced, (first + (position,) + last, (*before, position + 1, *behind), ones)) for position in positions]
    tensor._realize_write()
    if not tensor._is_read_from_memory():
        return [tensor.recorded_view((step, reshaped)) for step in steps]
    view = tensor.view_of_storage()
    shape, strides = before + behind, view.strides[:axis] + view.strides[axis + 1 :]
    offset, stride = view.offset, view.strides[axis]
    return _without_nodes(
        tensor, [((step, reshaped), View(shape, strides, offset + step[1][0][axis] * stride)) for step in steps]
    )


def _without_nodes(tensor: Tensor, parts: Iterable[tuple[tuple[Step, ...], View]]) -> list[Tensor]:
    """`TensorBase._without_node` for several steps from a tensor, which lead to these views of its storage."""
    storage, chain, is_unseen, origin = tensor._storage, tensor._chain, tensor._unseen, capture()
    base = tensor if tensor._base is None else tensor._base
    is_detached, version = tensor._detached if _mode.enabled else True, storage.version
    results = []
    for steps, view in parts:
        result = new_tensor(Tensor, storage, chain + steps, base, is_detached)
        result._unseen, result._node_version, result._origin, result._view = is_unseen, version, origin, view
        results.append(result)
    return results


def pieces(tensor: Tensor, axis: int, bounds: Iterable[tuple[int, int]]) -> list[Tensor]:
    """Views of ranges of an axis, each from a start up to a stop, which are inside it."""
    shape = tensor._sizes()
    before, behind, ones = shape[:axis], shape[axis + 1 :], (1,) * len(shape)
    first, last = (0,) * axis, (0,) * len(behind)
    ranges = [((*first, start, *last), (*before, stop, *behind), ones) for start, stop in bounds]
    tensor._realize_write()
    if not tensor._is_read_from_memory():
        return [tensor.recorded_view(((movement.slice_, each),)) for each in ranges]
    view = tensor.view_of_storage()
    strides, offset, stride = view.strides, view.offset, view.strides[axis]
    return _without_nodes(
        tensor,
        [
            (
                ((movement.slice_, each),),
                View((*before, each[1][axis] - each[0][axis], *behind), strides, offset + each[0][axis] * stride),
            )
            for each in ranges
        ],
    )


def computed_tensor(array: np.ndarray, dtype: DType) -> Tensor:
    """A tensor of ``dtype`` over a row-major array that nobody else has."""
    node = typed_node(buffer, (), (None,), tensor_type(array.shape, dtype), capture(), None)
    node.value = Buffer(array)
    made: Tensor = from_node(node)
    return made


def runs_of_one_memory(tensors: Sequence[Tensor]) -> tuple[np.ndarray, list[int]] | None:
    """Views without nodes that are as many elements behind one another, as a dataset reads them from a tensor.

    Args:
        tensors: of the class itself; at least one.

    Returns:
        The memory as one row, and where each view begins in it. None where they are anything else, or where something
        must be recorded.
    """
    first = tensors[0]
    storage, view = first._storage, first._view
    if view is None or not is_plain_memory(storage.value, False):
        return None
    shape, strides = view.shape, view.strides
    if numel(shape) == 0 or strides != contiguous_strides(shape):
        return None
    offsets = []
    for tensor in tensors:
        view = tensor._view
        if tensor._storage is not storage or view is None or tensor._origin is None:
            return None
        if view.shape != shape or view.strides != strides:
            return None
        offsets.append(view.offset)
    return host_view(storage.value.value).reshape(-1), offsets


def plain_arrays(tensors: Sequence[Tensor], most_bytes: int) -> list[np.ndarray] | None:
    """The elements of tensors of one dtype, to be read now.

    Returns:
        None where something must be recorded: they are pending, a gradient flows through one, somebody follows what is
        done with them; or they have more bytes or several dtypes.
    """
    arrays: list[np.ndarray] = []
    records_gradients, dtype, size = _mode.enabled, tensors[0].dtype, 0
    for tensor in tensors:
        contents = tensor._storage.value
        if contents.value is None and contents.op is movement.expand and contents.inputs[0].op is constant:
            realize_if_small(contents)  # as `ones` and `zeros` make them
        if not arrays and not is_plain_memory(contents, True):  # all that this asks is the same for all, but for two:
            return None
        if contents.value is None or contents.type.device is not CPU or tensor.dtype is not dtype:
            return None
        if records_gradients and (contents.autograd is not CONTENTS or tensor._detached) and tensor.requires_grad:
            return None
        array = _array_of(tensor, contents.value)
        arrays.append(array)
        size += array.nbytes
    return arrays if size <= most_bytes else None


def _array_of(tensor: Tensor, value: Buffer) -> np.ndarray:
    """`Tensor.array` of computed contents on the host: the whole, its reshapes and its parts in one look."""
    chain, view = tensor._chain, tensor._view
    if not chain:
        return host_view(value)
    if len(chain) == 1 and chain[0][0] is movement.reshape:
        return host_view(value).reshape(chain[0][1][0])
    if view is not None and tensor._origin is not None and view.strides == contiguous_strides(view.shape):
        elements = host_view(value).reshape(-1)
        return elements[view.offset : view.offset + numel(view.shape)].reshape(view.shape)
    return tensor.array()
