"""Plans done by graphs: what is captured, when, and that numbers and memory are those of each run."""

from __future__ import annotations

from typing import Any

import pytest

from lazygrad.targets.cuda.driver import Launch, NotCapturable
from lazygrad.targets.cuda.graphs import Asked, GraphReplay
from tests.cuda.host_driver import HostDriver

LAUNCH = Launch("kernel", (1, 1, 1), 1)


class Plan:
    """Steps that write down what they were given; a captured one has what it was given when it was captured."""

    def __init__(self, *numbers: Any, waits: int | None = None) -> None:
        self.driver, self.memory, self.done = HostDriver(), "a", list[Any]()
        self.scalars: list[Any] = [1.0, 2.0]
        self.steps = [
            Asked(lambda i=i, taken=taken: self.ask(i, taken), frozenset(taken), i == waits)  # type: ignore[misc]
            for i, taken in enumerate(numbers)
        ]
        self.replay = GraphReplay(self.driver, self.steps)

    def ask(self, step: int, taken: tuple[int, ...]) -> None:
        given = (step, self.memory, *[self.scalars[slot] for slot in taken])
        self.driver.launch(lambda: self.done.append(given), LAUNCH, ())

    def run(self, memory: str = "a", *scalars: Any) -> tuple[list[Any], list[str]]:
        """What a run did, and what it asked the driver for."""
        self.memory = memory
        self.scalars[: len(scalars)] = scalars
        self.done.clear()
        self.driver.asked.clear()
        self.replay.run(memory, self.scalars)
        return list(self.done), list(self.driver.asked)


def test_steps_are_captured_once_memory_has_come_again_often_enough() -> None:
    plan = Plan((), (0,), ())
    wanted = [(0, "a"), (1, "a", 1.0), (2, "a")]
    for _ in range(2):
        assert plan.run() == (wanted, ["launch"] * 3)
    for _ in range(3):
        assert plan.run() == (wanted, ["replay"])
    assert plan.replay.captured == 1


def test_memory_in_turn_has_a_graph_each() -> None:
    plan = Plan((), ())
    for _ in range(4):
        for memory in "ab":
            assert plan.run(memory)[0] == [(0, memory), (1, memory)]
    assert plan.run("a")[1] == plan.run("b")[1] == ["replay"]
    assert plan.run("c") == ([(0, "c"), (1, "c")], ["launch"] * 2)
    for memory in range(40):
        plan.run(str(memory))
    assert len(plan.replay._graphs) <= 8 and plan.run("a")[1] == ["launch"] * 2, "forgotten meanwhile"


def test_numbers_that_change_are_launched_between_graphs() -> None:
    plan = Plan((), (), (0,), (), (), (1,), waits=None)
    for i in range(8):
        done, asked = plan.run("a", float(i))
        assert done[2] == (2, "a", float(i)) and [each[0] for each in done] == list(range(6))
    assert asked == ["replay", "launch", "replay"], "the second number has stayed the same"
    done, asked = plan.run("a", 8.0, 5.0)
    assert done[5] == (5, "a", 5.0), "what was captured is forgotten where another number changes"
    done, asked = plan.run("a", 9.0, 6.0)
    assert (done[2], done[5]) == ((2, "a", 9.0), (5, "a", 6.0)) and asked == ["replay", "launch", "replay", "launch"]


def test_what_the_host_waits_for_is_not_captured() -> None:
    plan = Plan((), (), (), (), (), waits=2)
    for _ in range(4):
        done, asked = plan.run()
    assert [each[0] for each in done] == list(range(5)) and asked == ["replay", "launch", "replay"]


def test_a_device_that_captures_nothing_goes_on_launching(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan((), ())

    def refuse(ask: Any) -> Any:
        raise NotCapturable("no")

    monkeypatch.setattr(plan.driver, "capture", refuse)
    for _ in range(6):
        assert plan.run()[1] == ["launch"] * 2
    assert plan.replay.captured == 0
