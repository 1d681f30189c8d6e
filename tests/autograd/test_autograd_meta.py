"""What autograd knows of a node: shared records for what is frequent, and one of the node's own for the rest."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np

import lazygrad as lg
from lazygrad.autograd_meta import (
    CONTENTS,
    TRACKED_CONTENTS,
    is_tracked,
    own_meta,
    tracked_history,
    tracked_inputs,
)
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.versions import superseded


def test_results_of_operations_share_their_records() -> None:
    x, w = lg.ones(3), lg.ones(3, requires_grad=True)
    assert (x * x).node().autograd is CONTENTS
    assert (x * w).node().autograd is TRACKED_CONTENTS
    with lg.no_grad():
        assert (x * w).node().autograd is CONTENTS


def test_a_write_to_one_tensor_marks_no_other() -> None:
    x, y = lg.ones(3) * 2, lg.ones(3) * 3
    old = x.node()
    x.add_(1)
    assert superseded(old)
    assert superseded(y.node()) == superseded(x.node()) == 0


def test_a_record_of_its_own_leaves_the_shared_one_alone() -> None:
    w = lg.ones(3, requires_grad=True)
    first, second = (w * 2).node(), (w * 3).node()
    own_meta(first).tracked = False
    assert not is_tracked(first)
    assert is_tracked(second)


def test_nodes_that_one_backward_used_up_share_a_record_until_more_is_known_of_one() -> None:
    w = lg.ones(3, requires_grad=True)
    a = w * 2
    b = a.exp()
    b.sum().backward()
    assert a.node().autograd is b.node().autograd
    a.retain_grad()
    assert a.retains_grad
    assert not b.retains_grad
    assert a.node().autograd.consumed is b.node().autograd.consumed is not None


def test_a_hook_that_refers_to_its_own_tensor_goes_with_it() -> None:
    w = lg.ones(3, requires_grad=True)

    def node_with_hook() -> ref[Node]:
        y = w * 2
        y.register_hook(lambda gradient: gradient * y.detach())
        y.sum().backward()
        return ref(y.node())

    node = node_with_hook()
    np.testing.assert_array_equal(w.grad.numpy(), [4.0, 4.0, 4.0])
    gc.collect()
    assert node() is None


def test_the_tracked_history_is_in_topological_order() -> None:
    leaves = [lg.randn(3, requires_grad=True) for _ in range(3)]
    shared = leaves[0] * leaves[1]
    outputs = [(shared + leaves[2] * 2).sum().node(), (shared * shared.detach()).node(), shared.node()]
    assert tracked_history(outputs) == topological_order(outputs, tracked_inputs)
    assert tracked_history(outputs[::-1]) == topological_order(outputs[::-1], tracked_inputs)
