"""The machine the numbers were measured on, and what it can do at best."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.case import Work
from tests.benchmarks.frameworks import THREADS, is_installed
from tests.benchmarks.processes import ROOT, environment

COPIED_BYTES = 256 * 2**20
MATRIX_SIZE = 2048
ROUNDS = 10
_VERSIONS_OF = ("lazygrad", "numpy", "torch", "jax")


@dataclass(frozen=True)
class Roofline:
    """What bounds any program here.

    Attributes:
        bytes_per_second: read plus written, by a copy of what no cache holds.
        flops: per second, of a float32 matrix product.
    """

    bytes_per_second: float
    flops: float

    def milliseconds(self, work: Work) -> float:
        """The least time the work can take; less is possible only where its memory lies in a cache."""
        return 1000 * max(work.bytes / self.bytes_per_second, work.flops / self.flops)

    def __str__(self) -> str:
        gigabytes, gigaflops = self.bytes_per_second / 1e9, self.flops / 1e9
        return f"memory copy {gigabytes:.1f} GB/s, float32 matrix product {gigaflops:.0f} GFLOP/s"


def measure_roofline() -> Roofline:
    """Best of some rounds and of the libraries at hand, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.machine"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), check=True, capture_output=True, text=True)
    return Roofline(**json.loads(done.stdout))


def describe() -> str:
    """Processor, cores, threads used, versions, and how busy it was with other things, in one line."""
    versions = ", ".join(f"{name} {_version(name)}" for name in _VERSIONS_OF)
    return (
        f"{_processor()}, {os.cpu_count()} cores ({THREADS} threads used), {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, {versions}, load average {os.getloadavg()[0]:.1f} at the start"
    )


def _measure_here() -> Roofline:
    """The product of every library here: each is far from the limit on some processor."""
    products = [_numpy_product(), _lazygrad_product()]
    if is_installed("eager"):
        products.append(_torch_product())
    if is_installed("jax"):
        products.append(_jax_product())
    return Roofline(2 * COPIED_BYTES / _best(_copy()), 2 * MATRIX_SIZE**3 / min(map(_best, products)))


def _copy() -> Callable[[], object]:
    """Each thread copies a part of the array; numpy releases the interpreter lock meanwhile."""
    import numpy as np

    source, target = np.ones(COPIED_BYTES, np.uint8), np.empty(COPIED_BYTES, np.uint8)
    parts = list(zip(np.array_split(target, THREADS), np.array_split(source, THREADS), strict=True))
    pool = ThreadPoolExecutor(THREADS)
    return lambda: list(pool.map(lambda part: np.copyto(*part), parts))


def _numpy_product() -> Callable[[], object]:
    import numpy as np

    a = np.ones((MATRIX_SIZE, MATRIX_SIZE), np.float32)
    out = np.empty_like(a)
    return lambda: np.matmul(a, a, out=out)


def _torch_product() -> Callable[[], object]:
    import torch

    torch.set_num_threads(THREADS)
    a = torch.ones(MATRIX_SIZE, MATRIX_SIZE)
    out = torch.empty_like(a)
    return lambda: torch.mm(a, a, out=out)


def _lazygrad_product() -> Callable[[], object]:
    import lazygrad

    lazygrad.set_num_threads(THREADS)
    a = lazygrad.ones(MATRIX_SIZE, MATRIX_SIZE).realize()
    for _ in range(2):  # the second run asks for the compiler, which would disturb what is measured next
        lazygrad.mm(a, a).realize()
    lazygrad.wait_for_compiler()
    return lambda: lazygrad.mm(a, a).realize()


def _jax_product() -> Callable[[], object]:
    import jax

    a = jax.numpy.ones((MATRIX_SIZE, MATRIX_SIZE), jax.numpy.float32)
    multiply = jax.jit(jax.numpy.matmul)
    return lambda: multiply(a, a).block_until_ready()


def _best(run: Callable[[], object]) -> float:
    """Seconds; the first run only touches the memory, or compiles."""
    run()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


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


if __name__ == "__main__":
    print(json.dumps(vars(_measure_here())))
