"""Training by graphs on the emulator, beside the same without graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.runtime.realize import cache
from lazygrad.targets.cuda import drivers
from lazygrad.targets.cuda.driver import Argument, Launch, NotCapturable, Product
from tests.cuda_emulator.build import missing
from tests.cuda_emulator.device import EmulatedInstallation
from tests.cuda_emulator.driver import EmulatedDriver

pytestmark = pytest.mark.skipif(missing() is not None, reason=f"no emulator: {missing()}")


class CapturingDriver(EmulatedDriver):
    """An emulator that captures as a GPU does: parameters are those of the capture, and waiting is refused.

    Attributes:
        graphs, replays: how many were made, and done.
        apart: work that was asked for outside of graphs, but for copies from the host.
        uploads: copies from pinned memory.
    """

    def __init__(self, *arguments: Any, captures: bool = True) -> None:
        super().__init__(*arguments)
        self._captures, self._captured = captures, False
        self._work: list[Callable[[], None]] = []
        self.replays = self.graphs = self.apart = self.uploads = 0

    def _do(self, work: Callable[[], None]) -> None:
        if self._captured:
            self._work.append(work)
        else:
            self.apart += 1
            work()

    def copy_in_later(self, source: np.ndarray, target: int) -> None:
        assert not self._captured, "numbers of one run would be those of all"
        self.uploads += 1
        super().copy_in_later(source, target)

    def launch(self, kernel: Any, launch: Launch, arguments: Sequence[Argument]) -> None:
        own = [type(argument).from_buffer_copy(argument) for argument in arguments]
        self._do(lambda: super(CapturingDriver, self).launch(kernel, launch, own))

    def multiply(self, product: Product, a: int, b: int, out: int) -> None:
        self._do(lambda: super(CapturingDriver, self).multiply(product, a, b, out))

    def copy(self, source: int, target: int, size: int) -> None:
        self._do(lambda: super(CapturingDriver, self).copy(source, target, size))

    def fill(self, target: int, byte: int, size: int) -> None:
        self._do(lambda: super(CapturingDriver, self).fill(target, byte, size))

    def compute(self, *arguments: Any) -> None:
        assert not self._captured, "a library allocates memory"
        super().compute(*arguments)

    def copy_out(self, source: int, target: np.ndarray) -> None:
        assert not self._captured, "waits in a capture"
        super().copy_out(source, target)

    def capture(self, ask: Callable[[], None]) -> list[Callable[[], None]]:
        if not self._captures:
            raise NotCapturable("told so")
        self._captured, self._work = True, []
        try:
            ask()
        finally:
            self._captured = False
        self.graphs += 1
        return self._work

    def replay(self, graph: list[Callable[[], None]]) -> None:
        self.replays += 1
        before = self.apart
        for work in graph:
            work()
        self.apart = before


class _Installation(EmulatedInstallation):
    def __init__(self, captures: bool) -> None:
        super().__init__()
        self._captures = captures

    def open(self, ordinal: int) -> CapturingDriver:
        return CapturingDriver(self.order, captures=self._captures)


@pytest.fixture(params=[True, False], ids=["captures", "does not capture"])
def driver(request: pytest.FixtureRequest) -> Iterator[CapturingDriver]:
    before = drivers.install(_Installation(request.param))
    cache.clear()
    found = drivers.driver_of(lg.device("cuda:0"))
    assert isinstance(found, CapturingDriver)
    yield found
    cache.clear()
    drivers.install(before)


@pytest.fixture(autouse=True)
def _drawn_as_on_the_device() -> Iterator[None]:
    """The CPU draws what the device does."""
    lg.random.draw_inside_graphs()
    yield
    lg.random.draw_inside_graphs(False)


STEPS = 18


def trained(device: str, loss_of: Callable[[Any, Any], Any], compiled: bool, after: Any = lambda: None) -> list[float]:
    """Losses of training with dropout by Adam, whose rate another number each step; ``after`` is called after each."""
    lg.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 2)).to(device)
    optimizer = lg.optim.Adam(model.parameters(), lr=0.05)
    schedule = lg.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)
    x, y = lg.randn(16, 6).to(device).realize(), lg.randint(0, 2, (16,)).to(device).realize()

    def step() -> Any:
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    run, losses = lg.compile(step) if compiled else step, []
    for _ in range(STEPS):
        losses.append(run().item())
        schedule.step()
        after()
    return losses


def squared(found: Any, y: Any) -> Any:
    return ((found[:, 0] - y) ** 2).mean()


def test_a_step_is_one_graph_with_fresh_numbers(driver: CapturingDriver) -> None:
    asked: list[tuple[int, int, int]] = []  # replays, launches of kernels outside of graphs, and copies, by step

    def note() -> None:
        asked.append((driver.replays, driver.apart, driver.uploads))
        driver.replays = driver.apart = driver.uploads = 0

    losses = trained("cuda", squared, True, note)
    np.testing.assert_allclose(losses, trained("cpu", squared, False), rtol=1e-4)
    assert len(set(losses)) == STEPS, "a mask or a rate was that of another step"
    if driver._captures:
        assert asked[-5:] == [(1, 0, 1)] * 5, "a graph and a copy of numbers for each step"
        assert driver.graphs == 2, "what a step makes lies in two places in turn"
    else:
        assert driver.graphs == 0 and all(launches > 1 for _, launches, _ in asked)


def test_what_the_host_waits_for_stands_between_graphs(driver: CapturingDriver) -> None:
    replays: list[int] = []

    def note() -> None:
        replays.append(driver.replays)
        driver.replays = 0

    losses = trained("cuda", nn.functional.cross_entropy, True, note)
    np.testing.assert_allclose(losses, trained("cpu", nn.functional.cross_entropy, False), rtol=1e-4)
    assert (replays[-1] == 2) == driver._captures, "the check of class indices cuts a step in two"


def test_plans_of_one_function_have_graphs_of_their_own(driver: CapturingDriver) -> None:
    weight = lg.ones(4, 4, device="cuda").realize()

    @lg.compile
    def twice(x: Any, by: float) -> Any:
        first = (x @ weight * by).tanh()
        return (first.sum(0) * by).exp() if first.shape[0] > 2 else first.relu() @ weight

    for i in range(12):
        for rows in (2, 3):
            x = np.full((rows, 4), 0.1 * i, np.float32)
            by = 0.5 + i % 3
            first = np.tanh(x.sum(1, keepdims=True) * by) * np.ones((1, 4))
            wanted = np.exp(first.sum(0) * by) if rows > 2 else np.maximum(first, 0).sum(1, keepdims=True) * np.ones(4)
            np.testing.assert_allclose(twice(lg.tensor(x, device="cuda"), by).cpu().numpy(), wanted, rtol=1e-5)


def test_what_lies_around_a_library_is_captured(driver: CapturingDriver) -> None:
    @lg.compile
    def program(x: Any) -> Any:
        return lg.linalg.matrix_exp(x.cumsum(0).cumprod(1)).cumsum(1).cumprod(0)

    x = lg.randn(4, 4) / 4
    wanted, on_device = program(x).numpy(), x.to("cuda").realize()
    for _ in range(16):
        before = driver.replays
        np.testing.assert_allclose(program(on_device).cpu().numpy(), wanted, rtol=1e-5)
    assert driver.replays - before == 2 * driver._captures, "kernels before it, and kernels behind it"
