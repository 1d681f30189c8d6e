"""The process that one contender lives in: ``python -m tests.benchmarks.worker CASE CONTENDER SCALE``.

Every contender has a process of its own, so thread pools and allocators do not disturb each other; all of a case are
alive at once and the parent asks each in turn over a pipe, one request and one reply a line, both JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from tests.benchmarks.frameworks import THREADS, Framework, Missing, load

SAMPLE_SECONDS = 0.05
MOST_CALLS_PER_SAMPLE = 10_000
WARM_UP_WINDOW_SECONDS = 0.25
FEWEST_WINDOWS, MOST_WINDOWS = 4, 80
SETTLED = 0.97


class Worker:
    """Answers requests; the method of the same name does what a request asks for."""

    def __init__(self, case: str, contender: str, scale: Any) -> None:
        self.case_name, self.label, self.scale = case, contender, scale
        self.framework: Framework

    def import_library(self, module: str) -> dict[str, Any]:
        """Seconds it takes to import a module, before anything else was."""
        start = time.perf_counter()
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise Missing(str(error)) from None
        return {"seconds": time.perf_counter() - start}

    def prepare(self) -> dict[str, Any]:
        """Import the library, make inputs and model."""
        from tests.benchmarks.cases import ALL_CASES

        self.case = ALL_CASES[self.case_name]
        contender = self.case.contender(self.label)
        self.framework = load(contender.peer)
        self.framework.limit_threads()
        self.program = contender.prepare(self.framework, self.scale)
        return {}

    def call(self, times: int = 1) -> dict[str, Any]:
        """Seconds a call takes that is not repeated, and when the last one was done by the machine's clock."""
        start = time.monotonic()
        for _ in range(times):
            self._run()
        end = time.monotonic()
        return {"seconds": (end - start) / times, "done": end}

    def outputs(self, folder: str) -> dict[str, Any]:
        """Store the outputs to compare in a file of the folder."""
        import numpy as np

        from tests.benchmarks.agreement import checked_outputs

        path = Path(folder) / f"{os.getpid()}.npz"
        np.savez(path, *checked_outputs(self.case, self.program, self.framework))
        return {"path": str(path)}

    def settle(self) -> dict[str, Any]:
        """Wait for the library's work in the background."""
        self.framework.settle()
        return {}

    def warm_up(self) -> dict[str, Any]:
        """Call until it gets no faster; replies how many calls make one sample."""
        self.framework.settle()
        fastest = self._fastest()
        for window in range(1, MOST_WINDOWS):
            latest = self._fastest()
            if window >= FEWEST_WINDOWS and latest > SETTLED * fastest:
                break
            fastest = min(fastest, latest)
        return {"calls": max(1, min(MOST_CALLS_PER_SAMPLE, round(SAMPLE_SECONDS / fastest)))}

    def sample(self, calls: int) -> dict[str, Any]:
        """Seconds per call, after one that wakes threads and brings data back that others drove from the cache."""
        self._run()
        start = time.perf_counter()
        for _ in range(calls):
            self._run()
        return {"seconds": (time.perf_counter() - start) / calls}

    def peak_memory(self) -> dict[str, Any]:
        """Bytes that were resident at most since the process started."""
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return {"bytes": 1024 * int(status["VmHWM"].split()[0])}

    def _run(self) -> None:
        self.framework.wait(self.program())

    def _fastest(self) -> float:
        """Seconds of the fastest call within a window."""
        end, fastest = time.perf_counter() + WARM_UP_WINDOW_SECONDS, float("inf")
        while (start := time.perf_counter()) < end or fastest == float("inf"):
            self._run()
            fastest = min(fastest, time.perf_counter() - start)
        return fastest


def main() -> None:
    limit_processors()
    replies = private_stdout()
    worker = Worker(*sys.argv[1:])
    for line in sys.stdin:
        request = json.loads(line)
        action: Callable[..., dict[str, Any]] = getattr(worker, request.pop("action"))
        try:
            reply = action(**request)
        except Missing as missing:
            reply = {"missing": str(missing)}
        except Exception:
            reply = {"error": traceback.format_exc()}
        print(json.dumps(reply | {"processor_seconds": time.process_time()}), file=replies, flush=True)


def limit_processors() -> None:
    """Run on `THREADS` processors, which all libraries take as their number of threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])


def private_stdout() -> TextIO:
    """The standard output for replies; what libraries print goes to the standard error stream."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return replies


if __name__ == "__main__":
    main()
