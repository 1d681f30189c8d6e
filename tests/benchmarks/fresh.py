"""What fresh processes cost: start, first call, peak memory, import; and what recording and planning cost."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.case import PEERS, Case, Contender
from tests.benchmarks.cases import CASES
from tests.benchmarks.cases.graphs import NODES_PER_LAYER, PLANNING, RECORDED_OPERATIONS, RECORDING
from tests.benchmarks.cases.pointwise import CHAIN_64M
from tests.benchmarks.frameworks import Missing, library
from tests.benchmarks.measurement import Measurement, Samples
from tests.benchmarks.processes import ContenderFailed, WorkerProcess, environment

MEBIBYTE = 2**20
STEPS_OF_PEAK = 5
_TORCH = ("eager", "compile")

Quantity = Callable[[Case, Contender], float]
"""One number from one fresh process."""


@dataclass(frozen=True)
class FreshCase:
    """A quantity of the contenders of a case.

    Attributes:
        name: for the command line.
        title: for the tables.
        case: whose contenders are measured.
        quantity: what of them.
        unit: of the quantity.
        target: ratio of the best peer's to ours to be reached, or None.
        limit: largest value allowed, or None.
        against: peers that count for the ratio.
    """

    name: str
    title: str
    case: Case
    quantity: Quantity
    unit: str
    target: float | None = None
    limit: float | None = None
    against: tuple[str, ...] = PEERS

    @property
    def contenders(self) -> tuple[Contender, ...]:
        """Not the variants: those differ in their steady speed."""
        return tuple(contender for contender in self.case.contenders if not contender.variant)


def measure(fresh: FreshCase, contenders: Sequence[Contender], processes: int) -> Measurement:
    """The quantity of each contender in so many fresh processes, in turn."""
    samples = [Samples(contender) for contender in contenders]
    for _ in range(processes):
        for entry in samples:
            if entry.problem is not None:
                continue
            try:
                entry.values.append(fresh.quantity(fresh.case, entry.contender))
            except Missing as missing:
                entry.miss(str(missing))
            except ContenderFailed as failure:
                entry.fail(str(failure))
    return Measurement(fresh.title, fresh.unit, samples, fresh.against, target=fresh.target, limit=fresh.limit)


def _seconds_to_first_result(case: Case, contender: Contender) -> float:
    """From the start of the process until its first call is done, all caches of compiled code being empty."""
    with tempfile.TemporaryDirectory() as caches:
        variables = environment(cold_caches=Path(caches))
        start = time.monotonic()
        with WorkerProcess(case, contender, variables) as worker:
            worker.ask("prepare")
            done: float = worker.ask("call")["done"]
        return done - start


def _first_call_seconds(case: Case, contender: Contender) -> float:
    """Of the first call alone: libraries are imported and models made; caches are empty."""
    with tempfile.TemporaryDirectory() as caches:
        with WorkerProcess(case, contender, environment(cold_caches=Path(caches))) as worker:
            worker.ask("prepare")
            seconds: float = worker.ask("call")["seconds"]
        return seconds


def _peak_mebibytes(case: Case, contender: Contender) -> float:
    """Resident at most in a process that does the work a few times, before and after the compiler took over."""
    with WorkerProcess(case, contender, environment()) as worker:
        worker.ask("prepare")
        worker.ask("call", times=STEPS_OF_PEAK)
        worker.ask("settle")
        worker.ask("call", times=STEPS_OF_PEAK)
        peak: float = worker.ask("peak_memory")["bytes"]
    return peak / MEBIBYTE


def _import_seconds(case: Case, contender: Contender) -> float:
    if contender.peer == "compile":
        raise Missing("a library of its own")
    with WorkerProcess(case, contender, environment()) as worker:
        seconds: float = worker.ask("import_library", module=library(contender.peer))["seconds"]
    return seconds


def _milliseconds_per_node(layers: int) -> Quantity:
    def quantity(case: Case, contender: Contender) -> float:
        return 1000 * _first_call_seconds(case, contender) / (NODES_PER_LAYER * layers)

    return quantity


def _microseconds_per_recorded_operation(case: Case, contender: Contender) -> float:
    with WorkerProcess(case, contender, environment()) as worker:
        worker.ask("prepare")
        calls = worker.ask("warm_up")["calls"]
        seconds: float = worker.ask("sample", calls=calls)["seconds"]
    return 1e6 * seconds / RECORDED_OPERATIONS


def _start(name: str, title: str) -> FreshCase:
    title = f"process start to the first loss, cold caches: {title}"
    return FreshCase(f"start_{name}", title, CASES[name], _seconds_to_first_result, "s", target=2.0)


def _memory(name: str, title: str, case: Case) -> FreshCase:
    title = f"peak resident memory: {title}"
    return FreshCase(f"memory_{name}", title, case, _peak_mebibytes, "MiB", target=1.0, against=_TORCH)


def _planning(layers: int, case: Case) -> FreshCase:
    title = f"first call of {case.title}, per node"
    return FreshCase(f"planning_{layers}", title, case, _milliseconds_per_node(layers), "ms", limit=0.1)


FRESH_CASES: dict[str, FreshCase] = {
    fresh.name: fresh
    for fresh in (
        _start("mlp", "MLP"),
        _start("gpt", "GPT"),
        FreshCase("first_call_gpt", "first GPT step beyond the import", CASES["gpt"], _first_call_seconds, "s",
                  limit=0.3),
        _memory("mlp", "MLP training", CASES["mlp"]),
        _memory("gpt", "GPT training", CASES["gpt"]),
        _memory("chain", "chain of 12 operations on 64M elements", CHAIN_64M),
        *(_planning(layers, case) for layers, case in PLANNING.items()),
        FreshCase("import", "import of the library", CASES["tiny_mlp"], _import_seconds, "s", target=1.0),
        FreshCase("recording", "recording one operation", RECORDING, _microseconds_per_recorded_operation, "µs",
                  limit=5.0),
    )
}  # fmt: skip
