"""Attention and its gradients: in tiles, or as products with a softmax in between.

Of the latter, as many items are done at a time as have scores that fit `_SCORE_BYTES`. Either way scores are computed
again for the gradients, which need query, key and value only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import attention as at
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library import tiled_attention
from lazygrad.targets.cuda.library.arrays import Array, indices, names, operand, result, scratch_array
from lazygrad.targets.cuda.library.attention_operands import Operands, operands_of, side_by_side
from lazygrad.targets.cuda.library.matmul import multiply
from lazygrad.targets.cuda.library.moves import number
from lazygrad.targets.cuda.table import Parameter
from lazygrad.targets.cuda.writer import Writer

_SCORE_BYTES = 1 << 26  # what stays in a second-level cache for the next kernel, roughly
_BLOCK = 128
_MOST_BLOCKS = 1 << 16


def attend(writer: Writer, node: Node) -> None:
    """softmax(query · keyᵀ · scale, masked) · value"""
    out = result(writer, node)
    whole = operands_of(writer, node, node.inputs, node.shape[:-2])
    tiling = tiled_attention.forward_tiling(whole)
    if tiling is not None:
        tiled_attention.attend(writer, whole, out, tiling)
        return
    for own, first, last in _parts(writer, whole):
        probabilities = _probabilities(writer, own)
        multiply(writer, probabilities, own.value, out.narrowed(0, first, last) if whole.lead else out)


def attend_gradients(writer: Writer, node: Node) -> None:
    """The gradients in query, key and value, one behind another in each item."""
    out, lead = result(writer, node), node.shape[:-1]
    whole = operands_of(writer, node, node.inputs[1:], lead)
    cotangent = operand(writer, node.inputs[0])
    tiling = tiled_attention.gradient_tiling(whole)
    if tiling is not None:
        tiled_attention.attend_gradients(writer, whole, cotangent, out, tiling)
        return
    for own, first, last in _parts(writer, whole):
        g, target = (x.narrowed(0, first, last) if lead else x for x in (cotangent, out))
        probabilities = _probabilities(writer, own)
        slopes = scratch_array(writer, out.dtype, own.scores)
        multiply(writer, g, _turned(own.value), slopes)
        _slopes(writer, own, probabilities, slopes)
        into_query, into_key, into_value = side_by_side(target, [own.query, own.key, own.value])
        multiply(writer, slopes, own.key, into_query)
        multiply(writer, _turned(slopes), own.query, into_key)
        multiply(writer, _turned(probabilities), g, into_value)


def _parts(writer: Writer, whole: Operands) -> Iterator[tuple[Operands, int, int]]:
    """Items whose scores fit, and which these are along the first leading axis; scratch memory is used again."""
    if not whole.lead:
        yield whole, 0, 1
        return
    per_item = prod(whole.scores[1:]) * whole.query.dtype.itemsize
    step, used = max(1, _SCORE_BYTES // max(per_item, 1)), writer.scratch_mark()
    for first in range(0, whole.lead[0], step):
        last = min(first + step, whole.lead[0])
        writer.free_scratch(used)
        yield whole.part(first, last), first, last


def _turned(array: Array) -> Array:
    """Matrices transposed."""
    (*lead, rows, columns), (*apart, down, along) = array.shape, array.strides
    return replace(array, shape=(*lead, columns, rows), strides=(*apart, along, down))


def _probabilities(writer: Writer, own: Operands) -> Array:
    """Scores, and in their place what softmax makes of them."""
    scores = scratch_array(writer, own.query.dtype, own.scores)
    multiply(writer, own.query, _turned(own.key), scores)
    _row_kernel(writer, "attention_softmax", own, [scores])
    return scores


def _slopes(writer: Writer, own: Operands, probabilities: Array, slopes: Array) -> None:
    """Gradients in probabilities become those in scores."""
    _row_kernel(writer, "attention_slopes", own, [probabilities, slopes])


def _row_kernel(writer: Writer, template: str, own: Operands, arrays: Sequence[Array]) -> None:
    """Launch a function with a block per row of scores."""
    rows, columns = prod(own.scores[:-1]), own.scores[-1]
    if not rows or not columns:
        return
    kind, mask, node = CUDA.register_type(own.query.dtype), own.mask, own.node
    declarations, scale = number(writer, own.scale, "scale")
    parameters: list[tuple[str, Parameter]] = [
        (f"{kind} *{name}", array.start) for name, array in zip(("scores", "slopes"), arrays, strict=False)
    ]
    parameters += declarations
    fill, place, stride = f"-lg_infinity_{kind}()", Code("0"), 0
    if mask is not None:
        parameters.append((f"const {CUDA.memory_type(mask.dtype)} *mask", mask.start))
        at_row = [*names("i", len(own.scores) - 1), "0"]
        place, stride = mask.place(at_row), mask.strides[-1]
    if own.fill is not None:
        more, fill = number(writer, own.fill, "fill")
        parameters += more
    blocks = min(rows, _MOST_BLOCKS)
    loaded = "0" if mask is None else CUDA.loaded("masks[j]" if stride == 1 else f"masks[j * {stride}]", mask.dtype)
    name = writer.library(
        template,
        template,
        kind=Code(kind),
        rows=rows,
        columns=columns,
        queries=own.scores[-2],
        block=_BLOCK,
        blocks=blocks,
        decode=indices(own.scores[:-1], "row", "i"),
        parameters=code_lines([declaration for declaration, _ in parameters]),
        scale=Code(scale),
        fill=Code(fill),
        is_causal=int(node["is_causal"]),
        masking="none" if mask is None else node["masking"],
        shows=Code("true" if node["masking"] == at.SHOWN else "false"),
        added=at.ADDED,
        shown=at.SHOWN,
        mask=place,
        masked=Code(loaded),
        mask_memory=Code("" if mask is None else CUDA.memory_type(mask.dtype)),
        nothing_is_zero=int(node["nothing_is_zero"]),
    )
    writer.launch(name, blocks, _BLOCK, [parameter for _, parameter in parameters])
