"""What this machine can do at best, measured once: how fast it copies memory, and how fast it multiplies matrices.

Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for multicore architectures", 2009.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from statistics import median

import numpy as np

from lazygrad.host.buffer import new_buffer
from lazygrad.host.cache_folder import cache_folder
from lazygrad.host.disk_cache import read_entry, write_entry
from lazygrad.host.interference import Interference
from lazygrad.host.threads import get_num_threads, parallel_for
from lazygrad.inspect.timing import BUSY
from lazygrad.ir.dtype import float32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import tensor_type
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.runtime.plan import Plan

_COPIED = 1 << 27  # bytes, more than caches hold
_SIZE = 1024  # of the matrices
_ROUNDS = 10
_WIDEST = 0.3  # by how much of the best time the median may differ from it, for a measurement to be kept


@dataclass(frozen=True, slots=True)
class Roofline:
    """What bounds any program here.

    Attributes:
        bytes_per_second: read plus written, by a copy of what no cache holds.
        flops: per second, of a float32 matrix product.
        is_steady: whether the machine was quiet enough for these numbers to be kept.
    """

    bytes_per_second: float
    flops: float
    is_steady: bool = True

    def milliseconds(self, bytes_moved: int, flops: int) -> float:
        """The least time of such work; less is possible only where its memory lies in a cache."""
        return 1000 * max(bytes_moved / self.bytes_per_second, flops / self.flops)

    def __str__(self) -> str:
        numbers = f"copy {self.bytes_per_second / 1e9:.1f} GB/s, float32 product {self.flops / 1e9:.0f} GFLOP/s"
        return numbers if self.is_steady else f"{numbers} (measured beside other programs, so not kept)"


def roofline() -> Roofline:
    """This machine's: from the cache folder, if it was measured while the machine was quiet.

    Else it is measured now, which takes two seconds, once in a process.
    """
    return _of_machine(get_num_threads())


@cache
def _of_machine(threads: int) -> Roofline:
    with suppress(OSError):
        found = _read(_path(threads))
        if found is not None:
            return found
    found = _measured()
    if found.is_steady:
        with suppress(OSError):
            write_entry(_path(threads), json.dumps(asdict(found)).encode())
    return found


def _path(threads: int) -> Path:
    decisive = (_processor(), threads, np.__version__, _COPIED, _SIZE)
    return cache_folder() / f"roofline-{sha256(repr(decisive).encode()).hexdigest()[:16]}.json"


def _read(path: Path) -> Roofline | None:
    try:
        fields = json.loads(read_entry(path) or b"null")
        return Roofline(float(fields["bytes_per_second"]), float(fields["flops"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _measured() -> Roofline:
    watch, used_before = Interference(), time.process_time()
    copied, multiplied = _times(_copy()), [_times(run) for run in _products()]
    share = watch.share(time.process_time() - used_before) or 0.0
    best = min(multiplied, key=min)
    is_steady = share <= BUSY and all(median(times) <= (1 + _WIDEST) * min(times) for times in (copied, best))
    return Roofline(2 * _COPIED / min(copied), 2 * _SIZE**3 / min(best), is_steady)


def _copy() -> Callable[[], object]:
    source, target = np.ones(_COPIED, np.uint8), np.empty(_COPIED, np.uint8)

    def part(start: int, stop: int) -> None:
        np.copyto(target[start:stop], source[start:stop])

    return lambda: parallel_for(part, _COPIED, 1 << 20)


def _products() -> list[Callable[[], object]]:
    """Those of all targets: which library is nearest to the processor's limit differs."""
    left, right = (leaf_node(buffer, (slot,), tensor_type((_SIZE, _SIZE), float32)) for slot in range(2))
    plan = Plan(Graph([matmul(left, right)]))
    inputs = [new_buffer(left.type), new_buffer(right.type)]
    for each in inputs:
        assert each.array is not None
        each.array.fill(1)
    outputs = [new_buffer(node.type) for node in plan.schedule.outputs]

    def product_on(name: str) -> Callable[[], object]:
        executable = plan.executable(name)
        return lambda: executable.run(inputs, outputs, [])

    return [product_on(target.name) for target in plan.targets if target.missing() is None]


def _times(run: Callable[[], object]) -> list[float]:
    run()  # it touches the memory
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return times


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
