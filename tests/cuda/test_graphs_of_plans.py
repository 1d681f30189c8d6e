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
    """An emulator that captures as a GPU does: parameters are those of the capture, and waiting is refused."""

    def __init__(self, *arguments: Any, captures: bool = True) -> None:
        super().__init__(*arguments)
        self._captures, self._captured = captures, False
        self._work: list[Callable[[], None]] = []
        self.replays = self.graphs = 0

    def _do(self, work: Callable[[], None]) -> None:
        self._work.append(work) if self._captured else work()

    def launch(self, kernel: Any, launch: Launch, arguments: Sequence[Argument]) -> None:
        own = [type(argument).from_buffer_copy(argument) for argument in arguments]
        self._do(lambda: super(CapturingDriver, self).launch(kernel, launch, own))

    def multiply(self, product: Product, a: int, b: int, out: int) -> None:
        self._do(lambda: super(CapturingDriver, self).multiply(product, a, b, out))

    def copy(self, source: int, target: int, size: int) -> None:
        self._do(lambda: super(CapturingDriver, self).copy(source, target, size))

    def fill(self, target: int, byte: int, size: int) -> None:
        self._do(lambda: super(CapturingDriver, self).fill(target, byte, size))

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
        for work in graph:
            work()


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


def test_a_compiled_step_is_replayed_by_graphs_with_fresh_numbers(driver: CapturingDriver) -> None:
    def losses(device: str, compiled: bool, steps: int = 14) -> list[float]:
        lg.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 2)).to(device)
        optimizer = lg.optim.Adam(model.parameters(), lr=0.05)
        x, y = lg.randn(16, 6).to(device).realize(), lg.randint(0, 2, (16,)).to(device).realize()

        def step() -> Any:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        run = lg.compile(step) if compiled else step
        return [run().item() for _ in range(steps)]

    by_graphs = losses("cuda", True)
    assert (driver.replays > 0) == (driver.graphs > 0) == driver._captures
    lg.random.draw_inside_graphs()  # so that the CPU draws what the device does
    try:
        np.testing.assert_allclose(by_graphs, losses("cpu", False), rtol=1e-4)
    finally:
        lg.random.draw_inside_graphs(False)
    assert len(set(by_graphs)) == len(by_graphs)
