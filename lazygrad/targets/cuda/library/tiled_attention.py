"""Attention in tiles: scores live in registers and shared memory only.

A block has a tile of queries and goes over the keys, with a softmax that is corrected when a larger score comes (Dao,
Fu, Ermon, Rudra and Ré, "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022, Algorithms
1 and 4; Dao, "FlashAttention-2", 2023, for the order of loops). For the gradients, a block with a tile of queries finds
the logarithm of each row's sum and what each row's gradient takes off, and then its gradient in the queries. A block
with a tile of keys reads both numbers, and sums over the queries. So no two blocks add to one element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.ir.dtype import DType, float32
from lazygrad.ir.primitives import attention as at
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import Array, indices, names, scratch_array
from lazygrad.targets.cuda.library.attention_operands import Operands, side_by_side
from lazygrad.targets.cuda.library.moves import number
from lazygrad.targets.cuda.table import Parameter
from lazygrad.targets.cuda.writer import Writer

_SHARED_BYTES = 96 << 10  # of a block, which all devices since sm_80 have
_GRANULE = 16  # that rows are filled up to a multiple of
_THREADS, _PAD = 256, 4  # as in tiles.cuh
_MOST_BLOCKS = (1 << 31) - 1

Declared = list[tuple[str, Parameter]]


class Tiling(NamedTuple):
    """How tiles lie in shared memory.

    Attributes:
        size: rows of a tile.
        shared_bytes: of all tiles.
    """

    size: int
    shared_bytes: int


def forward_tiling(own: Operands) -> Tiling | None:
    """That of `attend`, or None where attention is not computed in tiles."""
    length, value_length = _lengths(own)
    return _tiling(own, [length, max(length, value_length)])


def gradient_tiling(own: Operands) -> Tiling | None:
    """That of `attend_gradients`, or None where they are not computed in tiles."""
    length, value_length = _lengths(own)
    return _tiling(own, [length, length, value_length, value_length])


def _tiling(own: Operands, lengths: Sequence[int]) -> Tiling | None:
    """The largest tiles of float32 that fit, with rows of some lengths, and one of scores."""
    if own.query.dtype is not float32 or not prod(own.scores) or not min(own.query.shape[-1], own.value.shape[-1]):
        return None
    for size in (64, 32):
        tiling = Tiling(size, size * sum(length + _PAD for length in (*lengths, size)) * float32.itemsize)
        if tiling.shared_bytes <= _SHARED_BYTES:
            blocks = prod(own.lead) * -(-max(own.scores[-2:]) // size)
            return tiling if blocks <= _MOST_BLOCKS else None
    return None


def _lengths(own: Operands) -> tuple[int, int]:
    """Of rows of queries and keys, and of rows of values, in shared memory."""
    length, value_length = [-(-array.shape[-1] // _GRANULE) * _GRANULE for array in (own.query, own.value)]
    return length, value_length


def attend(writer: Writer, own: Operands, out: Array, tiling: Tiling) -> None:
    """softmax(query · keyᵀ · scale, masked) · value"""
    declared = [*_inputs(own), (_pointer(out.dtype, "out", False), out.start)]
    places = {"longer": max(_lengths(own)), "out": _item_place(out), "out_down": out.strides[-2]}
    _launch(writer, "attention_tiles", own, tiling, own.scores[-2], declared, places)


def attend_gradients(writer: Writer, own: Operands, cotangent: Array, out: Array, tiling: Tiling) -> None:
    """The gradients in query, key and value, one behind another in each item of ``out``."""
    norms, parts = (scratch_array(writer, float32, own.scores[:-1]) for _ in range(2))
    into_query, into_key, into_value = side_by_side(out, [own.query, own.key, own.value])
    given: Declared = [*_inputs(own), (_pointer(cotangent.dtype, "g"), cotangent.start)]
    places = {"g": _item_place(cotangent), **_strides("g", cotangent)}
    rows = [("norms", norms), ("parts", parts)]

    declared = [*given, *[(_pointer(float32, name, False), array.start) for name, array in rows]]
    declared.append((_pointer(out.dtype, "out", False), into_query.start))
    own_places = {**places, "out": _item_place(into_query)}
    _launch(writer, "attention_query_tiles", own, tiling, own.scores[-2], declared, own_places)

    declared = [*given, *[(_pointer(float32, name), array.start) for name, array in rows]]
    results = {"key_out": into_key, "value_out": into_value}
    declared += [(_pointer(out.dtype, name, False), array.start) for name, array in results.items()]
    own_places = {**places, **{name: _item_place(array) for name, array in results.items()}}
    _launch(writer, "attention_key_tiles", own, tiling, own.scores[-1], declared, own_places)


def _pointer(dtype: DType, name: str, is_read: bool = True) -> str:
    return f"{'const ' if is_read else ''}{CUDA.memory_type(dtype)} *{name}"


def _inputs(own: Operands) -> Declared:
    arrays = {"query": own.query, "key": own.key, "value": own.value} | ({} if own.mask is None else {"mask": own.mask})
    return [(_pointer(array.dtype, name), array.start) for name, array in arrays.items()]


def _strides(name: str, array: Array) -> dict[str, int]:
    return {f"{name}_down": array.strides[-2], f"{name}_along": array.strides[-1]}


def _item_place(array: Array) -> Code:
    """Where the matrix of an item begins."""
    return array.place([*names("i", len(array.shape) - 2), "0", "0"])


def _launch(
    writer: Writer,
    template: str,
    own: Operands,
    tiling: Tiling,
    rows: int,
    declared: Declared,
    places: Mapping[str, Any],
) -> None:
    """Launch a function with a block per tile of so many rows of each item."""
    (length, value_length), tiles = _lengths(own), -(-rows // tiling.size)
    scales, scale = number(writer, own.scale, "scale_at")
    fills, fill = number(writer, own.fill, "fill") if own.fill is not None else ([], "")
    declared = [*declared, *scales, *fills]
    arrays = {"query": own.query, "key": own.key, "value": own.value}
    name = writer.library(
        template,
        template,
        tile=Code(f"lg_plain<{tiling.size}>"),
        threads=_THREADS,
        memory=Code(CUDA.memory_type(own.query.dtype)),
        tiles=tiles,
        decode=indices(own.lead, "item", "i"),
        parameters=code_lines([declaration for declaration, _ in declared]),
        scale=Code(scale),
        fill=Code(fill),
        **_masking(own),
        is_causal=bool(own.node["is_causal"]),
        nothing_is_zero=bool(own.node["nothing_is_zero"]),
        queries=own.scores[-2],
        keys=own.scores[-1],
        across=own.query.shape[-1],
        length=length,
        value_across=own.value.shape[-1],
        value_length=value_length,
        **{name: _item_place(array) for name, array in arrays.items()},
        **{key: stride for name, array in arrays.items() for key, stride in _strides(name, array).items()},
        **places,
    )
    parameters = [parameter for _, parameter in declared]
    writer.launch(name, prod(own.lead) * tiles, _THREADS, parameters, tiling.shared_bytes)


def _masking(own: Operands) -> dict[str, Any]:
    """What the templates are told of a mask; ``masked`` is its element of query q and key k."""
    mask, masking = own.mask, own.node["masking"]
    if mask is None:
        return {"masking": "none", "added": at.ADDED}
    element = CUDA.loaded(f"mask[q * {mask.strides[-2]} + k * {mask.strides[-1]}]", mask.dtype)
    shows = Code("true" if masking == at.SHOWN else "false")
    return {
        "masking": masking, "added": at.ADDED, "mask": _item_place(mask), "masked": Code(element), "shows": shows
    }  # fmt: skip
