"""Elementwise functions of libraries as CUDA source against those of the host, far out and at special numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.dtype import Category
from lazygrad.ir.primitives.pointwise import FUNCTIONS, pointwise
from lazygrad.targets.cuda import nvrtc
from lazygrad.tensor import Tensor, realize_all
from lazygrad.tensor_base import record_node
from tests.cuda_emulator.driver import Order
from tests.targets.cuda.emulating import emulating
from tests.targets.cuda.test_machine_code import spilled

inf, nan = np.inf, np.nan
_draw = np.random.default_rng(0)

SPECIAL = np.array([0.0, -0.0, 1, -1, 0.5, -2, 3, inf, -inf, nan])
SIGNED = np.concatenate([SPECIAL, _draw.uniform(-40, 40, 60), _draw.uniform(-3, 3, 60), [-700, 700, 1e-9]])
POSITIVE = np.concatenate([SPECIAL, _draw.uniform(0, 40, 60), 10.0 ** _draw.uniform(-8, 2, 60), [700]])
SHARES = np.concatenate([[0, 1, 0.5, -1, 2, nan], _draw.uniform(0, 1, 60), 10.0 ** _draw.uniform(-30, 0, 60)])
WHOLE = np.array([0, 1, -1, 12, -18, 270, 1 << 40, -(1 << 40), -(1 << 63), (1 << 63) - 1, 30, 77, 91])
DEGREES = np.array([-1, 0, 1, 2, 3, 7, 12])[:, None] + 0.3


def _shapes(least: float, most: float) -> tuple[np.ndarray, np.ndarray]:
    """Parameters and numbers of gamma distributions near their mean."""
    shape = 10.0 ** _draw.uniform(np.log10(least), np.log10(most), 80)
    return shape, shape * _draw.uniform(0.3, 2, 80) + 0.01


def _incomplete() -> tuple[np.ndarray, np.ndarray]:
    ends = np.array([0, 1, inf, -1, nan, 2.5])
    first, second = np.meshgrid(ends, ends)
    a, x = _shapes(1e-5, 1e4)
    return np.concatenate([a, first.ravel()]), np.concatenate([x, second.ravel()])


def _components() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a, rest = 10.0 ** _draw.uniform(-1, 2, (2, 60))
    return np.clip(a / (a + rest) * _draw.uniform(0.7, 1.3, 60), 1e-4, 1 - 1e-4), a, a + rest


OPERANDS: dict[str, tuple[np.ndarray, ...]] = {
    **dict.fromkeys(FUNCTIONS, (SIGNED,)),
    **dict.fromkeys("bessel_j0 bessel_j1 bessel_y0 bessel_y1 k0 k0e k1 k1e".split(), (POSITIVE,)),
    "airy_ai": (np.concatenate([_draw.uniform(-30, 20, 90), [0.0, -9, 60, nan]]),),
    "airy_ai_prime": (np.concatenate([_draw.uniform(-30, 20, 90), [0.0, -9, 60, nan]]),),
    "erfcx": (SIGNED[SIGNED > -26],),
    "ndtri": (SHARES,),
    "nextafter": (SIGNED[:, None], SPECIAL),
    "gcd": (WHOLE[:, None], WHOLE),
    "lcm": (WHOLE[:, None], WHOLE),
    "gammainc": _incomplete(),
    "gammaincc": _incomplete(),
    "zeta": (np.array([1, 1.5, 2, 3, 17, 0.5, nan])[:, None], POSITIVE),
    "gamma_slope": _shapes(0.01, 1e3),
    "dirichlet_slope": _components(),
    **dict.fromkeys("chebyshev_t hermite_h hermite_he".split(), (DEGREES, _draw.uniform(-3, 3, 20))),
    "gegenbauer": (DEGREES, np.array([[[0.5]], [[2.0]]]), _draw.uniform(-2, 2, 20)),
    "laguerre": (DEGREES, np.array([[[0.0]], [[1.5]]]), _draw.uniform(-2, 9, 20)),
}
# Where the formulas here and those of scipy leave other digits; relative, beside 1e-12.
LOOSE = {"gammainc": 1e-11, "gammaincc": 1e-11, "airy_ai": 1e-11}


def _computed(dtype: Any) -> dict[str, np.ndarray]:
    """All functions, in one program."""
    made = {}
    for name, operands in OPERANDS.items():
        given = [lg.tensor(each if each.dtype == np.int64 else each.astype(dtype)).node() for each in operands]
        made[name] = Tensor.from_node(record_node(pointwise, tuple(given), (name,)))
    realize_all(made.values())
    return {name: value.numpy() for name, value in made.items()}


@pytest.mark.skipif(nvrtc.missing() is not None, reason=str(nvrtc.missing()))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_program_of_one_function_has_all_that_it_calls(name: str) -> None:
    x = lg.tensor([2]) if FUNCTIONS[name].category is Category.INTEGER else lg.tensor([0.5])
    node = record_node(pointwise, (x.node(),) * FUNCTIONS[name].operands, (name,))
    made = lg.compile_for(lambda: Tensor.from_node(node), target="cuda", arch="sm_80")
    assert len(made.kernels) == 1 and not spilled(made.kernels)


def test_like_the_host() -> None:
    with lg.backend("numpy"):
        expected = _computed(np.float64)
    with emulating(Order.DESCENDING):
        found = _computed(np.float64)
    wrong = {}
    for name, value in expected.items():
        tolerance = LOOSE.get(name, 1e-12)
        with np.errstate(all="ignore"):
            is_close = np.isclose(found[name], value, rtol=tolerance, atol=1e-300, equal_nan=True)
        if not is_close.all():
            places = np.broadcast_arrays(*OPERANDS[name])
            wrong[name] = [(*[x[~is_close] for x in places], found[name][~is_close], value[~is_close])]
    assert not wrong


def test_of_16_and_32_bits() -> None:
    names = ("nextafter", "k0", "frexp_mantissa")

    def computed() -> list[np.ndarray]:
        made = []
        for dtype in (lg.float16, lg.bfloat16, lg.float32):
            given = [lg.tensor(each).to(dtype) for each in (*OPERANDS["nextafter"], POSITIVE)]
            nodes = {"nextafter": given[:2], "k0": given[2:], "frexp_mantissa": given[:1]}
            results = [record_node(pointwise, tuple([x.node() for x in nodes[name]]), (name,)) for name in names]
            made += [Tensor.from_node(node).double() for node in results]
        realize_all(made)
        return [value.numpy() for value in made]

    with lg.backend("numpy"):
        expected = computed()
    with emulating():
        found = computed()
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        tolerance, name = (2e-3, 2e-2, 1e-6)[number // len(names)], names[number % len(names)]
        np.testing.assert_allclose(one, other, rtol=tolerance if name == "k0" else 0, atol=0, err_msg=name)
