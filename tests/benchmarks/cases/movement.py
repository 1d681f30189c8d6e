"""Work that is mostly moving elements: transposing, gathering, pooling, scanning, sorting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Contender, Prepare, Program, Scale, Work, at, compiled, contenders
from tests.benchmarks.cases.stateless import Function, forward
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import integers, normal

SIZE = 4096
ROWS, COLUMNS = 4096, 1024
VOCABULARY, WIDTH, LOOKUPS = 32768, 128, 16384
IMAGES, CHANNELS, PIXELS = 32, 32, 64
_ELEMENTS = ROWS * COLUMNS


def _transpose(framework: Framework, x: Any) -> Any:
    return x.t().contiguous()


def _embed(framework: Framework, table: Any, indices: Any) -> Any:
    return framework.nn.functional.embedding(indices, table)


def _jax_embed(framework: Framework, table: Any, indices: Any) -> Any:
    return table.at[indices].get(mode="promise_in_bounds")


def _embedding(lookup: Function) -> Prepare:
    """Gathers rows and adds their gradients up in a dense gradient of the table."""

    def prepare(framework: Framework, scale: Scale) -> Program:
        vocabulary, width, lookups = at(scale, (VOCABULARY, WIDTH, LOOKUPS), (20, 8, 50))

        def run(table: Any, indices: Any, cotangent: Any) -> Sequence[Any]:
            return framework.output_and_gradients(lambda table: lookup(framework, table, indices), [table], cotangent)

        table, indices = framework.variable(normal(vocabulary, width)), framework.tensor(integers(vocabulary, lookups))
        return Program(run, [table, indices, framework.tensor(normal(lookups, width, seed=1))])

    return prepare


def _embedding_contenders() -> tuple[Contender, ...]:
    return contenders(_embedding(_embed), compiled(_embedding(_jax_embed)))


def _max_pool(framework: Framework, x: Any) -> Any:
    return framework.nn.functional.max_pool2d(x, 2)


def _jax_max_pool(framework: Framework, x: Any) -> Any:
    """Strided slices: XLA's ``reduce_window`` is many times slower on a CPU."""
    rows = framework.lib.maximum(x[:, :, ::2], x[:, :, 1::2])
    return framework.lib.maximum(rows[..., ::2], rows[..., 1::2])


def _cumsum(framework: Framework, x: Any) -> Any:
    return x.cumsum(-1)


def _sort(framework: Framework, x: Any) -> Any:
    return x.sort(dim=-1).values


def _jax_sort(framework: Framework, x: Any) -> Any:
    return framework.lib.sort(x, axis=-1)


def _square(scale: Scale) -> list[np.ndarray]:
    size = at(scale, SIZE, 40)
    return [normal(size, size)]


def _rows(scale: Scale) -> list[np.ndarray]:
    return [normal(*at(scale, (ROWS, COLUMNS), (16, 32)))]


def _flat(scale: Scale) -> list[np.ndarray]:
    return [normal(at(scale, _ELEMENTS, 512))]


def _pictures(scale: Scale) -> list[np.ndarray]:
    return [normal(*at(scale, (IMAGES, CHANNELS, PIXELS, PIXELS), (2, 3, 8, 8)))]


_READ_AND_WRITTEN = Work(bytes=2 * 4 * _ELEMENTS)

CASES = [
    Case(
        "transpose",
        "transposed copy, 4096×4096",
        forward(_transpose, _square, lambda framework, x: x.T),
        Work(bytes=2 * 4 * SIZE * SIZE),
        target=4.0,
    ),
    Case(
        "embedding",
        "embedding of 16384 in 32768×128: gather, and scatter-add backward",
        _embedding_contenders(),
        Work(bytes=4 * WIDTH * (3 * LOOKUPS + VOCABULARY)),
        target=1.2,
    ),
    Case(
        "max_pool2d",
        "max_pool2d of 2×2, 32×32×64×64",
        forward(_max_pool, _pictures, _jax_max_pool),
        Work(bytes=4 * _ELEMENTS * 5 / 4),
        target=1.0,
    ),
    Case("cumsum_rows", "cumsum of rows, 4096×1024", forward(_cumsum, _rows), _READ_AND_WRITTEN, target=1.0),
    Case("cumsum_flat", "cumsum, 4M", forward(_cumsum, _flat), _READ_AND_WRITTEN, target=1.0, tolerance=1e-3),
    Case("sort_rows", "sort of rows, 4096×1024", forward(_sort, _rows, _jax_sort), _READ_AND_WRITTEN, target=1.0),
    Case("sort_flat", "sort, 4M", forward(_sort, _flat, _jax_sort), _READ_AND_WRITTEN, target=1.0),
]
