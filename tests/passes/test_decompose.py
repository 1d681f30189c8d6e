"""Decompose leaves primitives only, and the new nodes say which composite they come from."""

from __future__ import annotations

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.op import Kind
from lazygrad.ir.verify import verify
from lazygrad.nn import functional as F
from lazygrad.passes.decompose import decompose
from lazygrad.passes.pipeline import PRIMITIVE_KINDS
from lazygrad.tensor import Tensor
from tests.passes.programs import realized

COMPOUND = {
    "softmax": lambda x: lg.softmax(x, 1),
    "log_softmax": lambda x: lg.log_softmax(x, 1),
    "gelu": F.gelu,
    "layer_norm": lambda x: F.layer_norm(x, (8,)),
    "cross_entropy": lambda x: F.cross_entropy(x, lg.tensor(np.arange(4))),
    "linear": lambda x: F.linear(x, realized(3, 8)),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "dropout": lambda x: F.dropout(x, 0.5),
    "variance": lambda x: x.var(1),
    "detach": lambda x: (x * 2).detach() + 1,
}


@pytest.mark.parametrize("name", COMPOUND)
def test_only_primitives_are_left(name: str) -> None:
    recorded = COMPOUND[name](realized(4, 8)).graph()
    verify(decompose(recorded), PRIMITIVE_KINDS)


def test_parts_of_a_composite_have_its_origin_and_name() -> None:
    y = lg.softmax(realized(4, 8), 1)
    parts = [node for node in decompose(y.graph()).nodes if node.op.kind is not Kind.LEAF]
    assert len(parts) == 5
    for node in parts:
        assert node.origin is not None
        assert node.origin.label == "softmax"
        assert "test_decompose.py" in str(node.origin)


def test_composites_of_composites_are_spelled_out_to_the_end() -> None:
    class Head(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return F.cross_entropy(F.gelu(x), lg.tensor(np.arange(4)))

    graph = decompose(Head()(realized(4, 8)).graph())
    assert not [node for node in graph.nodes if isinstance(node.op, Composite)]
    assert any(node.origin is not None and node.origin.scope == "Head" for node in graph.nodes)


def test_a_graph_of_primitives_stays_the_same_nodes() -> None:
    graph = (realized(4, 8) * 2 + 1).graph()
    assert decompose(graph).roots == graph.roots
