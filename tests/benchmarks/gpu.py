"""Measures lazygrad on a GPU beside torch, torch.compile and cupy, and writes docs/benchmarks_gpu.md.

``python -m tests.benchmarks.gpu``. Results are compared with torch's first; what differs is not timed. All contenders
of a row are timed in turn, in one process. ``--rehearse`` runs it with small sizes on the CPU and writes nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import importlib.util
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import lazygrad as lg
from tests.benchmarks.gpu_cases import CASES, GpuCase

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks_gpu.md"
_LEAST_SECONDS = 0.02  # of a timed batch of calls, so that the clock and the launch of the first count little
_ROUNDS, _WARM_CALLS = 15, 4

# What devices can do at most: bytes a second to and from memory, and operations a second in products. H200: measured
# figures of copies and products. H100 SXM: NVIDIA's data sheet, without sparsity.
_LIMITS = {"H200": (4.3e12, {"bf16": 790e12, "f32": 67e12}), "H100": (3.35e12, {"bf16": 989e12, "f32": 67e12})}

_HEAD = """# Benchmarks on a GPU

`make bench-gpu` writes this page. Results were found equal to torch's first. All contenders of a row were timed in
turn in one process, {rounds} rounds, each of as many calls as take {least:.0f} ms, with a wait for the device at its
end. A value is the median over rounds, and in parentheses the middle half of them. The ratio is the fastest of torch
over lazygrad: above 1 lazygrad is ahead. The limit is the time that this device needs at least to move the operands
once, or to do the products.

"""
_COLUMNS = (
    *("work", "torch", "torch.compile", "reduce-overhead", "lazygrad", "lazygrad.compile", "cupy"),
    *("ratio", "to reach", "of the limit"),
)


@dataclass
class Contender:
    """One way to compute a row.

    Attributes:
        call: computes once, and returns what was computed.
        first: seconds of the first call, from before anything was traced or compiled.
        seconds: of one call, per round.
    """

    name: str
    call: Callable[[], Any]
    first: float = 0.0
    problem: str = ""
    seconds: list[float] = field(default_factory=list)


def contenders(case: GpuCase, device: str, is_small: bool) -> list[Contender]:
    """Everybody who can compute a case, torch eager first."""
    import torch

    def of(t: Any, wrap: Callable[[Any], Any]) -> Callable[[], Any]:
        function, arguments = case.make(t, device, is_small)
        wrapped = wrap(function)
        if t is lg:
            return lambda: wrapped(*arguments).realize()
        return lambda: wrapped(*arguments)

    made = [Contender("torch", of(torch, lambda f: f))]
    for mode in ("default", "reduce-overhead"):
        made.append(Contender(f"torch.compile, {mode}", of(torch, lambda f, mode=mode: torch.compile(f, mode=mode))))
    made += [Contender("lazygrad", of(lg, lambda f: f)), Contender("lazygrad.compile", of(lg, lg.compile))]
    if case.in_cupy is not None and importlib.util.find_spec("cupy") and device == "cuda":
        import cupy

        in_cupy = case.in_cupy
        _, arguments = case.make(torch, device, is_small)
        arrays = [cupy.from_dlpack(each) for each in arguments]
        made.append(Contender("cupy", lambda: in_cupy(cupy, *arrays)))
    return made


def measured(case: GpuCase, device: str, is_small: bool) -> list[Contender]:
    """The contenders of a case with their times, or why they have none."""
    import torch

    def wait() -> None:
        if device == "cuda":
            torch.cuda.synchronize()
            lg.cuda.synchronize()

    made = contenders(case, device, is_small)
    wanted: np.ndarray | None = None
    for each in made:
        try:
            start = time.perf_counter()
            result = each.call()
            wait()
            each.first = time.perf_counter() - start
            found = _values(result)
            wanted = found if wanted is None else wanted
            worst = float(np.abs(found - wanted).max() / max(float(np.abs(wanted).max()), 1e-30))
            if not worst <= case.tolerance:
                each.problem = f"differs by {worst:.1e}"
            for _ in range(_WARM_CALLS):
                each.call()
            wait()
        except Exception as error:
            each.problem = f"{type(error).__name__}: {error}".splitlines()[0][:100]
    ready = [each for each in made if not each.problem]
    counts = {each.name: _calls_in_a_round(each.call, wait) for each in ready}
    for _ in range(2 if is_small else _ROUNDS):
        for each in ready:
            count = counts[each.name]
            start = time.perf_counter()
            for _ in range(count):
                each.call()
            wait()
            each.seconds.append((time.perf_counter() - start) / count)
    return made


def _values(result: Any) -> np.ndarray:
    if type(result).__module__.startswith("cupy"):
        return np.asarray(result.get(), np.float64)
    return np.asarray(result.float().cpu().numpy(), np.float64)


def _calls_in_a_round(call: Callable[[], Any], wait: Callable[[], None]) -> int:
    start = time.perf_counter()
    call()
    wait()
    return max(1, round(_LEAST_SECONDS / max(time.perf_counter() - start, 1e-7)))


def limit_of(case: GpuCase, name: str) -> float | None:
    """The least seconds that a device needs, if it is known."""
    found = next((limits for known, limits in _LIMITS.items() if known in name), None)
    if found is None or not (case.moved or case.operations):
        return None
    bandwidth, products = found
    return max(case.moved / bandwidth, case.operations / products[case.precision])


def row(case: GpuCase, made: list[Contender], device_name: str) -> str:
    """A line of the table."""
    ours = [each for each in made if each.seconds and each.name.startswith("lazygrad")]
    theirs = [each for each in made if each.seconds and each.name.startswith("torch")]
    limit, cells = limit_of(case, device_name), [_cell(each) for each in made if each.name != "cupy"]
    cells.append(next((_cell(each) for each in made if each.name == "cupy"), ""))
    ratio = reached = of_limit = ""
    if ours and theirs:
        best = min(median(each.seconds) for each in ours)
        found = min(median(each.seconds) for each in theirs) / best
        ratio, reached = f"{found:.2f}", "✓" if found >= case.target else "✗"
        of_limit = "" if limit is None else f"{limit / best:.0%}"
    return f"| {' | '.join([case.title, *cells, ratio, f'≥ {case.target} {reached}', of_limit])} |"


def _cell(each: Contender) -> str:
    if each.problem:
        return each.problem.replace("|", "/")
    low, high = np.percentile(each.seconds, (25, 75)) * 1e3
    return f"{median(each.seconds) * 1e3:.3g} ms ({low:.3g} to {high:.3g})"


def page(rows: list[str], first_calls: list[str], machine: str) -> str:
    """The whole document."""
    head = _HEAD.format(rounds=_ROUNDS, least=_LEAST_SECONDS * 1e3)
    return "\n".join(
        [
            f"{head}{machine}\n",
            *_table_head(_COLUMNS),
            *rows,
            "\n## Seconds to the first result\n",
            *_table_head(("work", *_FIRST)),
            *first_calls,
            "",
        ]
    )


def _table_head(columns: Sequence[str]) -> tuple[str, str]:
    return f"| {' | '.join(columns)} |", f"| --- |{' ---: |' * (len(columns) - 1)}"


_FIRST = ("torch", "torch.compile, default", "torch.compile, reduce-overhead", "lazygrad", "lazygrad.compile")


def _first_row(case: GpuCase, made: list[Contender]) -> str:
    seconds = {each.name: each.first for each in made if not each.problem}
    return (
        f"| {case.title} | " + " | ".join(f"{seconds[name]:.2f}" if name in seconds else "" for name in _FIRST) + " |"
    )


def _machine(device_name: str) -> str:
    versions = {name: _version(name) for name in ("torch", "cupy-cuda13x", "numpy", "nvidia-cublas", "triton")}
    listed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return f"Device: {device_name}, Python {platform.python_version()}, lazygrad {lg.__version__}, {listed}."


def _version(package: str) -> str | None:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    return None


def main(arguments: list[str]) -> int:
    """Measure all, or rehearse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rehearse", action="store_true", help="small sizes on the CPU; nothing is written")
    parser.add_argument("--only", default="", help="cases whose title contains this")
    options = parser.parse_args(arguments)
    missing = lg.cuda.why_unavailable()
    if missing is not None and not options.rehearse:
        print(f"there is nothing to measure: {missing}", file=sys.stderr)
        return 1
    device = "cpu" if options.rehearse else "cuda"
    name = "CPU" if options.rehearse else lg.cuda.get_device_name()
    rows, first_calls = [], []
    for case in (case for case in CASES if options.only in case.title):
        made = measured(case, device, options.rehearse)
        rows.append(row(case, made, name))
        first_calls.append(_first_row(case, made))
        print(rows[-1], flush=True)
    if not options.rehearse and not options.only:
        PAGE.write_text(page(rows, first_calls, _machine(name)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
