"""explain: what it takes, what it leaves alone, and what a report says of itself."""

from __future__ import annotations

import json
import linecache

import pytest

import lazygrad as lg
from lazygrad import nn, optim
from lazygrad.runtime.realize import cache
from tests.passes.programs import realized

from .programs import MODELS, Net


def test_a_tensor_goes_with_the_gradients_that_were_recorded_of_it() -> None:
    model = nn.Linear(3, 1)
    loss = model(realized(4, 3)).square().mean()
    (alone,) = lg.explain(loss).programs
    assert not any(value.is_gradient for value in alone.primitive)
    loss.backward()
    (both,) = lg.explain(loss).programs
    asked = [value.title for value in both.recorded if value.op == "grad"]
    assert asked == ["d loss / d weight", "d loss / d bias"]
    titles = {value.title for value in both.primitive if value.is_gradient}
    assert any(title.startswith("gradient of linear at test_report.py:") for title in titles)
    assert loss.node().value is None and model.weight.grad is not None, "nothing was computed"


def test_a_module_and_a_function_are_called() -> None:
    model, x = Net(), realized(4, 6)
    (program,) = lg.explain(model, x).programs
    assert program.title == "Net" and program.cache.endswith("is the first one with this sequence of operations")
    assert {value.scope for value in program.recorded if value.op == "tanh"} == {f"Net.blocks.{i}.1" for i in range(3)}
    (program,) = lg.explain(lambda a, *, b: {"sum": [a + b]}, x, b=x).programs
    assert [value.op for value in program.primitive if value.step is not None] == ["add"]


def test_each_program_that_a_call_computes_is_explained_before_it_is() -> None:
    x = lg.randn(64, 64).realize()

    def step() -> lg.Tensor:
        first = (x * 2).exp().sum()
        return x / float(first)

    assert [program.title.rpartition(".")[2] for program in lg.explain(step).programs] == ["step, program 1", "step"]


def test_an_optimizers_step_is_two_programs() -> None:
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64))
    optimizer, x = lg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), lg.randn(128, 64).realize()

    def step() -> None:
        model(x).square().mean().backward()
        optimizer.step()

    gradients, updates = lg.explain(step).programs
    assert sum(value.op == "grad" for value in gradients.recorded) == 4
    assert not any(value.is_gradient for value in updates.recorded) and updates.totals.library_calls == 0


def test_why_there_is_no_plan() -> None:
    cache.clear()
    before = lg.get_interpreted_runs()
    lg.set_interpreted_runs(0)
    try:
        (realized(4, 8) * 3.5).exp().realize()
    finally:
        lg.set_interpreted_runs(before)
    assert lg.explain((realized(4, 8) * 2.5).exp()).programs[0].cache == "there is a plan for it in the cache"
    (program,) = lg.explain((realized(4, 9) * 2.5).exp()).programs
    assert "type f32[4,8] became f32[4,9]" in program.cache and "pad or group" in program.cache


def test_json_says_all_that_the_model_does() -> None:
    report = lg.explain(MODELS["regression"]())
    again = json.loads(json.dumps(report.to_json()))
    (program,) = again["programs"]
    assert again["format"] == "lazygrad report 1"
    assert [value["op"] for value in program["recorded"]] == [value.op for value in report.programs[0].recorded]
    assert program["totals"]["kernels"] == report.programs[0].totals.kernels


def test_times_are_those_of_each_step() -> None:
    (program,) = lg.explain(MODELS["regression"](), measure=True).programs
    assert program.measured is not None and program.measured.bytes_per_second > 0
    for step in program.steps:
        assert (step.milliseconds is None) == (step.timed_with is not None)
    assert "µs" in str(lg.explain(realized(3) * 2, measure=True)).split("\nline ")[1].splitlines()[0]


def test_what_cannot_be_explained() -> None:
    with pytest.raises(RuntimeError, match="computed already"):
        lg.explain(realized(3))
    for wrong in (3, [], [1.0]):
        with pytest.raises(TypeError, match="expected tensors, or a function"):
            lg.explain(wrong)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="expected tensors"):
        lg.explain(realized(3) + 1, 2)


def test_a_called_function_shows_steps_of_its_optimizer_and_what_is_computed_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From its second step on an optimizer records none, and three numbers are computed where they are asked for."""
    model = nn.Linear(8, 4)
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    x, few = realized(16, 8), realized(3)

    def step() -> float:
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return (few * 2).sum().item() + loss.item()

    runs = lg.get_interpreted_runs()
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    try:
        lg.set_interpreted_runs(0)
        for _ in range(3):
            step()
        lg.set_interpreted_runs(None)
        before = [parameter.detach().numpy().copy() for parameter in model.parameters()]
        programs = lg.explain(step).programs
        with lg.profile() as found:
            for _ in range(3):
                step()
    finally:
        lg.set_interpreted_runs(runs)
    assert any((p.detach().numpy() != old).any() for p, old in zip(model.parameters(), before, strict=True))
    of_step, small = programs[-2:]
    lines = [{each.text for each in program.places} for program in programs]
    assert "optimizer.step()" in lines[-2] and any("(few * 2).sum()" in text for text in lines[-1])
    assert any(value.op == "adam_update" for value in of_step.recorded)
    assert small.cache == "none is made: so little is computed at once"
    assert {linecache.getline(file, line).strip() for file, line in found.lines()} >= {"optimizer.step()"}
    assert any(work.name.startswith("adam") and work.calls == 3 for work in found.works)


def test_a_number_that_others_wait_for_says_so() -> None:
    """It has no line: all that hold the same number share its node."""
    waiting, model = lg.zeros((), dtype=lg.int64), nn.Linear(4, 4)
    waiting.zero_()
    optimizer = optim.Adam(model.parameters())

    def step() -> None:
        model(realized(2, 4)).square().mean().backward()
        optimizer.step()

    first = lg.explain(step).programs[0]
    assert waiting.item() == 0
    without = [value for value in first.primitive if value.step is not None and value.place is None]
    assert [value.title for value in without] == ["0 for tensors elsewhere"]
