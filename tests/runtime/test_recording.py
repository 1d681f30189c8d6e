"""What a realization covers: what is stored because somebody can still see it, and what is not."""

from __future__ import annotations

import gc

import lazygrad as lg
from lazygrad.runtime.recording import Recording
from lazygrad.tensor import Tensor
from lazygrad.utils.checkpoint import checkpoint
from tests.passes.programs import realized


def is_realized(x: Tensor) -> bool:
    return x.node().value is not None


def outputs_of_last_plan() -> int:
    return len(lg.last_step().plan_object.schedule.outputs)


def test_temporaries_are_not_stored() -> None:
    x = realized(4, 5)
    (lg.exp(x) * 2 + lg.sin(lg.exp(x) * 2)).realize()
    assert outputs_of_last_plan() == 1


def test_intermediates_that_a_tensor_holds_are_stored() -> None:
    x = realized(4, 5)
    held = lg.exp(x)
    also_held = held * 2
    (also_held + 1).realize()
    assert is_realized(held) and is_realized(also_held)
    assert outputs_of_last_plan() == 3


def test_a_tensor_that_was_let_go_is_a_temporary() -> None:
    x = realized(4, 5)
    held = lg.exp(x)
    result = held * 2
    del held
    result.realize()
    assert outputs_of_last_plan() == 1


def test_counting_references_tells_one_holder_from_none() -> None:
    """The calibration, with every way in which a node can be referred to from inside its own graph."""
    x = realized(4, 5)
    temporary = lg.sin(x)
    result = temporary * temporary + lg.exp(temporary)
    del temporary
    recording = Recording([result.node()])
    assert [node.op.name for node in recording.stored] == ["add"]
    del recording
    held = [result.node().inputs[0]]
    assert [node.op.name for node in Recording([result.node()]).stored] == ["add", "mul"]
    assert len(held) == 1


def test_what_another_pending_program_needs_is_stored() -> None:
    x = realized(4, 5)
    shared = lg.exp(x)
    first, second = shared + 1, shared * 3
    del shared
    first.realize()
    assert outputs_of_last_plan() == 2
    assert [node.value is not None for node in second.node().inputs] == [True, False]


def test_views_are_stored_as_what_they_look_at() -> None:
    x = realized(4, 5)
    view = lg.exp(x).T
    (view + 1).realize()
    stored = {node.op.name for node in lg.last_step().plan_object.schedule.outputs}
    assert stored == {"exp", "add"}
    assert view.shape == (5, 4)


def test_equal_recordings_have_equal_keys() -> None:
    x, y = realized(4, 5), lg.ones(4, 5).realize()
    keys = [tuple(Recording([(lg.exp(source) * 0.3).node()]).key) for source in (x, y)]
    assert keys[0] == keys[1]
    assert keys[0] != tuple(Recording([(lg.exp(x) * 2).node()]).key)


def test_values_without_gradient_forget_how_they_were_made() -> None:
    x = realized(4, 5)
    y = lg.exp(x) * 2
    y.realize()
    assert y.node().inputs == ()
    assert y.node().op.name == "buffer"


def test_values_with_a_gradient_remember_until_backward_has_run() -> None:
    x = realized(4, 5, requires_grad=True)
    y = lg.exp(x)
    loss = y.sum()
    loss.realize()
    assert loss.node().inputs and y.node().inputs
    loss.backward()
    assert x.grad is not None
    lg.realize_all([loss, x.grad])
    assert x.grad.node().inputs == ()
    assert loss.node().inputs == ()


def test_a_pending_gradient_keeps_its_own_history_but_none_recorded_after_it() -> None:
    x = realized(4, 5, requires_grad=True)
    (pending,) = lg.autograd.grad(lg.exp(x).sum(), x, retain_graph=True)
    loss = (x * x).sum()
    loss.backward()
    lg.realize_all([loss, x.grad])
    assert loss.node().inputs == ()
    assert pending.tolist() == lg.exp(x).tolist()


def test_a_long_running_sum_does_not_grow() -> None:
    total, x = lg.zeros(3).realize(), realized(3)
    gc.collect()
    for _ in range(5):
        total = total + x
        total.realize()
    assert total.node().inputs == ()
    assert total.tolist() == (x * 5).tolist()


def test_the_program_is_data_with_slots_in_order_of_first_use() -> None:
    x, y = realized(4, 5), lg.ones(4, 5).realize()
    graph = ((y - x) * 0.3 + 0.7).graph()
    slots = [(node.op.name, node["slot"]) for node in graph.nodes if node.op.name in ("buffer", "scalar")]
    assert slots == [("buffer", 0), ("buffer", 1), ("scalar", 0), ("scalar", 1)]
    assert graph.roots[0].value is None
    assert graph.nodes[0] is not y.node()


def test_operations_share_constants_but_none_that_equals_another_number() -> None:
    x = lg.ones(3)
    assert (x + 1).node().inputs[1] is (x * 1).node().inputs[1]
    assert [str(value) for value in (x * 0.0).tolist()] == ["0.0"] * 3
    assert [str(value) for value in (x * -0.0).tolist()] == ["-0.0"] * 3


def test_the_same_operations_with_other_gradients_wanted_are_another_program() -> None:
    def loss(x_requires_grad: bool) -> float:
        x = lg.ones(3, requires_grad=x_requires_grad).realize()
        weight = lg.full((3,), 2.0, requires_grad=True).realize()
        hidden = lg.exp(x)
        total = (hidden * weight).sum()
        total.item()  # keeps what a backward could reuse, which differs
        total.backward()
        return weight.grad.sum().item()

    assert loss(True) == loss(False) == loss(True)


def test_a_gradient_flows_through_slices_of_what_it_is_asked_for() -> None:
    x = lg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    with lg.no_grad():
        untracked = x * 1
    untracked.requires_grad_()
    y = checkpoint(lambda a: a[1:], untracked, use_reentrant=False)
    y.square().sum().backward()
    assert untracked.grad is not None and untracked.grad.tolist() == [0.0, 4.0, 6.0, 8.0]


def test_a_gradient_flows_through_slices_of_a_slice() -> None:
    x = lg.arange(8.0).reshape(4, 2).realize()
    row = x[1:].requires_grad_()
    row.realize()
    (row[1:][0] * lg.tensor([2.0, 3.0])).sum().backward()
    assert row.grad is not None and row.grad.tolist() == [[0.0, 0.0], [2.0, 3.0], [0.0, 0.0]]
