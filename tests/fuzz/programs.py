"""Random programs: lists of small integers that name operations and their operands among the tensors made so far.

Hypothesis can shrink such a program, and any list is one: an operation that raises is skipped.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.ir.dtype import ALL_DTYPES
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor

Operation = Callable[[Tensor, Tensor, int], Tensor | None]

# Operations whose float results may differ between ways of running: by an order of additions, or in the last bit.
ROUNDING: set[Operation] = set()


def _rounding(operation: Operation) -> Operation:
    ROUNDING.add(operation)
    return operation


UNARY: list[Operation] = [
    lambda x, y, k: -x,
    lambda x, y, k: x.abs(),
    _rounding(lambda x, y, k: lg.tanh(x)),
    _rounding(lambda x, y, k: lg.sinc(x)),
    _rounding(lambda x, y, k: lg.sigmoid(x)),
    lambda x, y, k: x.relu(),
    _rounding(lambda x, y, k: lg.exp(lg.clamp(x, -4, 4))),
    _rounding(lambda x, y, k: lg.sqrt(x.abs())),
    lambda x, y, k: x * (k - 2.5),
    lambda x, y, k: x + k,
    lambda x, y, k: x**2,
    lambda x, y, k: x > k - 2,
    lambda x, y, k: x.to(ALL_DTYPES[k]),
]
COMPLEX: list[Operation] = [
    lambda x, y, k: x.to(lg.complex64 if k % 2 else lg.complex128),
    lambda x, y, k: x * (k - 1.5j),
    lambda x, y, k: x.conj(),
    lambda x, y, k: x.real,
    lambda x, y, k: x.imag,
    lambda x, y, k: lg.view_as_real(x),
    lambda x, y, k: lg.complex(x, y),
    lambda x, y, k: lg.complex(x, x * k),
    _rounding(lambda x, y, k: lg.sgn(x)),
    _rounding(lambda x, y, k: lg.angle(x)),
    _rounding(lambda x, y, k: lg.sqrt(x)),
    lambda x, y, k: x == x.conj(),
]
BINARY: list[Operation] = [
    lambda x, y, k: x + y,
    lambda x, y, k: x - y,
    lambda x, y, k: x * y,
    _rounding(lambda x, y, k: x / (y.abs() + 1)),
    lambda x, y, k: lg.maximum(x, y),
    lambda x, y, k: lg.minimum(x, y),
    lambda x, y, k: lg.fmax(x, y),
    # The sign of a NaN that arithmetic makes is left to the machine.
    lambda x, y, k: lg.copysign(x, lg.where(y == y, y, 1.0)),
    _rounding(lambda x, y, k: lg.hypot(x, y)),
    _rounding(lambda x, y, k: lg.logaddexp(x, y)),
    _rounding(lambda x, y, k: lg.xlogy(x, y.abs() + 1)),
    lambda x, y, k: lg.gcd(x, y),
    lambda x, y, k: lg.where(x > 0, x, y),
    lambda x, y, k: x == y,
    _rounding(lambda x, y, k: x @ y),
    lambda x, y, k: lg.cat([x, y], k % max(x.dim(), 1)),
    lambda x, y, k: lg.cat([x + 1, y, x * 2], k % max(x.dim(), 1)),
    lambda x, y, k: lg.stack([x * k, x - k, y], k % (x.dim() + 1)),
]
VIEWS: list[Operation] = [
    lambda x, y, k: x.transpose(0, -1),
    lambda x, y, k: x.flatten(),
    lambda x, y, k: x.reshape(-1, 2),
    lambda x, y, k: x[k % 3 :],
    lambda x, y, k: x[..., ::2],
    lambda x, y, k: x[k % 2],
    lambda x, y, k: x.unsqueeze(k % (x.dim() + 1)),
    lambda x, y, k: x.squeeze(),
    lambda x, y, k: x.flip(0),
    lambda x, y, k: x.unsqueeze(0).expand(2, *x.shape),
    lambda x, y, k: x.diagonal(),
    lambda x, y, k: F.pad(x, (k % 3, k % 4 - 1), value=k // 3),
    lambda x, y, k: F.pad(x, (0, 0, k % 4 - 1, k % 3)),
    lambda x, y, k: x[1:] - F.pad(x, (0, 0, 1, -2)),
]
REDUCTIONS: list[Operation] = [
    _rounding(lambda x, y, k: x.sum()),
    _rounding(lambda x, y, k: x.sum(k % x.dim())),
    _rounding(lambda x, y, k: x.sum(k % x.dim(), keepdim=True)),
    _rounding(lambda x, y, k: x.float().mean(-1, keepdim=True)),
    lambda x, y, k: x.amax(0),
    lambda x, y, k: x.max(-1).values,
    _rounding(lambda x, y, k: lg.softmax(x.float(), -1)),
    _rounding(lambda x, y, k: x.cumsum(k % x.dim())),
    lambda x, y, k: x.cummax(k % x.dim()).values,
    _rounding(lambda x, y, k: lg.logcumsumexp(x, k % x.dim())),
    lambda x, y, k: x.argmax(-1),
    lambda x, y, k: x.sort(-1)[0],
    _rounding(lambda x, y, k: x.float().var(-1, keepdim=True)),
]


def _write(x: Tensor, update: Callable[[Tensor], object]) -> None:
    update(x)


IN_PLACE: list[Operation] = [
    lambda x, y, k: _write(x, lambda t: t.add_(k)),
    lambda x, y, k: _write(x, lambda t: t.mul_(y)),
    lambda x, y, k: _write(x, lambda t: t.copy_(y)),
    lambda x, y, k: _write(x, lambda t: t.__setitem__(0, k)),
    lambda x, y, k: _write(x, lambda t: t.__setitem__(t > k - 2, 1)),
    lambda x, y, k: _write(x, lambda t: t.__setitem__(..., t * 2)),
    lambda x, y, k: _write(x, lambda t: t.transpose(0, -1).add_(1)),
    lambda x, y, k: _write(x, lambda t: t[k % 2 :].fill_(k)),
    lambda x, y, k: _write(x, lambda t: t.clamp_(-3, 3)),
    lambda x, y, k: _write(x, lambda t: t.real.add_(k)),
    lambda x, y, k: _write(x, lambda t: t.imag.mul_(k)),
    lambda x, y, k: _write(x, lambda t: t.conj().copy_(y)),
    lambda x, y, k: _write(x, lambda t: lg.view_as_real(t)[..., k % 2].fill_(k)),
]
OPERATIONS = [*UNARY, *COMPLEX, *BINARY, *VIEWS, *REDUCTIONS, *IN_PLACE]
MAX_ELEMENTS = 2000

Program = list[tuple[int, int, int, int]]
_instructions = st.tuples(
    st.integers(0, len(OPERATIONS) - 1), st.integers(0, 30), st.integers(0, 30), st.integers(0, 9)
)  # fmt: skip
programs = st.lists(_instructions, min_size=3, max_size=30)
long_programs = st.lists(_instructions, min_size=15, max_size=40)


def inputs(extent: tuple[int, int] = (3, 4)) -> list[Tensor]:
    """Quarter-valued numbers: sums and products of few of them are exact, so comparisons do not flip."""
    rng, (rows, columns) = np.random.default_rng(0), extent
    return [
        lg.tensor(rng.integers(-8, 8, (rows, columns)).astype(np.float32) / 4),
        lg.tensor(rng.integers(-8, 8, (columns, rows)).astype(np.float32) / 4),
        lg.tensor(rng.integers(-8, 8, (columns,)).astype(np.float64) / 4),
        lg.tensor(rng.integers(-5, 5, (rows, columns))),
        lg.tensor(rng.integers(0, 2, (rows, 1)).astype(bool)),
        lg.tensor(np.float32(0.75)),
        lg.tensor((rng.integers(-8, 8, (rows, columns)) + 1j * rng.integers(-8, 8, (rows, columns))) / 4),
    ]


def execute(
    program: Program,
    realize_each: bool = False,
    disturb: Callable[[Tensor], Tensor] = lambda result: result,
    extent: tuple[int, int] = (3, 4),
) -> list[Tensor]:
    """All tensors of a program.

    Args:
        program: the operations.
        realize_each: compute each tensor before the next one is recorded.
        disturb: applied to the floating-point results of operations that round.
        extent: rows and columns of the inputs.
    """
    tensors = inputs(extent)
    for operation, first, second, constant in program:
        x, y = tensors[first % len(tensors)], tensors[second % len(tensors)]
        try:
            result = OPERATIONS[operation](x, y, constant)
        except (RuntimeError, IndexError, TypeError, ZeroDivisionError):
            continue
        if result is not None and result.numel() <= MAX_ELEMENTS:
            rounds = OPERATIONS[operation] in ROUNDING and result.dtype.differentiable
            tensors.append(disturb(result) if rounds else result)
        if realize_each:
            for tensor in tensors:
                tensor.realize()
    return tensors


def values(tensors: list[Tensor]) -> list[np.ndarray]:
    return [np.array(tensor.numpy(force=True)) for tensor in tensors]
