"""Times of statements."""

from __future__ import annotations

import textwrap
import timeit
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from statistics import median
from typing import Any, NoReturn

from lazygrad.host.background import wait_for_all
from lazygrad.left_out import stand_in
from lazygrad.utils.benchmark.utils.common import Measurement, TaskSpec, set_torch_threads
from lazygrad.utils.benchmark.utils.finishing import (
    FIND,
    FINISH,
    finding,
    finish,
    finishing,
    leaves_of,
    wait_for_devices,
)

__all__ = ["Language", "Timer", "timer"]

_MOST_IN_A_BLOCK = 2**31 - 1
_SMALL_OVERHEAD = 1e-4  # of the time of a block, that calling the clock may take
_WARM_UP = 6  # executions: the first of a program are interpreted, planned, and compiled in the background
_CPP = "statements are Python; torch.utils.cpp_extension says why nothing in C++ is built"


class Language(Enum):
    """What statements may be written in."""

    PYTHON = 0
    CPP = 1


def timer() -> float:
    """The time in seconds, once CUDA devices have done what they were given."""
    wait_for_devices()
    return timeit.default_timer()


class Timer:
    """Measures how long a statement takes, with what it records computed.

    lazygrad computes when somebody reads, so a statement that only records would look fast. The timed statement is
    therefore rewritten: behind each expression that stands alone, and behind each block that assigns to names, the
    tensors among these values are computed, and with them in-place updates that wait, and gradients. Gradients are
    those of tensors, modules and optimizers that the statement names, or that functions which it names read. Tensors
    that the statement puts elsewhere (into attributes, or into lists that it does not name alone) are timed when
    something reads them. What is recorded and dropped without being a value of the statement is never computed.
    All of this counts: recording, the look for a plan, and the computation.

    Before a measurement the statement runs a few times, and the compiler that works in the background is waited for.

    Args:
        stmt: the statement; ``torch`` is known to it.
        setup: what runs before; its names are known to the statement.
        global_setup: of C++ statements, which are refused.
        timer: tells the time in seconds.
        globals: names that the statement knows.
        label, sub_label, description, env: see `TaskSpec`.
        num_threads: how many threads compute.
        language: Python.

    Raises:
        ValueError: a statement that is no text, a ``global_setup``, or an unknown language.
        NotImplementedError: C++.
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in (Language.CPP, "cpp", "c++"):
            stand_in("utils.benchmark.Language.CPP", _CPP)()
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        stmt, setup = _dedented(stmt), _dedented(setup)
        names = {"torch": import_module("lazygrad")} | (globals or {})
        names |= {FINISH: finish, FIND: leaves_of}
        self._timer = timeit.Timer(finishing(stmt), finding(setup, stmt, names), timer, names)
        self._is_warm = False
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def timeit(self, number: int = 1000000) -> Measurement:
        """The time of ``number`` executions, as a single measurement."""
        with set_torch_threads(self._task_spec.num_threads):
            self._warm_up()
            self._seconds(max(number // 100, 2))
            return Measurement(number, [self._seconds(number)], self._task_spec)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Times of blocks that are long enough for the clock not to matter.

        Args:
            callback: called with the number of executions and the time of each block.
            min_run_time: in seconds, for all blocks together.
        """
        number = self._block_size(min_run_time)
        return self._blocks(number, min_run_time, None, callback, lambda measurement: True)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Times of blocks, until they agree.

        Args:
            threshold: the part of the median that the middle half of the times may spread over; four are needed.
            min_run_time, max_run_time: in seconds, for all blocks together.
            callback: see `blocked_autorange`.
        """

        def agree(measurement: Measurement) -> bool:
            return len(measurement.raw_times) > 3 and measurement.meets_confidence(threshold)

        return self._blocks(self._block_size(0.05), min_run_time, max_run_time, callback, agree)

    def repeat(self, repeat: int = -1, number: int = -1) -> NoReturn:
        """NotImplementedError: `blocked_autorange` takes its place."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], NoReturn] | None = None) -> NoReturn:
        """NotImplementedError: `blocked_autorange` takes its place."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def collect_callgrind(self, *args: Any, **kwargs: Any) -> NoReturn:
        """NotImplementedError: no instructions are counted."""
        stand_in(
            "utils.benchmark.Timer.collect_callgrind", "instructions are not counted; lazygrad.profile times kernels"
        )()

    def _seconds(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def _warm_up(self) -> None:
        if not self._is_warm:
            self._is_warm = True
            self._seconds(_WARM_UP)
            wait_for_all()
            self._seconds(2)

    def _block_size(self, min_run_time: float) -> int:
        """How many executions, a power of ten, take so long that the clock does not matter."""
        with set_torch_threads(self._task_spec.num_threads):
            self._warm_up()
            overhead = median(self._seconds(0) for _ in range(5))
            number = 1
            while True:
                taken = self._seconds(number)
                is_long = taken > min_run_time
                is_enough = overhead / taken <= _SMALL_OVERHEAD and taken >= min_run_time / 1000
                if is_long or is_enough or number * 10 > _MOST_IN_A_BLOCK:
                    return number
                number *= 10

    def _blocks(
        self,
        number: int,
        min_run_time: float,
        max_run_time: float | None,
        callback: Callable[[int, float], Any] | None,
        is_enough: Callable[[Measurement], bool],
    ) -> Measurement:
        measurement = Measurement(number, [], self._task_spec)
        total, times = 0.0, measurement.raw_times
        with set_torch_threads(self._task_spec.num_threads):
            while total < min_run_time or not is_enough(measurement):
                times.append(self._seconds(number))
                total += times[-1]
                if callback is not None:
                    callback(number, times[-1])
                if max_run_time is not None and total > max_run_time:
                    break
        return measurement


def _dedented(text: str) -> str:
    return textwrap.dedent(text).removeprefix("\n").rstrip()
