"""Matrix products with one right operand: what a weight used step after step can do once for all steps."""

from __future__ import annotations

from itertools import accumulate

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import with_inputs

_FEW_ROWS = 64  # products with more rows are efficient alone, and their operands too large to copy
_MANY_PRODUCTS = 4  # that read a transposed operand before a copy of it pays


def merge_products(graph: Graph) -> Graph:
    """Products of several inputs with one matrix become one product, seen slice by slice.

    Where the left operands are computed one after another, as in a recurrence, a transposed right operand is copied
    once instead of being packed for every product.
    """
    return _ProductMerger(graph).run()


class _ProductMerger:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.of_inputs: dict[Node, list[Node]] = {}
        self.computed: dict[Node, list[Node]] = {}
        roots = set(graph.roots)
        for node in graph.nodes:
            if node.op is matmul and node.rank == 2 and node.shape[0] <= _FEW_ROWS and node not in roots:
                is_input = mv.view_chain(node.inputs[0])[0].op is buffer
                (self.of_inputs if is_input else self.computed).setdefault(node.inputs[1], []).append(node)
        self.readers: dict[Node, list[Node]] = {}
        for node in graph.nodes:
            for source in node.inputs:
                self.readers.setdefault(source, []).append(node)
        self.replaced: dict[Node, Node] = {}
        self.copies: dict[Node, Node] = {}

    def run(self) -> Graph:
        for node in self.graph.nodes:
            if node not in self.replaced:
                self.replaced[node] = with_inputs(node, self._inputs(node))
            if len(self.of_inputs.get(node, ())) > 1:
                self._merge(node, self.of_inputs[node])
            if node.op is mv.permute and len(self.computed.get(node, ())) >= _MANY_PRODUCTS:
                applied("copy a transposed weight once")
                with deriving_from(node.origin):
                    self.copies[node] = ew.contiguous(self.replaced[node])
        return self.graph.replaced(self.replaced)

    def _inputs(self, node: Node) -> tuple[Node, ...]:
        inputs = tuple([self.replaced[source] for source in node.inputs])
        if node.op is matmul and node.inputs[1] in self.copies:
            return inputs[0], self.copies[node.inputs[1]]
        return inputs

    def _merge(self, right: Node, products: list[Node]) -> None:
        applied("products of inputs with one weight become one product")
        rows = [product.shape[0] for product in products]
        with deriving_from(products[0].origin):
            left = ix.concat(*[product.inputs[0] for product in products], axis=0)  # views of inputs stay as they are
            merged = matmul(left, self.replaced[right])
            sums = self._with_one_bias(products)
            if sums:
                products, merged = sums, merged + sums[0].inputs[1]
            for product, end, count in zip(products, accumulate(rows), rows, strict=True):
                stop = (end, merged.shape[1])
                self.replaced[product] = mv.slice_(merged, start=(end - count, 0), stop=stop, step=(1, 1))

    def _with_one_bias(self, products: list[Node]) -> list[Node]:
        """The sums of the products with one vector that is an input too, if nothing else reads a product."""
        readers = [self.readers.get(product, []) for product in products]
        if any(
            len(nodes) != 1 or nodes[0].op is not ew.add or nodes[0].inputs[0] is not product
            for nodes, product in zip(readers, products, strict=True)
        ):
            return []
        sums = [node for (node,) in readers]
        bias = sums[0].inputs[1]
        is_input = bias.op is buffer and bias.rank == 1 and bias.dtype is products[0].dtype
        return sums if is_input and all(node.inputs[1] is bias for node in sums) else []
