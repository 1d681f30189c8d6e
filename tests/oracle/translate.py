"""Arguments made for torch, as arguments for lazygrad: tensors with the same elements in the same memory layout."""

from __future__ import annotations

import copy
import types
from typing import Any

import ml_dtypes
import torch

import lazygrad as lg

DTYPES = {
    getattr(torch, name): getattr(lg, name)
    for name in "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
    if hasattr(lg, name)
}
_CONSTANTS = {
    value: getattr(lg, name)
    for name, value in vars(torch).items()
    if isinstance(value, (torch.layout, torch.memory_format)) and hasattr(lg, name)
}


class Untranslatable(Exception):
    """An argument that lazygrad has no counterpart of; the reason is the message."""


def tensor_from_torch(tensor: torch.Tensor) -> Any:
    """A lazygrad leaf with the elements, strides, offset and ``requires_grad`` of ``tensor``, in memory of its own."""
    if tensor.dtype not in DTYPES:
        raise Untranslatable(f"dtype {tensor.dtype}")
    if tensor.device.type != "cpu":
        raise Untranslatable(f"device {tensor.device}")
    if tensor.ndim > 64:
        raise Untranslatable("numpy arrays have at most 64 dimensions")
    if tensor.layout is not torch.strided:
        return _sparse_from_torch(tensor)
    plain = tensor.detach().resolve_conj().resolve_neg()
    memory = torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
    if plain.dtype is torch.bfloat16:
        array = memory.view(torch.int16).numpy().copy().view(ml_dtypes.bfloat16)
    else:
        array = memory.numpy().copy()
    result = lg.from_numpy(array)
    view = (tuple(plain.shape), tuple(plain.stride()), plain.storage_offset())
    if plain.is_contiguous() and plain.numel() == len(array):
        result = lg.from_numpy(array.reshape(plain.shape))
    else:
        result = lg.as_strided(result, *view)
    return result.requires_grad_() if tensor.requires_grad else result


def _sparse_from_torch(tensor: torch.Tensor) -> Any:
    if tensor.layout is not torch.sparse_coo or not hasattr(lg, "sparse_coo_tensor"):
        raise Untranslatable(f"layout {tensor.layout}")
    plain = tensor.detach()
    indices, values = tensor_from_torch(plain._indices()), tensor_from_torch(plain._values())
    return lg.sparse_coo_tensor(indices, values, tuple(plain.shape), requires_grad=tensor.requires_grad)


def copied(value: Any) -> Any:
    """Torch arguments with tensors of their own, so that in-place functions leave the originals alone."""
    if isinstance(value, torch.Tensor):
        return copy.deepcopy(value.detach()).requires_grad_(value.requires_grad)
    return _mapped(value, copied)


def translated(value: Any) -> Any:
    """A torch argument, or any nesting of them, for lazygrad."""
    if isinstance(value, torch.Tensor):
        return tensor_from_torch(value)
    if isinstance(value, torch.dtype):
        if value not in DTYPES:
            raise Untranslatable(f"dtype {value}")
        return DTYPES[value]
    if isinstance(value, (torch.layout, torch.memory_format)):
        if value not in _CONSTANTS:
            raise Untranslatable(str(value))
        return _CONSTANTS[value]
    if isinstance(value, torch.device):
        return lg.device(str(value))
    if isinstance(value, torch.Generator):
        return lg.Generator().manual_seed(value.initial_seed())
    return _mapped(value, translated)


def _mapped(value: Any, function: Any) -> Any:
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, slice):
        return slice(*(function(part) for part in (value.start, value.stop, value.step)))
    if isinstance(value, (tuple, list)):
        parts = [function(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: function(part) for key, part in value.items()}
    return value


def rebound(function: Any) -> Any:
    """``function``, a Python function that names ``torch``, with lazygrad in torch's place."""
    names = {**function.__globals__, "torch": lg, "np": function.__globals__.get("np")}
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
