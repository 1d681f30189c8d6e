"""Attention that is spelled out, ``softmax(q @ k.mT * scale + mask) @ v``, becomes one call.

It is looked for before differentiation, so that its gradient is one call as well, and neither stores scores.
"""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.ir.build import filled, reshape, swap_last
from lazygrad.ir.composites.softmax import softmax
from lazygrad.ir.dtype import bool_, float32, float64, int32, int64, uint8
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.primitives import attention as at
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import with_inputs

_FLAGS = (bool_, uint8, int32, int64, float32, float64)  # of which a mask that shows or hides can be


def recognize_attention(graph: Graph) -> Graph:
    """``graph`` with an `attend` for each attention whose scores and probabilities nobody else reads."""
    if not any(node.op is softmax for node in graph.nodes):
        return graph
    return _Recognizer(graph).run()


@dataclass(frozen=True, slots=True)
class _Mask:
    """What a mask does to scores."""

    masking: str
    mask: Node
    fill: Node | None = None


class _Recognizer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.readers: dict[Node, int] = {}
        for read in (*graph.roots, *[source for node in graph.nodes for source in node.inputs]):
            self.readers[read] = self.readers.get(read, 0) + 1
        self.replaced: dict[Node, Node] = {}
        self.learned = _depending(graph) | {node for node in graph.watched if node is not None}

    def run(self) -> Graph:
        for node in self.graph.nodes:
            found = self._attention(node) if node.op is matmul else None
            self.replaced[node] = found or with_inputs(node, tuple([self.replaced[source] for source in node.inputs]))
        return self.graph.replaced(self.replaced)

    def _attention(self, product: Node) -> Node | None:
        """The call in place of a product of probabilities and values."""
        probabilities = self._only_seen(product.inputs[0])
        # One item alone is as likely a layer with weights, whose products are larger than what they store.
        is_softmax = probabilities.op is softmax and probabilities["axis"] == probabilities.rank - 1 >= 2
        if (
            not is_softmax
            or not at.has_many_scores(*probabilities.shape[-2:])
            or not self._is_private(probabilities)
            or product.dtype not in (float32, float64)
        ):
            return None
        scores, mask = self._masked(probabilities.inputs[0])
        scores, scale = self._scaled(scores)
        if scores.op is not matmul or scores.shape != probabilities.shape or not self._is_private(scores):
            return None
        if mask is not None and mask.masking == at.ADDED and mask.mask in self.learned:
            return None  # the gradient of a mask is an array as large as the scores
        return self._call(product, scores, scale, mask)

    def _call(self, product: Node, scores: Node, scale: Node | None, mask: _Mask | None) -> Node:
        applied("one call for an attention that is spelled out")
        with deriving_from(product.origin):
            query, key, value = (self.replaced[x] for x in (*scores.inputs, product.inputs[1]))
            operands = [query, swap_last(key), value, filled((), 1, query) if scale is None else scale]
            if mask is not None:
                masking = self.replaced[mask.mask]
                operands.append(reshape(masking, (*[1] * (2 - masking.rank), *masking.shape)))
                operands += [] if mask.fill is None else [mask.fill]
            masking_name = at.ADDED if mask is None else mask.masking
            return at.attend(*operands, is_causal=False, masking=masking_name, nothing_is_zero=False)

    # Below the softmax.

    def _masked(self, scores: Node) -> tuple[Node, _Mask | None]:
        """What is masked, and how."""
        node = self._only_seen(scores)
        if not self._is_private(node) or node.shape != scores.shape:
            return scores, None
        if node.op is ew.add:
            first, second = node.inputs
            own, mask = (first, second) if self._leads_to_product(first) else (second, first)
            fits = own.shape == node.shape and mask.dtype is node.dtype and self._leads_to_product(own)
            return (own, _Mask(at.ADDED, mask)) if fits else (scores, None)
        if node.op is ew.where:
            condition, yes, no = node.inputs
            own, other = (yes, no) if self._leads_to_product(yes) else (no, yes)
            fill = _number(other)
            if fill is not None and own.shape == node.shape and self._leads_to_product(own):
                return own, _flags(condition, at.SHOWN if own is yes else at.HIDDEN, fill)
        return scores, None

    def _scaled(self, scores: Node) -> tuple[Node, Node | None]:
        """What is scaled, and the number it is multiplied by."""
        node = self._only_seen(scores)
        if node.op in (ew.mul, ew.div) and self._is_private(node):
            first, second = node.inputs
            factor = _number(second)
            if factor is None and node.op is ew.mul:
                first, factor = second, _number(first)
            if factor is not None and first.shape == node.shape:
                return self._only_seen(first), factor if node.op is ew.mul else _reciprocal(factor)
        return node, None

    def _leads_to_product(self, node: Node) -> bool:
        return self._scaled(node)[0].op is matmul

    def _only_seen(self, node: Node) -> Node:
        """``node`` without movements that change nothing."""
        while node.op in (mv.permute, mv.expand, mv.reshape) and self._is_private(node):
            source = node.inputs[0]
            if source.shape != node.shape or (node.op is mv.permute and node["axes"] != tuple(range(node.rank))):
                break
            node = source
        return node

    def _is_private(self, node: Node) -> bool:
        """Whether nothing but the next operation reads it."""
        return self.readers[node] == 1 and node not in self.graph.realized


def _depending(graph: Graph) -> set[Node]:
    """The nodes that depend on something a gradient is asked for, and that itself."""
    found = {node.inputs[2] for node in graph.nodes if node.op is grad}
    if found:
        for node in graph.nodes:
            if node not in found and not found.isdisjoint(node.inputs):
                found.add(node)
    return found


def _number(node: Node) -> Node | None:
    """The number that fills ``node``, in its dtype."""
    base = mv.view_chain(node)[0]
    return base if base.op in (constant, scalar) else None


def _reciprocal(number: Node) -> Node:
    if number.op is constant and number["value"]:
        return filled((), 1 / number["value"], number)
    return ew.div(filled((), 1, number), number)


def _flags(condition: Node, masking: str, fill: Node) -> _Mask:
    """A mask of what a condition compares with zero, which then need not be computed."""
    opposite = {at.SHOWN: at.HIDDEN, at.HIDDEN: at.SHOWN}
    while condition.op in (ew.eq, ew.ne, ew.invert, ew.cast):
        source = condition.inputs[0]
        is_test = condition.op not in (ew.eq, ew.ne) or (
            _is_zero(condition.inputs[1]) and source.shape == condition.shape
        )
        if not is_test or source.dtype not in _FLAGS:
            break
        masking = masking if condition.op in (ew.ne, ew.cast) else opposite[masking]
        condition = source
    return _Mask(masking, condition, fill)


def _is_zero(node: Node) -> bool:
    number = _number(node)
    return number is not None and number.op is constant and number["value"] == 0
