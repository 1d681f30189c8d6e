"""Batches as messages between processes: a pickle, and beside it the bytes of large arrays in shared memory."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.data.slots import Sent, SlotReader, SlotWriter
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.alias import keeps_memory
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import DType
from lazygrad.ir.view import View
from lazygrad.ops.objects.copying import attributes_of
from lazygrad.tensor import Tensor

_IN_SLOTS = 1 << 14  # bytes; to copy less into a pickle and out of it is quicker than to map it


class Message:
    """A packed value.

    Attributes:
        pickled: the pickle.
        packed: slots that hold arrays of it, with their sizes in bytes.
    """

    def __init__(self, value: Any, slots: SlotWriter) -> None:
        self.packed: list[tuple[int, int]] = []
        self._slots = slots
        stream = io.BytesIO()
        _Pickler(stream, self._keep_in_pickle).dump(value)
        self.pickled = stream.getvalue()

    def _keep_in_pickle(self, buffer: pickle.PickleBuffer) -> bool:
        data = np.frombuffer(buffer.raw(), np.uint8)
        slot = self._slots.place(data) if data.size >= _IN_SLOTS else None
        if slot is None:
            return True
        self.packed.append((slot, data.size))
        return False


def unpacked(pickled: bytes, sent: list[Sent], slots: SlotReader) -> Any:
    """The value of a message, its large arrays in the slots they came in."""
    return pickle.loads(pickled, buffers=slots.arrays(sent))


class _Pickler(pickle.Pickler):
    """Gives a tensor's memory to the one who asks for buffers."""

    def __init__(self, stream: io.BytesIO, keep_in_pickle: Callable[[pickle.PickleBuffer], bool]) -> None:
        super().__init__(stream, protocol=5, buffer_callback=keep_in_pickle)

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Tensor) and obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor "
                "before serializing (e.g., putting it on the queue)."
            )
        if (
            type(obj) is not Tensor
            or obj.device is not CPU
            or not obj.is_leaf
            or attributes_of(obj)
            or not _is_row_major(obj)
        ):
            return NotImplemented
        array = np.ascontiguousarray(obj.detach().array()).reshape(-1).view(np.uint8)
        return _tensor_over, (pickle.PickleBuffer(array.data), obj.dtype, tuple(obj.shape), obj.requires_grad)


def _is_row_major(tensor: Tensor) -> bool:
    return not keeps_memory(tensor._chain) or View.contiguous(tensor.shape).strides == tensor.view_of_storage().strides


def _tensor_over(data: Any, dtype: DType, shape: tuple[int, ...], requires_grad: bool) -> Tensor:
    array = np.frombuffer(data, np.uint8)
    if not array.flags.writeable:
        array = array.copy()
    tensor = Tensor.from_array(array.view(to_numpy(dtype)).reshape(shape), CPU, shared=False)
    return tensor.requires_grad_() if requires_grad else tensor
