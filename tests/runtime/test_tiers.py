"""Programs are interpreted when they are new and planned when they come again, with the same results."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host import background
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.realize import cache, unfused
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from lazygrad.tensor import Tensor
from tests.runtime.toolchains import needs_compiler, wait_as_for_a_compiler


@pytest.fixture(autouse=True)
def interpreting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One run of each program is interpreted."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    before = get_interpreted_runs()
    set_interpreted_runs(1)
    cache.clear()
    yield
    set_interpreted_runs(before)


def counts() -> tuple[int, int, int]:
    """How many realizations were interpreted, planned, and found in the cache."""
    info = lg.cache_info()
    return info.interpreted, info.misses, info.hits


def test_the_second_run_is_planned_and_the_third_found() -> None:
    results = [(lg.arange(6.0).reshape(2, 3) * 2).exp().sum(1).tolist() for _ in range(4)]
    assert counts() == (1, 1, 2)
    assert all(result == pytest.approx(results[0]) for result in results)


@needs_compiler
def test_runs_are_counted_by_tier() -> None:
    x = lg.ones(3).realize()

    def tiers() -> tuple[int, int, int]:
        x.add(1).exp().sum().item()
        info = lg.cache_info()
        return info.interpreted, info.planned_runs, info.compiled_runs

    cache.clear()
    with lg.backend("auto"):
        others_work = threading.Event()  # what is on disk would be there before the third run
        background.submit("others' work", lambda: wait_as_for_a_compiler(others_work))
        assert [tiers() for _ in range(3)] == [(1, 0, 0), (1, 1, 0), (1, 2, 0)]
        others_work.set()
        lg.wait_for_compiler()
        assert tiers() == (1, 2, 1)
    with lg.backend("numpy"):
        assert tiers() == (1, 3, 1)
    cache.clear()
    info = lg.cache_info()
    assert (info.planned_runs, info.compiled_runs) == (0, 0)


def test_what_never_comes_again_is_never_planned() -> None:
    for length in range(2, 12):
        lg.softmax(lg.ones(length), 0).sum().item()
    assert counts() == (10, 0, 0)


def test_all_is_planned_at_once_on_demand() -> None:
    set_interpreted_runs(0)
    lg.ones(3).add(1).tolist()
    assert counts() == (0, 1, 0)


def large() -> float:
    """A program that is too large to be computed at once."""
    return lg.ones(100, 100).add(1).sum().item()


def test_without_a_number_a_program_is_planned_when_its_runs_took_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    set_interpreted_runs(None)
    monkeypatch.setattr("lazygrad.runtime.plan_cache._PLANNING", 1e6)
    for _ in range(5):
        large()
    assert counts() == (5, 0, 0)
    monkeypatch.setattr("lazygrad.runtime.plan_cache._PLANNING", 0.0)
    large()
    large()  # meanwhile a plan is made
    lg.wait_for_compiler()
    assert counts() == (7, 0, 0)
    for _ in range(2):
        assert large() == 20000.0
    assert counts() == (7, 1, 2)


def test_a_run_that_waits_is_not_worth_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    set_interpreted_runs(None)
    noted: list[float] = []
    monkeypatch.setattr(cache, "spend", lambda key, seconds, steps: noted.append(seconds))
    monkeypatch.setattr("time.thread_time", iter([1.0, 1.5]).__next__)  # the clock of this thread's work
    lg.ones(100, 100).exp().sum().item()
    assert noted == [0.5]


def test_a_program_is_interpreted_while_its_plan_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    set_interpreted_runs(None)
    monkeypatch.setattr("lazygrad.runtime.plan_cache._PLANNING", 0.0)
    gate = threading.Event()
    real = Plan.make_ready

    def make_ready(self: Plan) -> None:
        gate.wait()
        real(self)

    monkeypatch.setattr(Plan, "make_ready", make_ready)
    x = lg.arange(12000.0).realize() / 12000
    cache.clear()
    results = [(x * 0.3 + 1).exp().cos().sum() for _ in range(6)]
    values = [result.item() for result in results[:5]]
    assert counts() == (5, 0, 0)
    gate.set()
    lg.wait_for_compiler()
    values.append(results[5].item())
    assert counts() == (5, 1, 1)
    assert values == pytest.approx([values[0]] * 6)


def test_a_plan_that_cannot_be_made_says_so_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("the planner's fault")

    set_interpreted_runs(None)
    monkeypatch.setattr("lazygrad.runtime.plan_cache._PLANNING", 0.0)
    monkeypatch.setattr("lazygrad.runtime.plan.plan_memory", fail)
    for _ in range(2):
        large()
    lg.wait_for_compiler()
    with pytest.raises(ZeroDivisionError, match="the planner's fault"):
        large()


def test_plans_that_arrive_after_the_cache_was_cleared_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    set_interpreted_runs(None)
    monkeypatch.setattr("lazygrad.runtime.plan_cache._PLANNING", 0.0)
    for _ in range(2):
        large()
    cache.clear()
    lg.wait_for_compiler()
    large()
    assert counts() == (1, 0, 0) and lg.cache_info().size == 0


def test_more_runs_may_be_interpreted() -> None:
    set_interpreted_runs(3)
    for _ in range(5):
        lg.ones(3).add(1).tolist()
    assert counts() == (3, 1, 1)


@pytest.mark.parametrize("context", [unfused, lambda: lg.backend("c")], ids=["unfused", "c"])
def test_what_asks_for_kernels_is_planned(context: Callable[[], object]) -> None:
    with context():  # type: ignore[attr-defined]
        lg.ones(3).add(1).tolist()
    assert counts()[:2] == (0, 1)


def test_deterministic_programs_are_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "1")
    lg.ones(3).add(1).tolist()
    assert counts() == (0, 1, 0)


@pytest.mark.parametrize("value", ["-1", "many"])
def test_a_wrong_number_of_runs_in_the_environment(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazygrad.runtime.tiers._Process.is_known", False)
    monkeypatch.setenv("LAZYGRAD_INTERPRETED_RUNS", value)
    with pytest.raises(ValueError, match="LAZYGRAD_INTERPRETED_RUNS must be a number"):
        get_interpreted_runs()


def test_a_negative_number_of_runs() -> None:
    with pytest.raises(ValueError, match="must be 0 or more, not -1"):
        set_interpreted_runs(-1)


def _losses(runs: int, steps: int = 6) -> list[float]:
    set_interpreted_runs(runs)
    lg.manual_seed(3)
    model = lg.nn.Sequential(lg.nn.Linear(4, 8), lg.nn.GELU(), lg.nn.LayerNorm(8), lg.nn.Linear(8, 3))
    optimizer = lg.optim.Adam(model.parameters(), lr=0.05)
    x, y = lg.randn(10, 4), lg.randint(0, 3, (10,))
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = lg.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_training_takes_the_same_course_in_every_tier() -> None:
    planned = _losses(0)
    for runs in (1, 2, 100):
        assert _losses(runs) == pytest.approx(planned, rel=1e-5)


def test_a_backward_after_a_read_uses_the_values_that_were_kept() -> None:
    x = lg.tensor([0.5, 1.5], requires_grad=True)
    loss = (x.exp() * x).sum()
    assert loss.item() == pytest.approx(float(np.sum(np.exp([0.5, 1.5]) * [0.5, 1.5])))
    loss.backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), np.exp([0.5, 1.5]) * (1 + np.array([0.5, 1.5])), rtol=1e-6)


def test_an_update_lies_where_the_old_value_did() -> None:
    x = lg.zeros(1000, 8).realize()
    place = x.node().value.address
    x[3] = lg.ones(8)
    assert x.realize().node().value.address == place
    x.add_(1)
    assert x.realize().node().value.address == place
    assert x[3].tolist() == [2.0] * 8 and counts()[1] == 0


def test_a_refusal_names_the_line_and_leaves_the_inputs() -> None:
    table = lg.zeros(4, 2).realize()
    table.add_(1)
    picked = table[lg.tensor([8]) + 1]
    with pytest.raises(IndexError, match=r"recorded at .*test_tiers.py"):
        picked.tolist()
    assert table.tolist() == [[1.0, 1.0]] * 4


def test_the_explanation_of_a_program_that_is_always_new() -> None:
    for length in (2, 3):
        lg.ones(length).exp().tolist()
    message = lg.explain_cache_miss()
    assert "computed node by node" in message and "shape (2,) became (3,)" in message


def programs() -> list[Callable[[Tensor], Tensor]]:
    return [
        lambda x: x.T.reshape(-1),  # a reshape that copies
        lambda x: x.T,  # a view
        lambda x: x.reshape(2, 6),  # all of a value under another shape
        lambda x: x.expand(2, 3, 4),
        lambda x: x.flip(0)[1:],
        lambda x: lg.zeros(2, 3).expand(4, 2, 3),  # a number
        lambda x: x.detach(),
        lambda x: (x + 1).detach(),
        lambda x: x.unfold(1, 2, 1),
        lambda x: x.diagonal(),
        lambda x: lg.cat([x, x + 1]),
    ]


@pytest.mark.parametrize("program", programs())
def test_results_of_every_kind_have_memory_of_their_own(program: Callable[[Tensor], Tensor]) -> None:
    set_interpreted_runs(0)
    x = lg.arange(12.0).reshape(3, 4).realize()
    wanted = program(x).add(0).tolist()
    set_interpreted_runs(100)
    result, kept = program(x), program(x).clone()
    assert result.realize().tolist() == wanted
    result.mul(1).add_(1).realize()
    assert kept.tolist() == wanted and x.tolist() == np.arange(12.0).reshape(3, 4).tolist()


def test_there_are_no_forms_of_what_was_interpreted() -> None:
    lg.ones(3).add(1).tolist()
    with pytest.raises(RuntimeError, match=r"computed node by node.*set_interpreted_runs\(0\)"):
        lg.last_step()


def test_the_explanation_of_writes_to_views_of_other_sizes() -> None:
    x = lg.zeros(9).realize()
    for length in (2, 3):
        x[1 : 1 + length] = lg.ones(length)
        x.realize()
    assert "update_view" in lg.explain_cache_miss() and "shape (2,) became (3,)" in lg.explain_cache_miss()


_UNTIL_A_PLAN_IS_DUE = """
import sys
import lazygrad as lg
from lazygrad.host import background

submitted = []
background.submit = lambda *arguments, **options: submitted.append(set(sys.modules))
x = lg.ones(100, 100).realize()
assert "jinja2" not in sys.modules
while not submitted:
    (x * 2).exp().sum().item()
assert {"jinja2", "lazygrad.runtime.plan", "lazygrad.targets.numpy.target"} <= submitted[0]
"""


def test_what_makes_plans_is_loaded_before_a_thread_needs_it() -> None:
    """A thread that reads files beside a busy loop waits for its turn after each of them."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LAZYGRAD_")}
    subprocess.run([sys.executable, "-c", _UNTIL_A_PLAN_IS_DUE], env=environment, check=True, timeout=120)
