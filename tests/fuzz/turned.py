"""Programs whose kernels turn tiles of what they read, for matrices of any extents and dtype."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import numpy as np

import lazygrad as lg
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import ALL_DTYPES, DType
from lazygrad.nn import functional as F
from lazygrad.runtime.backend_choice import backend
from lazygrad.tensor import Tensor
from tests.fuzz.extents import constants, near_tiles

Form = Callable[[Tensor, Tensor], Tensor]
Case = tuple[int, int, int, DType, int]
LIMIT = 130
BATCHES = (1, 2, 3)

# Of matrices (batch, rows, columns) and others (batch, columns, rows).
FORMS: list[Form] = [
    lambda x, y: x + y.transpose(1, 2),
    lambda x, y: x * y.transpose(1, 2) + (y + y).transpose(1, 2) * x,
    lambda x, y: lg.where(x == y.transpose(1, 2), x, y.transpose(1, 2)),
    lambda x, y: x.flip(0) + y.transpose(1, 2).flip(1) + x.flip(2),
    lambda x, y: x[:, 1:] + y.transpose(1, 2)[:, :-1],
    lambda x, y: x[..., 1:] * y[:, :-1].transpose(1, 2),
    lambda x, y: x.permute(2, 0, 1) + y.transpose(0, 1),
    lambda x, y: F.pad(y.transpose(1, 2), (1, 2)) + F.pad(x, (2, 1)),
    lambda x, y: F.pad(y.transpose(1, 2), (0, 0, 2, -1)) + F.pad(x, (0, 0, -1, 2)),
    lambda x, y: lg.cat([x, y.transpose(1, 2), x + y.transpose(1, 2)], 1) * 2,
    lambda x, y: (x * y.transpose(1, 2)).sum(1),
    lambda x, y: (x + y.transpose(1, 2)).sum(2, keepdim=True) * x.to(x.dtype),
]


def every_case() -> Iterator[Case]:
    """Each batch, rows, columns and dtype, in the first form."""
    for batch in BATCHES:
        for rows in near_tiles(LIMIT):
            for columns in near_tiles(LIMIT):
                for dtype in ALL_DTYPES:
                    yield batch, rows, columns, dtype, 0


def sixteens() -> list[Case]:
    """Two matrices of floats with one axis as long as what is turned in registers, at all lengths of the other."""
    (vector,) = constants()["c/loops.py:_SHORT_ROW"]
    return [case for case in every_case() if case[0] == 2 and vector in case[1:3] and case[3].is_floating_point][::3]


def drawn_cases(random: Random, count: int) -> list[Case]:
    """Cases of any form, of each dtype as often as of the others."""
    extents = near_tiles(LIMIT)
    return [
        (
            random.choice(BATCHES),
            random.choice(extents),
            random.choice(extents),
            ALL_DTYPES[n % len(ALL_DTYPES)],
            n % len(FORMS),
        )
        for n in range(count)
    ]


def results(cases: list[Case]) -> list[np.ndarray]:
    """What the cases come to, all of it computed by one plan."""
    found = []
    for batch, rows, columns, dtype, form in cases:
        x, y = _matrices(batch, rows, columns, dtype), _matrices(batch, columns, rows, dtype)
        found.append(FORMS[form](x, y))
    lg.realize_all(found)
    return [tensor.numpy(force=True) for tensor in found]


def wrong(cases: list[Case], have: list[np.ndarray]) -> list[str]:
    """The cases whose numbers are not, to the last bit, what numpy finds."""
    with backend("numpy"):
        want = results(cases)
    return [
        f"form {form} of ({batch}, {rows}, {columns}) in {dtype}"
        for (batch, rows, columns, dtype, form), ours, expected in zip(cases, have, want, strict=True)
        if ours.dtype != expected.dtype or not np.array_equal(ours, expected)
    ]


def _matrices(batch: int, rows: int, columns: int, dtype: DType) -> Tensor:
    """Small whole numbers, of which no operation here loses a digit."""
    rng = np.random.default_rng([batch, rows, columns])
    numbers = rng.integers(-3 if dtype.is_signed else 0, 4, (batch, rows, columns)).astype(np.float64)
    if dtype.is_complex:
        numbers = numbers + 1j * rng.integers(-3, 4, numbers.shape)
    return lg.tensor(numbers.astype(to_numpy(dtype)))
