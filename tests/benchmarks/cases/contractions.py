"""Matrix products, bound by arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Scale, Work, at
from tests.benchmarks.cases.stateless import forward
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import normal

SIZE = 1024
BATCHES, BATCH_SIZE = 64, 128


def _matmul(framework: Framework, a: Any, b: Any) -> Any:
    return framework.lib.matmul(a, b)


def _matrices(scale: Scale) -> list[np.ndarray]:
    size = at(scale, SIZE, 40)
    return [normal(size, size), normal(size, size, seed=1)]


def _batched_matrices(scale: Scale) -> list[np.ndarray]:
    shape = at(scale, (BATCHES, BATCH_SIZE, BATCH_SIZE), (3, 20, 20))
    return [normal(*shape), normal(*shape, seed=1)]


def _work(batches: int, size: int) -> Work:
    return Work(bytes=3 * 4 * batches * size**2, flops=2.0 * batches * size**3)


CASES = [
    Case("matmul", "matmul, 1024×1024", forward(_matmul, _matrices), _work(1, SIZE), target=0.95),
    Case("bmm", "bmm, 64×128×128", forward(_matmul, _batched_matrices), _work(BATCHES, BATCH_SIZE), target=0.95),
]
