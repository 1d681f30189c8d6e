"""Pullbacks of attention: one call for query, key and value; what is rarely asked for goes through the parts."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import expand, reshape, zeros_like
from lazygrad.ir.composites.attention import spelled_out_attention
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives import attention as at
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ir.primitives.movement import slice_
from lazygrad.ir.shape import numel


def _attend(g: Node, y: Node, *operands: Node) -> Cotangents:
    joined = at.attend_gradients(g, *operands, **dict(y.named_attrs()))
    into_operands = _parted(joined, operands[:3])
    if len(operands) == 4:
        return (*into_operands, None)
    # A mask is rarely learned, and its gradient is an array of queries × keys anyway.
    return (*into_operands, None, lambda: _into_mask(g, y, *operands), *[None] * (len(operands) - 5))


def _parted(joined: Node, operands: Sequence[Node]) -> list[Node]:
    """The gradients that lie side by side in each item."""
    lead, end, parts = joined.shape[:-1], 0, []
    for operand in operands:
        begin, end = end, end + numel(operand.shape[-2:])
        start, stop = (*[0] * len(lead), begin), (*lead, end)
        parts.append(
            reshape(slice_(joined, start=start, stop=stop, step=(1,) * joined.rank), (*lead, *operand.shape[-2:]))
        )
    return parts


def _into_mask(g: Node, y: Node, *operands: Node) -> Node:
    variables = _variables(operands)
    found = reverse_sweep(spelled_out_attention(*variables, **dict(y.named_attrs())), g, [variables[4]])
    return found.get(variables[4]) or zeros_like(operands[4])


def _attend_gradients(g: Node, y: Node, *operands: Node) -> Cotangents:
    """Through the gradients as operations that have derivatives."""
    variables = _variables(operands)
    lead = y.shape[:-1]
    wide = [expand(variable, (*lead, *variable.shape[-2:])) for variable in variables[1:4]]
    found = reverse_sweep(spelled_out_attention(*wide, *variables[4:], **dict(y.named_attrs())), variables[0], wide)
    parts = [found.get(variable) or zeros_like(variable) for variable in wide]
    joined = concat(*[reshape(part, (*lead, numel(part.shape[-2:]))) for part in parts], axis=len(lead))
    found = reverse_sweep(joined, g, variables)
    return tuple([found.get(variable) for variable in variables])


def _variables(operands: Sequence[Node]) -> list[Node]:
    """The operands, told apart where they are one node."""
    return [make_node(straight_through, (operand, operand), (), operand.origin) for operand in operands]


define_pullbacks({at.attend: _attend, at.attend_gradients: _attend_gradients})
