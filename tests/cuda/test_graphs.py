"""Plans done by graphs: what is captured, when, and that memory is that of each run."""

from __future__ import annotations

from typing import Any

import pytest

from lazygrad.targets.cuda.driver import Launch, NotCapturable
from lazygrad.targets.cuda.graphs import Asked, GraphReplay
from tests.cuda.host_driver import HostDriver

LAUNCH = Launch("kernel", (1, 1, 1), 1)


class Plan:
    """Steps that write down what they were given; a captured one has what it was bound to when it was captured."""

    def __init__(self, steps: int, apart: int | None = None) -> None:
        self.driver, self.memory, self.bound, self.done = HostDriver(), "", "", list[Any]()
        asked = [Asked(lambda i=i: self.ask(i), "it waits" if i == apart else "") for i in range(steps)]  # type: ignore[misc]
        self.apart, self.replay = apart, GraphReplay(self.driver, asked)

    def ask(self, step: int) -> None:
        given = (step, self.memory if step == self.apart else self.bound)
        self.driver.launch(lambda: self.done.append(given), LAUNCH, ())

    def run(self, memory: str = "a") -> tuple[list[Any], list[str]]:
        """What a run did, and what it asked the driver for."""
        self.memory = memory
        self.done.clear()
        self.driver.asked.clear()
        self.replay.run(memory, lambda: setattr(self, "bound", memory))
        return list(self.done), list(self.driver.asked)


def test_steps_are_captured_once_memory_has_come_again_often_enough() -> None:
    plan = Plan(3)
    wanted = [(0, "a"), (1, "a"), (2, "a")]
    for _ in range(2):
        assert plan.run() == (wanted, ["launch"] * 3)
    for _ in range(3):
        assert plan.run() == (wanted, ["replay"])
    assert plan.replay.captured == 1 and plan.replay.apart == []


def test_memory_in_turn_has_a_graph_each() -> None:
    plan = Plan(2)
    for _ in range(4):
        for memory in "ab":
            assert plan.run(memory)[0] == [(0, memory), (1, memory)]
    assert plan.run("a")[1] == plan.run("b")[1] == ["replay"]
    assert plan.run("c") == ([(0, "c"), (1, "c")], ["launch"] * 2)
    for number in range(40):
        plan.run(str(number))
    assert len(plan.replay._graphs) <= 8 and plan.run("a")[1] == ["launch"] * 2, "forgotten meanwhile"


def test_a_step_that_cannot_be_captured_stands_between_graphs_and_finds_its_operands() -> None:
    plan = Plan(5, apart=2)
    for _ in range(4):
        for memory in "ab":
            done, asked = plan.run(memory)
            assert done == [(i, memory) for i in range(5)]
    assert asked == ["replay", "launch", "replay"]
    assert plan.replay.apart == ["it waits"]


def test_a_single_step_is_launched() -> None:
    plan = Plan(1)
    for _ in range(6):
        assert plan.run() == ([(0, "a")], ["launch"])


def test_a_device_that_captures_nothing_goes_on_launching(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(2)

    def refuse(ask: Any) -> Any:
        raise NotCapturable("no memory for graphs")

    monkeypatch.setattr(plan.driver, "capture", refuse)
    for _ in range(6):
        assert plan.run()[1] == ["launch"] * 2
    assert plan.replay.captured == 0 and plan.replay.apart == ["no memory for graphs"]
