"""What stands between square brackets, brought to one form: a strided view, then index tensors of its dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from lazygrad.ir.alias import Step
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import Category, bool_, int32, int64, uint8
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import Shape
from lazygrad.ir.user_warning import warn_user
from lazygrad.ir.view import View, contiguous_strides
from lazygrad.levels import levels
from lazygrad.ops.arguments.python_data import array_of
from lazygrad.ops.indexing.addressing import IndexRule
from lazygrad.ops.pointwise.relational import ne
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor

_BRACKETS = IndexRule("[]", wraps=True)


@dataclass(slots=True)
class IndexForm:
    """A parsed index.

    Attributes:
        starts, stops, steps: the range of each dimension of the indexed tensor.
        shape: after the ranges, without dimensions indexed by a number, and with a 1 for each None.
        dropped: the dimensions of the indexed tensor that a number indexes.
        advanced: dimension of ``shape`` and the mask or integer tensor that stands there; a mask of n dimensions
            covers n.
    """

    starts: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    shape: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    advanced: list[tuple[int, Tensor]] = field(default_factory=list)

    def take_range(self, start: int, stop: int, step: int) -> None:
        self.starts.append(start)
        self.stops.append(stop)
        self.steps.append(step)

    def keep(self, sizes: Sequence[int]) -> None:
        """Whole dimensions."""
        for size in sizes:
            self.take_range(0, size, 1)
            self.shape.append(size)

    def region(self) -> Region:
        """What numbers, slices and None name."""
        ranges = (tuple(self.starts), tuple(self.stops), tuple(self.steps))
        sliced, target = tuple([len(range(*bounds)) for bounds in zip(*ranges, strict=True)]), tuple(self.shape)
        steps: tuple[Step, ...] = ((movement.slice_, ranges),)
        if sliced != target:
            steps = (*steps, (movement.reshape, (target,)))
        has_others = len(target) != len(sliced) - len(self.dropped)
        return Region(ranges, sliced, target, None if has_others else tuple(self.dropped), steps)

    def view(self, tensor: Tensor) -> Tensor:
        """The part of ``tensor`` that numbers, slices and None name; ``tensor`` itself where that is all of it."""
        return self.region().of(tensor)


class Region(NamedTuple):
    """The part of a tensor that numbers, slices and None name.

    Attributes:
        ranges: starts, stops and steps, for each dimension of the tensor.
        sliced: the shape after these.
        target: without the dimensions that a number indexes, and with a 1 for each None.
        dropped: the former, None where there are others.
        steps: from the tensor to it, where it is not the whole.
        of_whole: what a tensor's part is that is all of its storage, if that is known.
    """

    ranges: tuple[Shape, Shape, Shape]
    sliced: Shape
    target: Shape
    dropped: Shape | None
    steps: tuple[Step, ...]
    of_whole: View | None = None

    def within(self, view: View) -> View | None:
        """The same part of a view of a storage; None where it has other dimensions."""
        if self.sliced != view.shape:
            view = view.slice(*self.ranges)
        if self.target == self.sliced:
            return view
        return None if self.dropped is None else view.without(self.dropped)

    def view_in(self, tensor: Tensor) -> View | None:
        """Which elements of the tensor's storage it names; None where it has other dimensions than the tensor."""
        if self.of_whole is not None and not tensor._chain:
            return self.of_whole
        return self.within(tensor.view_of_storage())

    def of(self, tensor: Tensor) -> Tensor:
        """The view; ``tensor`` itself where that is all of it."""
        if self.sliced == tensor._sizes():
            return tensor if self.target == self.sliced else tensor.moved(movement.reshape, (self.target,))
        if tensor._storage.value.value is None:
            tensor._realize_write()
        if tensor._storage.value.value is None or not tensor._is_read_from_memory():
            return tensor.recorded_view(self.steps)
        result: Tensor = tensor._without_node(self.steps, capture())
        result._view = self.view_in(tensor)
        return result


def plain_region(shape: Shape, index: Any) -> Region | None:
    """What an index of numbers, slices, ``...`` and None names of a tensor; None if it has other items.

    Raises:
        IndexError, ValueError: see `parse_index`.
    """
    if type(index) is slice and index.step is None and shape:
        return _leading_range(shape, index)
    items = index if type(index) is tuple else (index,)
    key: list[Any] = []
    for item in items:
        if type(item) is slice:
            start, stop, step = item.start, item.stop, item.step
            for bound in (start, stop, step):
                if bound is not None and type(bound) is not int:
                    return None
            key.append((start, stop, step))
        elif item is None or item is Ellipsis or type(item) is int:
            key.append(item)
        else:
            return None
    return _region(shape, tuple(key))


def _leading_range(shape: Shape, item: slice) -> Region | None:
    """What a slice without a step names. Datasets of sequences read another one for each sample, so none is kept."""
    start, stop = item.start, item.stop
    if (start is not None and type(start) is not int) or (stop is not None and type(stop) is not int):
        return None
    start, stop, _ = item.indices(shape[0])
    stop = max(start, stop)
    rest, strides = shape[1:], contiguous_strides(shape)
    ranges = (start, *(0,) * len(rest)), (stop, *rest), (1,) * len(shape)
    sliced = (stop - start, *rest)
    of_whole = View(sliced, strides, start * strides[0])
    return Region(ranges, sliced, sliced, (), ((movement.slice_, ranges),), of_whole)


@lru_cache(maxsize=1 << 12)
def _region(shape: Shape, key: tuple[Any, ...]) -> Region:
    region = _form(shape, [slice(*item) if type(item) is tuple else item for item in key]).region()
    return region._replace(of_whole=region.within(View.contiguous(shape)))


def parse_index(tensor: Tensor, index: Any) -> IndexForm:
    """Bring an index of ``tensor`` to one form.

    Raises:
        IndexError: out of range, too many indices, a mask of another shape, something that is no index.
        ValueError: a slice with a step that is not positive.
    """
    items = [
        item if type(item) is int or type(item) is slice else _item(item, tensor.device) for item in _as_tuple(index)
    ]
    return _form(tuple(tensor.shape), items)


def _form(shape: Shape, items: Sequence[Any]) -> IndexForm:
    spare = len(shape) - sum([1 if type(item) is int else _width(item) for item in items])
    if spare < 0:
        if not shape and all(isinstance(item, int) for item in items):
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` to convert it to a Python number")
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    form = IndexForm()
    for item in items:
        axis = len(form.starts)
        if isinstance(item, int):
            _take_number(form, item, shape[axis], axis)
        elif item is Ellipsis:
            form.keep(shape[axis : axis + spare])
            spare = 0
        elif item is None:
            form.shape.append(1)
        elif isinstance(item, slice):
            _take_slice(form, item, shape[axis])
        else:
            _take_tensor(form, item, shape[axis:], axis)
    form.keep(shape[len(form.starts) :])
    return form


def _as_tuple(index: Any) -> Sequence[Any]:
    """The items of an index. A list that holds sequences, slices or tensors counts as a tuple, as in PyTorch."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and any(
        item is None or item is Ellipsis or isinstance(item, (slice, Tensor, Sequence, np.ndarray)) for item in index
    ):
        return index
    return (index,)


def _item(item: Any, device: Device) -> Any:
    """``item`` as None, Ellipsis, a slice, an int, or a tensor that is a mask or of integers."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (bool, np.bool_)):
        return Tensor.from_array(np.array(item, np.bool_), device, shared=False)
    if isinstance(item, Tensor):
        found = _tensor_item(item)
        is_brought = isinstance(found, Tensor) and found.device is CPU and device is not CPU
        return found.to(device) if is_brought else found
    if isinstance(item, (str, bytes)):
        raise TypeError(f"a tensor has no fields: it cannot be indexed with {item!r}")
    if isinstance(item, (np.ndarray, Sequence)):
        array = array_of(item, None)
        if array.size == 0 and not isinstance(item, np.ndarray):
            array = array.astype(np.int64)  # [] has no elements to tell its dtype
        return _tensor_item(Tensor.from_array(array, device, shared=False))
    if hasattr(item, "__index__"):
        return item.__index__()
    raise IndexError(f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                     f"indices (got {type(item).__name__})")  # fmt: skip


def _tensor_item(tensor: Tensor) -> Any:
    """A 0-dim tensor of integers counts as the number it holds, which is computed, if it holds one; uint8 as a mask."""
    if tensor.dtype is uint8:
        if tensor.ndim:
            warn_user("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
        return ne(tensor, 0)
    if tensor.dtype is bool_:
        return tensor
    if tensor.ndim == 0 and tensor.dtype.category is Category.INTEGER and not _differs_by_example(tensor):
        return int(tensor.array())
    if tensor.dtype not in (int64, int32):
        raise IndexError(f"tensors used as indices must be long, int, byte or bool tensors, not {tensor.dtype.name}")
    return tensor


def refuse_fill_of_bytes(index: Any) -> None:
    """Raises RuntimeError where one number is written by one mask of uint8, which PyTorch leaves to `masked_fill_`."""
    items = [item for item in _as_tuple(index) if not (item is None or item is Ellipsis or type(item) in (int, slice))]
    if len(items) == 1 and isinstance(items[0], Tensor) and items[0].dtype is uint8 and items[0].ndim:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")


def counted_by(item: Any) -> int | None:
    """The number that a 0-dim tensor of integers holds, which is computed; None of anything else, and inside `vmap`."""
    if not isinstance(item, Tensor) or item._sizes() or levels.active:
        return None
    dtype = item.dtype
    is_number = dtype.category is Category.INTEGER and dtype is not uint8 and item.device.computes
    return int(item.only_element()) if is_number else None


def _differs_by_example(tensor: Tensor) -> bool:
    """Whether a tensor inside a vmapped function has a value of its own for every example."""
    return any(level.stack(tensor.node()) is not None for level in levels.active)


def _width(item: Any) -> int:
    """How many dimensions of the indexed tensor an item covers."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, Tensor) and item.dtype is bool_ else 1


def _take_number(form: IndexForm, position: int, size: int, axis: int) -> None:
    if not -size <= position < size:
        raise IndexError(f"index {position} is out of bounds for dimension {axis} with size {size}")
    position %= size
    form.dropped.append(axis)
    form.take_range(position, position + 1, 1)


def _take_slice(form: IndexForm, item: slice, size: int) -> None:
    if item.step is not None and item.step.__index__() <= 0:
        raise ValueError("step must be greater than zero; use flip() to reverse a dimension")
    start, stop, step = item.indices(size)
    stop = max(start, stop)
    form.take_range(start, stop, step)
    form.shape.append(len(range(start, stop, step)))


def _take_tensor(form: IndexForm, item: Tensor, following: Sequence[int], axis: int) -> None:
    place = len(form.shape)
    if item.dtype is not bool_:
        _BRACKETS.check_known(item, axis, following[0])
        form.keep(following[:1])
    elif item.ndim == 0:
        item = reshape(item, 1)
        form.shape.append(1)
    else:
        covered = following[: item.ndim]
        if tuple(covered) != item.shape:
            raise IndexError(f"The shape of the mask {list(item.shape)} at index {axis} does not match the shape of "
                             f"the indexed tensor {list(covered)} at index {axis}")  # fmt: skip
        form.keep(covered)
    form.advanced.append((place, item))
