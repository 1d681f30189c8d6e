"""Fused kernels of every shape, run as CUDA source, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.dtype import STORAGE_DTYPES
from tests.cuda_emulator.driver import Order
from tests.targets.cuda.comparing import Case, check, gradients
from tests.targets.cuda.emulating import emulating

F = lg.nn.functional

F = lg.nn.functional
_rng = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return _rng.standard_normal(shape).astype(np.float32)


def whole(*shape: int) -> np.ndarray:
    return _rng.integers(-50, 50, shape)


def _mathematics(x: Any) -> Any:
    return (x.erf(), x.lgamma(), x.digamma(), x.tanh(), (x * 0.2).erfinv(), lg.polygamma(1, x), x.log1p(), x.pow(2.5))


def _rounding(x: Any) -> Any:
    return (x.floor(), x % 0.7, x // 0.7, x.round(), x.sign(), x.fmod(0.3), x.maximum(x * float("nan")))


def _halves(x: Any, y: Any) -> Any:
    return (x.bfloat16() * y.bfloat16(), lg.softmax(x.bfloat16(), 1), x.half().sum(0).float(), x.bfloat16().sum())


def _complex_numbers(x: Any, y: Any) -> Any:
    z = lg.complex(x, y)
    return (z.exp(), z.abs(), (z * z.conj()).sum(1), z.sum(), z / (z + 1), z.pow(3), z.sqrt().tanh())


def _complex_inverses(x: Any, y: Any) -> Any:
    z = lg.complex(x, y)
    w = lg.complex(x.double(), (y * 0).double())  # on the cuts
    return [f(n) for n in (z, w) for f in (lg.asin, lg.acos, lg.atan, lg.asinh, lg.acosh, lg.atanh)]


CASES = {
    "packets": Case(lambda x, y: x + y * 2, (normal(64, 128), normal(64, 128))),
    "no packets": Case(lambda x, y: (x + y * 2).relu(), (normal(7, 33), normal(33))),
    "many dimensions": Case(lambda x: x.permute(2, 0, 3, 1) * 2 + x[:1, :1, :1, :1], (normal(3, 4, 5, 6),)),
    "masked": Case(lambda x: F.pad(x, (1, 2, 3, 4), value=2.0).exp(), (normal(9, 12),)),
    "transposed": Case(lambda x, y: x.T + y, (normal(67, 40), normal(40, 67))),
    "turned in tiles": Case(lambda x, y, b: (x.T * y + b).exp(), (normal(60, 97), normal(97, 60), normal(60))),
    "turned behind others": Case(lambda x: x.permute(0, 3, 1, 2) * 2 + 1, (normal(3, 20, 5, 40),)),
    "turned halves": Case(lambda x: (x.half().T.contiguous() + x.T.half()).float(), (normal(33, 65),), 1e-3),
    "turned complex numbers": Case(lambda x, y: lg.complex(x, y).T * 2, (normal(33, 65), normal(33, 65)), 1e-4),
    "one element": Case(lambda x: (x * 3).exp(), (normal(1),)),
    "runtime scalars": Case(lambda x: (x * 0.3 + 0.7, (x > 0.1).sum()), (normal(9, 12),)),
    "rows in lanes": Case(lambda x: lg.softmax(x, 1), (normal(64, 128),)),
    "odd rows": Case(lambda x: lg.softmax(x, 1), (normal(7, 33),)),
    "short rows": Case(lambda x: lg.log_softmax(x, 1), (normal(300, 5),)),
    "rows in blocks": Case(lambda x: lg.softmax(x, 1), (normal(3, 5000),)),
    "rows too long for registers": Case(lambda x: lg.softmax(x, 1), (normal(2, 40000),)),
    "rows across": Case(lambda x: lg.softmax(x, 0), (normal(70, 33),)),
    "rows apart": Case(lambda x: x - x.mean((0, 2), keepdim=True), (normal(5, 6, 8),)),
    "total": Case(lambda x: x.sum(), (normal(300, 401),)),
    "total and what follows": Case(lambda x: (x * x).mean().sqrt() + 1, (normal(300, 401),)),
    "columns": Case(lambda x: (x.sum(0), x.amax(0)), (normal(3000, 40),), 1e-4),  # of numbers near 100
    "moments": Case(lambda x: (x.mean(1), x.var(1), x.prod(1)), (normal(30, 400),)),
    "layer_norm": Case(
        gradients(lambda x, w, b: F.layer_norm(x, (96,), w, b)), (normal(30, 96), normal(96), normal(96)), 1e-4
    ),
    "layer_norm of many rows": Case(
        gradients(lambda x, w, b: F.layer_norm(x, (1000,), w, b)), (normal(600, 1000), normal(1000), normal(1000)), 2e-4
    ),
    "columns in memory": Case(
        gradients(lambda x, w: F.layer_norm(x, (9000,), w)), (normal(5, 9000), normal(9000)), 2e-4
    ),
    "batch_norm": Case(
        gradients(lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True)),
        (normal(4, 6, 11, 12), normal(6), normal(6)),
        2e-4,
    ),
    "cross_entropy": Case(gradients(lambda x, t: F.cross_entropy(x, t % 30)), (normal(9, 30), whole(9))),
    "gelu": Case(gradients(F.gelu), (normal(40, 30),), 1e-4),
    "integers": Case(lambda a: (a // 7, a % -7, a * a, a.sum(), a.amax(), a << 2, a >> 1, a**2), (whole(10, 13),)),
    "small integers": Case(lambda a: (a.to(lg.int8) + 3, a.to(lg.uint8).sum(), a.to(lg.int16) * 2), (whole(10, 13),)),
    "truth values": Case(lambda x: ((x > 0).any(1), (x > 0).all(), ~(x > 0), (x > 0) ^ (x < 1)), (normal(10, 13),)),
    "halves": Case(_halves, (normal(20, 24), normal(20, 24)), 2e-2),
    "double": Case(lambda x: (x.double().exp().sum(1), x.double().softmax(0)), (normal(20, 24),)),
    "complex numbers": Case(_complex_numbers, (normal(20, 20), normal(20, 20)), 1e-4),
    "inverses of complex numbers": Case(_complex_inverses, (normal(20, 20) * 2, normal(20, 20) * 2), 1e-5),
    "mathematics": Case(_mathematics, (normal(20, 20),), 1e-4),
    "rounding": Case(_rounding, (normal(20, 20),)),
    "nothing": Case(lambda x: (x[:0].sum(), x[:0].sum(0), x[:, :0].sum(1) + 1), (normal(4, 5),)),
}


@pytest.mark.parametrize("name", CASES)
def test_kernel(name: str) -> None:
    check(CASES[name], Order.DESCENDING if len(name) % 2 else Order.ASCENDING)


REFUSED = {
    "a class": lambda x, i, p: F.nll_loss(x.log_softmax(1), i),
    "a class in rows": lambda x, i, p: F.cross_entropy(x * 2, i * 1, label_smoothing=0.1),
    "a probability": lambda x, i, p: F.binary_cross_entropy(p * 1.5, p),
    "a divisor": lambda x, i, p: i // (i - 7),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_kernel_refuses_is_said_as_on_the_host(name: str) -> None:
    inputs = lg.tensor(normal(4, 5)), lg.tensor([1, 4, 7, 2]), lg.tensor([[0.2, 0.1], [0.9, 0.5]])

    def message() -> str:
        with pytest.raises((IndexError, RuntimeError)) as found:
            REFUSED[name](*inputs).numpy()
        return str(found.value)

    with lg.backend("numpy"):
        expected = message()
    with emulating():
        assert message() == expected


@pytest.mark.parametrize("name", [dtype.name for dtype in STORAGE_DTYPES if dtype.is_float8])
def test_casts_of_8_bit_floats_have_the_bits_of_the_host(name: str) -> None:
    draw = np.random.default_rng(0)
    words = draw.integers(0, 1 << 32, 4000, dtype=np.uint32)
    borders = np.arange(0, 1 << 32, 1 << 19, dtype=np.uint32)  # numbers of the formats and the middles between them
    x = np.concatenate([words, borders, borders[1:] - 1, borders + 1]).view(np.float32)

    def bits() -> list[np.ndarray]:
        codes = lg.tensor(x).to(getattr(lg, name)).view(lg.uint8)
        numbers = lg.arange(256, dtype=lg.uint8).view(getattr(lg, name)).float()
        return [codes.numpy(), numbers.numpy()]

    with lg.backend("numpy"):
        expected = bits()
    with emulating():
        found = bits()
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
