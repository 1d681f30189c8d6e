"""Graphs of 100,000 nodes, or a third: no recursion, and work that grows with the number of nodes, by counting it."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

import pytest

import lazygrad as lg
from lazygrad.ir.text import parse
from lazygrad.passes.fuse import _Fuser
from lazygrad.passes.reachability import Reachability
from lazygrad.runtime.realize import cache
from lazygrad.tensor import Tensor
from tests.selection import share

DEEP = share(100_000)


def chain(length: int, requires_grad: bool = False) -> tuple[Tensor, Tensor]:
    """A leaf on the null device and what ``length`` operations make of it."""
    x = lg.zeros(3, device="null").realize()
    x.requires_grad_(requires_grad)
    y = x
    for step in range(length):
        y = y + x if step % 10 == 9 else lg.sin(y)
    return x, y


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Graphs grow as deep as they are made here: pending work is not bounded."""
    monkeypatch.setattr("lazygrad.pending.MOST_NODES", sys.maxsize)
    yield
    cache.clear()


@pytest.mark.deeper
def test_a_deep_graph_builds_and_plans() -> None:
    _, y = chain(DEEP)
    y.realize()
    plan = lg.last_step().plan_object
    assert len(plan.stages.recorded) == DEEP + 1
    assert plan.kernel_calls == -(-DEEP // 64)
    assert y.node().inputs == ()


@pytest.mark.deeper
def test_a_deep_graph_prints_and_reads_back() -> None:
    _, y = chain(DEEP)
    text = str(y.graph())
    assert text.count("\n") == DEEP + 1
    assert len(parse(text)) == DEEP + 1


@pytest.mark.deeper
def test_a_deep_graph_differentiates() -> None:
    x, y = chain(DEEP // 4, requires_grad=True)
    y.sum().backward()
    assert x.grad is not None
    assert "grad" in {node.op.name for node in x.grad.graph().nodes}
    with lg.backend("numpy"):  # compiling it takes a minute, and says nothing about depth
        x.grad.realize()
    assert len(lg.last_step().plan_object.stages.primitive) > 2 * (DEEP // 4)


@pytest.mark.deeper
def test_a_deep_graph_is_freed_at_once() -> None:
    _, y = chain(DEEP)
    first = y.node()
    while first.inputs:
        first = first.inputs[0]
    gc.collect()
    gc.disable()
    try:
        watched = weakref.ref(y.node().inputs[0])
        del y
        assert watched() is None
    finally:
        gc.enable()


def test_a_wide_sum_of_many_terms_differentiates() -> None:
    x = lg.zeros(3, device="null").realize().requires_grad_()
    total = x * 0.5
    for _ in range(2_000):
        total = total + lg.exp(x)
    total.sum().backward()
    assert x.grad is not None
    x.grad.realize()
    assert lg.last_step().plan_object.kernel_calls >= 1


@contextmanager
def counting(*functions: Callable) -> Iterator[dict[str, int]]:
    """How often each function is entered inside the context, and under ``calls`` any function of the package."""
    codes: dict[CodeType, str] = {function.__code__: function.__qualname__ for function in functions}
    counts = dict.fromkeys(codes.values(), 0)

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            name = codes.get(frame.f_code)
            if name is not None:
                counts[name] += 1
            if "lazygrad" in frame.f_code.co_filename:
                counts["calls"] += 1

    counts["calls"] = 0
    sys.setprofile(profile)
    try:
        yield counts
    finally:
        sys.setprofile(None)


def work(length: int, with_gradient: bool) -> dict[str, int]:
    """Calls made while planning a chain of ``length`` operations, in total and by the costliest parts."""
    x, y = chain(length, requires_grad=with_gradient)
    if with_gradient:
        y.sum().backward()
        assert x.grad is not None
        y = x.grad
    with counting(_Fuser._try_merge, Reachability.merge, Reachability.would_cycle, Reachability.find) as counts:
        y.realize()
    return counts


@pytest.mark.parametrize("with_gradient", [False, True])
def test_planning_work_is_linear_in_nodes(with_gradient: bool) -> None:
    once, twice = work(1500, with_gradient), work(3000, with_gradient)
    assert once["_Fuser._try_merge"] > 1000
    for name, count in once.items():
        assert twice[name] < 2.2 * count, name


def test_search_steps_over_old_groups_are_linear_too() -> None:
    """`find` follows links of merged groups; its steps are counted, not its calls."""

    class CountedLinks(dict):
        steps = 0

        def __contains__(self, key: object) -> bool:
            CountedLinks.steps += 1
            return super().__contains__(key)

    def steps(length: int) -> int:
        CountedLinks.steps = 0
        original = Reachability.__init__

        def counted(self: Reachability) -> None:
            original(self)
            self._merged_into = CountedLinks()

        Reachability.__init__ = counted  # type: ignore[method-assign]
        try:
            chain(length)[1].realize()
        finally:
            Reachability.__init__ = original  # type: ignore[method-assign]
        return CountedLinks.steps

    assert steps(4000) < 2.2 * steps(2000)
