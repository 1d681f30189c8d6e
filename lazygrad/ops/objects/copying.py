"""Copies of tensors as Python objects: copy, deepcopy, pickle."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.host.buffer import host_view
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.shared_memory import Sent, shared_memory_of
from lazygrad.ir.alias import keeps_memory
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.shape import Shape, numel
from lazygrad.ops.arguments.options import placed, valueless
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.from_data import copied
from lazygrad.ops.objects.placement import is_shared
from lazygrad.ops.shapes.strided import as_strided
from lazygrad.storage import Storage, storage_of
from lazygrad.tensor import Tensor

# What autograd and modules keep in the ``__dict__`` of a tensor.
ABOUT_THIS_OBJECT = frozenset(["_backward_hooks", "_post_accumulate_hooks", "_name"])


def attributes_of(tensor: Tensor) -> dict[str, Any]:
    """What a program stored on a tensor object. Its hooks and its name in a module are not for copies."""
    return {name: value for name, value in tensor.__dict__.items() if name not in ABOUT_THIS_OBJECT}


@method()
def __copy__(input: Tensor) -> Tensor:
    """A new tensor object with the same contents; a leaf that requires grad becomes another one."""
    return _as_leaf(type(input), input.detach(), input.requires_grad, attributes_of(input))


@method()
def __deepcopy__(input: Tensor, memo: dict[int, Any]) -> Tensor:
    """A leaf with its own memory, gradient included; tensors that share memory share the copy's.

    Raises:
        RuntimeError: the tensor was computed from others that require grad.
    """
    if id(input) in memo:
        found: Tensor = memo[id(input)]
        return found
    if not input.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment; "
            "deepcopy tensor.detach() instead"
        )
    whole = memo.get(id(input._storage))
    if whole is None:
        whole = memo[id(input._storage)] = _copied_storage(input._storage)
        memo.setdefault(id(memo), []).append(input._storage)  # keeps the id from being given to another object
    data = input.alias(detached=False)
    data._storage = whole
    result = _as_leaf(type(input), data, input.requires_grad, copy.deepcopy(attributes_of(input), memo))
    memo[id(input)] = result
    if input.grad is not None:
        result.grad = copy.deepcopy(input.grad, memo)
    return result


def _copied_storage(storage: Storage) -> Storage:
    whole = Tensor.from_node(storage.value).detach()
    return storage_of(copied(whole, whole.dtype, whole.device).node())


def _as_leaf(cls: Any, data: Tensor, requires_grad: bool, attributes: dict[str, Any]) -> Tensor:
    """``data`` as a leaf of a class of tensors."""
    if cls is not Tensor:
        result: Tensor = Tensor._make_leaf_subclass(cls, data, requires_grad)
    else:
        result = data._set_requires_grad(requires_grad)
    result.__dict__.update(attributes)
    return result


@method()
def __reduce_ex__(input: Tensor, protocol: Any) -> tuple[Callable[..., Tensor], tuple[Any, ...]]:
    """How pickle stores a tensor: its memory, strides, ``requires_grad`` and attributes.

    Its gradient, hooks and history are not stored. As in PyTorch all the memory that a view lies in is. Where
    `multiprocessing` sends it to another process, the memory that `share_memory_` made is not stored but shared.
    """
    if not input.device.computes:
        return valueless, (tuple(input.shape), input.dtype, input.device)
    options = type(input), input.device, input.requires_grad, attributes_of(input)
    stored = to_numpy(input.dtype)
    shared = _shared_contents(input)
    if is_whole(input):
        content = np.ascontiguousarray(input.detach().array()) if shared is None else shared
        return _rebuilt, (_sent(content.reshape(input.shape)), *options)
    view = input.view_of_storage()
    if shared is not None:
        return _rebuilt, (_sent(shared.reshape(-1)), *options, (view.shape, view.strides, view.offset))
    content = np.ascontiguousarray(Tensor.from_node(input._storage.value).detach().array()).reshape(-1).view(np.uint8)
    memory = content[: content.size // stored.itemsize * stored.itemsize].view(stored)
    return _rebuilt, (memory, *options, (view.shape, view.strides, view.offset))


def _shared_contents(input: Tensor) -> np.ndarray | None:
    """All that lies in the memory of a tensor that other processes share, if they do and it has that dtype."""
    if input.device is not CPU or not keeps_memory(input._chain) or not is_shared(input):
        return None
    contents = host_view(input._storage.value.value)
    return contents if contents.dtype == to_numpy(input.dtype) else None


def _sent(array: np.ndarray) -> np.ndarray | Sent:
    return array if shared_memory_of(array) is None else Sent(array)


def is_whole(input: Tensor) -> bool:
    """Whether a copy in row-major order is as good as the memory: it has these strides, or has not these elements."""
    view = input.view_of_storage() if keeps_memory(input._chain) else None
    return view is None or (view.is_contiguous and numel(view.shape) == numel(input._storage.value.shape))


def _rebuilt(
    array: np.ndarray,
    cls: type[Tensor],
    device: Device,
    requires_grad: bool,
    attributes: dict[str, Any],
    view: tuple[Shape, Shape, int] | None = None,
) -> Tensor:
    is_attached = shared_memory_of(array) is not None
    data = Tensor.from_array(array, device, shared=True) if is_attached else placed(array, device)
    if view is not None:
        seen = as_strided(data, *view)
        data = Tensor.from_storage(seen._storage, seen._chain, detached=True)
    return _as_leaf(cls, data, requires_grad, attributes)
