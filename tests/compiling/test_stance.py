"""``torch.compiler.set_stance``: for a while compiled functions run uncompiled, or refuse what is new."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.compiler import set_stance


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    set_stance("default")


@pytest.fixture
def step() -> Callable[[Any], Any]:
    """Adds 1 where it is compiled, and subtracts 1 where it is not; of calls with three elements it has a recording."""
    function = lg.compile(lambda x: x + 1 if lg.compiler.is_compiling() else x - 1)
    for _ in range(3):
        function(lg.zeros(3))
    return function


def test_a_stance_holds_until_the_next_within_its_context_and_in_what_it_decorates(step: Callable[[Any], Any]) -> None:
    x = lg.zeros(3)
    seen = [step(x)[0].item()]
    with set_stance("force_eager"):
        seen.append(step(x)[0].item())
    decorated = set_stance("force_eager")(lambda: step(x)[0].item())
    seen += [step(x)[0].item(), decorated(), step(x)[0].item()]
    set_stance("force_eager")
    seen.append(step(x)[0].item())
    set_stance("default")
    assert [*seen, step(x)[0].item()] == [1, -1, 1, -1, 1, -1, 1]


def test_calls_of_a_new_kind_run_uncompiled_or_are_refused(step: Callable[[Any], Any]) -> None:
    with set_stance("eager_on_recompile"):
        assert [step(lg.zeros(n))[0].item() for n in (3, 4, 3, 4)] == [1, -1, 1, -1]
    with set_stance("fail_on_recompile"):
        assert step(lg.zeros(3))[0].item() == 1
        with pytest.raises(RuntimeError, match=r"stance is 'fail_on_recompile'.*shapes"):
            step(lg.zeros(4))
    assert step(lg.zeros(4))[0].item() == 1


def test_the_first_call_of_a_function_is_no_new_kind() -> None:
    with set_stance("fail_on_recompile"):
        function = lg.compile(lambda x: x * 2)
        assert [function(lg.ones(2)).tolist() for _ in range(4)] == [[2, 2]] * 4


def test_stances_that_are_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError, match=r"invalid torch\.compile stance 'other'"):
        set_stance("other")
    for framework in (torch, lg):
        with pytest.raises(RuntimeError, match="non-default stance cannot have force_backend set"):
            framework.compiler.set_stance("force_eager", force_backend="inductor")


def test_a_recorded_call_may_not_set_a_stance() -> None:
    @lg.compile
    def step(x: Any) -> Any:
        with set_stance("force_eager"):
            return x + 1

    with pytest.raises(RuntimeError, match=r"cannot be called in a function of lazygrad\.compile"):
        step(lg.ones(2))
    assert lg.compile(lambda x: x + 1)(lg.ones(2)).tolist() == [2, 2]


def test_what_a_function_asks_about_the_way_it_runs_is_settled_in_its_replays() -> None:
    def answers(x: Any) -> Any:
        known = (lg.compiler.is_compiling(), lg.jit.is_scripting(), lg.jit.is_tracing(), lg.compiler.is_exporting())
        return x + sum(2**place * answer for place, answer in enumerate(known))

    step = lg.compile(answers, fullgraph=True)
    assert [step(lg.zeros(1)).item() for _ in range(5)] == [1] * 5
    assert "replayed" in step.explain()
    assert answers(lg.zeros(1)).item() == 0
