"""Batches of sequences of several lengths: padded, and packed step after step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from lazygrad.ir.dtype import float16, float32, float64, int8, int16, int32, int64, uint8
from lazygrad.ops.creation.filled import full
from lazygrad.ops.creation.from_data import as_tensor, tensor
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.gathering import index_select
from lazygrad.ops.indexing.scattering import scatter
from lazygrad.ops.layers.packing import filled_up, lengths_of, pack, steps_of, unpack
from lazygrad.ops.reductions.sorting import sort
from lazygrad.ops.shapes.joining import cat, stack
from lazygrad.ops.shapes.parts import between, unbind
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.tensor import Tensor
from lazygrad.tensor_parts import computed_tensor, plain_arrays

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpad_sequence",
    "pack_sequence",
    "unpack_sequence",
]


_COPIED = frozenset([float32, float64, int32, int64])
_COPIED_AT_MOST = 1 << 18  # bytes


class PackedSequence_(NamedTuple):
    """The fields of a packed sequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(PackedSequence_):
    """Sequences of several lengths, packed: the first elements of all, then the second ones, and so on.

    `pack_padded_sequence` and `pack_sequence` make it, and recurrent layers take and return it.

    Attributes:
        data: (sum of all lengths, …).
        batch_sizes: how many sequences reach each step, int64 on the CPU.
        sorted_indices: the sequences from the longest on; None if they were sorted.
        unsorted_indices: where each sequence has gone.
    """

    # The padded form that was packed, (T, B, …), and the version of `data` that is the same: layers read that, so that
    # their plans do not depend on how many elements there are.
    _padded: tuple[Tensor, int] | None = None

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU. Packed sequences are made by pack_sequence and "
                             "pack_padded_sequence")  # fmt: skip
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)

    def pin_memory(self) -> Self:
        """All tensors in pinned memory, which on the CPU are these."""
        indices = [None if x is None else x.pin_memory() for x in self[2:]]
        return type(self)(self.data.pin_memory(), self.batch_sizes, *indices)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """``data`` converted as by `Tensor.to`, and the indices on its device; itself where nothing changes."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = [None if x is None else x.to(data.device) for x in self[2:]]
        return type(self)(data, self.batch_sizes, *indices)

    def cuda(self, *args: Any, **kwargs: Any) -> Self:
        """On a GPU; see `to`."""
        return self.to(*args, **({"device": "cuda"} | kwargs))

    def cpu(self, *args: Any, **kwargs: Any) -> Self:
        """On the CPU; see `to`."""
        return self.to(*args, **({"device": "cpu"} | kwargs))

    def double(self) -> Self:
        """``data`` as float64."""
        return self.to(dtype=float64)

    def float(self) -> Self:
        """``data`` as float32."""
        return self.to(dtype=float32)

    def half(self) -> Self:
        """``data`` as float16."""
        return self.to(dtype=float16)

    def long(self) -> Self:
        """``data`` as int64."""
        return self.to(dtype=int64)

    def int(self) -> Self:
        """``data`` as int32."""
        return self.to(dtype=int32)

    def short(self) -> Self:
        """``data`` as int16."""
        return self.to(dtype=int16)

    def char(self) -> Self:
        """``data`` as int8."""
        return self.to(dtype=int8)

    def byte(self) -> Self:
        """``data`` as uint8."""
        return self.to(dtype=uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether ``data`` is on a GPU."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Whether ``data`` is in pinned memory."""
        return self.data.is_pinned()


def packed_steps(
    padded: Tensor, batch_sizes: Tensor, sorted_indices: Tensor | None, unsorted_indices: Tensor | None
) -> PackedSequence:
    """A packed sequence of what lies in ``padded`` (T, B, …), sorted from the longest on."""
    data = pack(padded, batch_sizes.numpy())
    packed = PackedSequence(data, batch_sizes, sorted_indices, unsorted_indices)
    packed._padded = (padded, data._version)
    return packed


def padded_steps(sequence: PackedSequence) -> Tensor:
    """The elements as (T, B, …), sorted from the longest on; whatever there is behind the end of a sequence."""
    if sequence._padded is not None and sequence._padded[1] == sequence.data._version:
        return sequence._padded[0]
    return unpack(sequence.data, sequence.batch_sizes.numpy())


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another one, which is a vector of indices; None for None."""
    if permutation is None:
        return None
    places = arange(permutation.numel(), device=permutation.device)
    return scatter(places, 0, permutation, places)


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs sequences that are padded to one length.

    Args:
        input: (T, B, …), or (B, T, …) for ``batch_first``.
        lengths: of the sequences; on the CPU.
        batch_first: see ``input``.
        enforce_sorted: whether the sequences have to be sorted from the longest on; otherwise they are sorted here.

    Raises:
        RuntimeError: lengths that are no vector with one number for each sequence, are not positive or not sorted.
    """
    lengths = as_tensor(lengths, dtype=int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = sort(lengths, descending=True)
        input = index_select(input, 0 if batch_first else 1, sorted_indices.to(input.device))
    steps = transpose(input, 0, 1) if batch_first else input
    values = lengths.numpy()
    if len(values) != steps.shape[1]:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(values)} "
                           f"(batch_size={steps.shape[1]})")  # fmt: skip
    if values.min() <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
                           "<= 0")  # fmt: skip
    if np.any(values[1:] > values[:-1]):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
                           "pass `enforce_sorted=False` to sort the sequences")  # fmt: skip
    if values[0] > steps.shape[0]:
        raise RuntimeError(f"Expected lengths of at most {steps.shape[0]}, but got {values[0]}")
    sizes = tensor(steps_of(values), device="cpu")
    return packed_steps(between(steps, 0, 0, int(values[0])), sizes, sorted_indices, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Undoes `pack_padded_sequence`.

    Args:
        sequence: what it made, or a recurrent layer.
        batch_first: whether the result is (B, T, …) instead of (T, B, …).
        padding_value: what stands behind the end of a sequence.
        total_length: the number of steps, that of the longest sequence for None.

    Returns:
        The sequences in their old order, and their lengths.

    Raises:
        ValueError: ``total_length`` is too small for the longest sequence.
    """
    longest = sequence.batch_sizes.shape[0]
    if total_length is not None and total_length < longest:
        raise ValueError(f"Expected total_length to be at least the length of the longest sequence in input, but got "
                         f"total_length={total_length} and max sequence length being {longest}")  # fmt: skip
    lengths = tensor(lengths_of(sequence.batch_sizes.numpy()), device="cpu")
    padded = filled_up(
        padded_steps(sequence),
        lengths.to(sequence.data.device),
        padding_value,
        longest if total_length is None else total_length,
    )
    padded = transpose(padded, 0, 1) if batch_first else padded
    if sequence.unsorted_indices is None:
        return padded, lengths
    order = sequence.unsorted_indices
    return index_select(padded, 0 if batch_first else 1, order), index_select(lengths, 0, order.cpu())


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences side by side, padded to the length of the longest.

    Args:
        sequences: (length, …) each.
        batch_first: whether the result is (B, T, …) instead of (T, B, …).
        padding_value: what stands where a sequence has no element.
        padding_side: where that is, ``"right"`` or ``"left"``.

    Raises:
        RuntimeError: no sequences, sequences of different kinds, or another side.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: "
                           f"{type(sequences)}")  # fmt: skip
    listed = list(unbind(sequences, 0) if isinstance(sequences, Tensor) else sequences)
    if not listed:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    longest = max([len(x) for x in listed])
    padded = _padded_now(listed, longest, batch_first, padding_value, padding_side)
    if padded is not None:
        return padded
    rows = []
    for x in listed:
        if len(x) < longest:
            missing = full((longest - len(x), *x.shape[1:]), padding_value, dtype=x.dtype, device=x.device)
            x = cat([x, missing] if padding_side == "right" else [missing, x], 0)
        rows.append(x)
    return stack(rows, 0 if batch_first else 1)


def _padded_now(sequences: Sequence[Tensor], longest: int, batch_first: bool, value: float, side: str) -> Tensor | None:
    """`pad_sequence` of computed numbers, copied once; None of others."""
    dtype = sequences[0].dtype
    if dtype not in _COPIED or not (dtype.is_floating_point or float(value).is_integer()):
        return None
    if any([type(x) is not Tensor for x in sequences]):
        return None
    arrays = plain_arrays(sequences, _COPIED_AT_MOST)
    if arrays is None or len({array.shape[1:] for array in arrays}) > 1:
        return None
    first = arrays[0]
    out = np.full((len(arrays), longest, *first.shape[1:]), value, first.dtype)
    for row, array in zip(out, arrays, strict=True):
        start = longest - len(array) if side == "left" else 0
        row[start : start + len(array)] = array
    return computed_tensor(out if batch_first else np.ascontiguousarray(out.swapaxes(0, 1)), dtype)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences that `pad_sequence` has put side by side, as a list.

    Args:
        padded_sequences: (T, B, …), or (B, T, …) for ``batch_first``.
        lengths: of the sequences.
        batch_first: see ``padded_sequences``.
    """
    each = unbind(padded_sequences, 0 if batch_first else 1)
    return [between(x, 0, 0, int(length)) for x, length in zip(each, lengths.tolist(), strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs a list of sequences, see `pack_padded_sequence`."""
    lengths = [x.shape[0] for x in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of a packed one, as a list."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
