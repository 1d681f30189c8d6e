"""Stepping through the passes, and the difference of two graphs as text."""

from __future__ import annotations

from itertools import pairwise

import pytest

import lazygrad as lg
from lazygrad.passes.pipeline import PASSES, run_passes
from tests.passes.programs import realized


def test_every_pass_in_order_from_one_form_to_the_next() -> None:
    weight = realized(4, 3, requires_grad=True)
    lg.softmax(realized(2, 4) @ weight * 1.0, 1).square().sum().backward()
    assert weight.grad is not None
    graph = weight.grad.graph()
    steps = list(graph.passes())
    assert [step.name for step in steps] == [graph_pass.__name__ for graph_pass in PASSES]
    assert steps[0].before is graph
    assert all(step.after is following.before for step, following in pairwise(steps))
    assert str(steps[-1].after) == str(run_passes(weight.grad.graph()).primitive)
    rules = {step.name: step.rules for step in steps if step.rules}
    assert rules["differentiate"]["gradient of softmax"] == 1
    assert rules["decompose"]["spell out softmax"] == 1
    assert rules["simplify"]["mul"] >= 2, "that of the program, and that of its gradient"


def test_what_a_pass_did_is_lines_that_are_gone_and_new_ones() -> None:
    x = realized(2, 4)
    by_name = {step.name: step for step in lg.exp(x * 1.0 + 2.0).graph().passes()}
    lines = by_name["simplify"].diff.splitlines()
    gone = [line for line in lines if line.startswith("-")]
    new = [line for line in lines if line.startswith("+")]
    assert [line.split(" = ")[1].split()[0] for line in gone] == ["constant", "mul", "add"]
    assert [line.split(" = ")[1].split()[0] for line in new] == ["add"]
    assert gone[-1].split(":")[0][1:] == new[0].split(":")[0][1:], "the sum keeps its number"
    assert str(by_name["simplify"]).startswith("simplify: 6 → 4 nodes; mul ×1\n")
    assert not by_name["dce"].diff and str(by_name["dce"]) == "dce: 4 → 4 nodes"


def test_stepping_computes_nothing() -> None:
    x = lg.exp(realized(2, 4))
    for _ in x.graph().passes():
        pass
    assert x.node().value is None


def test_the_difference_of_two_programs() -> None:
    x = realized(2, 4)
    first, second = (lg.exp(x * 2), lg.exp(x * 2) + 1)
    difference = lg.graph_diff(first, second)
    assert [line[0] for line in difference.splitlines()] == ["…", " ", "-", "+", "+", "+"]
    assert "\n+%5: f32[2,4]  = add %3 %4 " in difference, "the exponential has its number in both"
    assert lg.graph_diff(second, second.graph()) == "" and not lg.graph_diff(first.graph(), first)


def test_the_same_on_another_line_is_no_difference() -> None:
    x = realized(2, 4)
    first = (x * 2).exp()
    second = (x * 2).exp()
    assert lg.graph_diff(first, second) == ""
    changed = (x * 2).tanh()
    signs = [line[0] for line in lg.graph_diff(first, changed).splitlines()]
    assert signs == ["…", " ", "-", "-", "+", "+"], "the operation, and the line that returns it"


def test_the_difference_of_two_forms() -> None:
    forms = lg.stages(lg.softmax(realized(2, 4), 1))
    assert "\n-%1: f32[2,4]  = softmax %0 axis=1" in lg.graph_diff(forms.recorded, forms.primitive)
    with pytest.raises(TypeError, match="forms that are graphs, not <plan form"):
        lg.graph_diff(forms.recorded, forms.plan)
