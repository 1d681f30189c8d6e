"""The machine the numbers were measured on, and what it can do at best."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lazygrad.runtime.threads import parallel_for
from tests.benchmarks.peers import THREADS

COPIED_BYTES = 256 * 1024 * 1024
MATRIX_SIZE = 2048


def describe() -> str:
    """Processor, cores, threads used, versions, and how busy it was with other things, in one line."""
    versions = ", ".join(f"{name} {_version(name)}" for name in ("lazygrad", "numpy", "torch"))
    cores = os.cpu_count()
    threads, load = f"{cores} cores ({THREADS} threads used)", f"load average {os.getloadavg()[0]:.1f} at the start"
    return f"{_processor()}, {threads}, Python {platform.python_version()}, {versions}, {load}"


def roofline(rounds: int) -> str:
    """Best of some rounds: bytes read plus written per second by a copy, and float32 matrix products."""
    source, target = np.ones(COPIED_BYTES, np.uint8), np.empty(COPIED_BYTES, np.uint8)
    a = np.ones((MATRIX_SIZE, MATRIX_SIZE), np.float32)
    out = np.empty_like(a)

    def copy_part(start: int, stop: int) -> None:
        np.copyto(target[start:stop], source[start:stop])

    gigabytes = 2e-9 * COPIED_BYTES / _best(lambda: parallel_for(copy_part, COPIED_BYTES), rounds)
    gigaflops = 2e-9 * MATRIX_SIZE**3 / _best(lambda: np.matmul(a, a, out=out), rounds)
    return f"memory copy {gigabytes:.1f} GB/s, float32 matrix product {gigaflops:.0f} GFLOP/s"


def _best(run: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds + 1):  # the first one only touches the memory
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
