"""``torch.utils.swap_tensors``: two tensors exchange all that they are but for their identity."""

from __future__ import annotations

from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any
from weakref import ref

from lazygrad.autograd_meta import new_leaf
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor

__all__ = ["swap_tensors"]

_KINDS_OF_SLOTS = (MemberDescriptorType, GetSetDescriptorType)
_KEPT = frozenset({"__dict__", "__weakref__", "_name"})  # a module calls the parameter that it has by its name


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange class, attributes, contents and gradients of two tensors.

    What has been recorded of a leaf stays the other's from now on, as does its gradient; so nothing should be recorded
    between a forward pass and its ``backward``, as in PyTorch, which refuses tensors that others refer to.

    Raises:
        RuntimeError: one of the classes has slots that the other has not.
    """
    slots = _slots_of(type(t1))
    if slots != _slots_of(type(t2)):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    is_leaf = [_owns(t1), _owns(t2)]
    classes, attributes = (type(t1), type(t2)), (t1.__dict__, t2.__dict__)
    t1.__class__, t2.__class__ = classes[1], classes[0]
    t1.__dict__, t2.__dict__ = attributes[1], attributes[0]
    for name in slots:
        first, second = _slot(t1, name), _slot(t2, name)
        _set_slot(t1, name, second)
        _set_slot(t2, name, first)
    for tensor, was_leaf in zip((t2, t1), is_leaf, strict=True):
        if was_leaf:
            _own(tensor, tensor._storage)


def _slots_of(cls: type[Tensor]) -> set[str]:
    """The slots of a class and its bases, of which compiled ones have attributes of another kind and no list."""
    found: set[str] = set()
    for base in cls.__mro__[:-1]:
        found.update(name for name, value in vars(base).items() if isinstance(value, _KINDS_OF_SLOTS))
    return found - _KEPT


def _owns(tensor: Tensor) -> bool:
    leaf = tensor._storage.leaf
    return leaf is not None and leaf() is tensor


def _own(tensor: Tensor, storage: Storage) -> None:
    """Let a storage's contents be those of another leaf."""
    storage.leaf = ref(tensor)
    storage.hold(new_leaf(storage.value, storage.leaf))
    storage.version += 1
    storage.unseen_writes += 1


_ABSENT = object()


def _slot(tensor: Tensor, name: str) -> Any:
    return getattr(tensor, name, _ABSENT)


def _set_slot(tensor: Tensor, name: str, value: Any) -> None:
    if value is not _ABSENT:
        setattr(tensor, name, value)
    elif hasattr(tensor, name):
        delattr(tensor, name)
