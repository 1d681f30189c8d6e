"""The gradient of a table as the rows that were looked up."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd.sparse_gradients import SparseGradients
from lazygrad.ir.node import Node
from lazygrad.ops.indexing.masking import nonzero
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.reshaping import reshape, unsqueeze
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor


def _assembled(table: Node, lookups: Sequence[Node], gradients: Sequence[Node]) -> SparseTensor:
    places, rows = [], []
    for lookup, gradient in zip(lookups, gradients, strict=True):
        place = reshape(Tensor.from_node(lookup.inputs[1]).long(), (-1,))
        row = reshape(Tensor.from_node(gradient), (-1, table.shape[1]))
        if lookup["padding"] is not None:
            counted = nonzero(place != lookup["padding"])[:, 0]
            place, row = place[counted], row[counted]
        places.append(place)
        rows.append(row)
    return SparseTensor(unsqueeze(cat(places), 0), cat(rows), tuple(table.shape))


SparseGradients.assemble = staticmethod(_assembled)
