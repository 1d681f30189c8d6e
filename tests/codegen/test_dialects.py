"""A second language over what C-like languages share: another dialect, another loop nest, the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from lazygrad.ir.dtype import float32, float64
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.passes.views import view_of
from lazygrad.targets.c.dialect import C
from tests.codegen.grid_language import GridDialect, grid_kernel, run
from tests.codegen.plans import plan_of
from tests.runtime.toolchains import needs_compiler


@dataclass(frozen=True)
class Case:
    """A program of one kernel, its inputs by slot, and what numpy says."""

    text: str
    inputs: tuple[np.ndarray, ...]
    oracle: Callable[..., np.ndarray]
    scalars: tuple[float, ...] = ()


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def normalized(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


_rng = np.random.default_rng(0)
X = _rng.standard_normal((6, 9)).astype(np.float32)
D = _rng.standard_normal((6, 9))
ROW = _rng.standard_normal(9)
WHOLE = _rng.integers(-4, 5, (6, 9))
WITH_NAN = np.where(X > 1.2, np.nan, X)

CASES = {
    "a chain over mixed types": Case(
        """
        %0: f32[6,9] = buffer slot=0
        %1: f64[6,9] = cast %0 dtype='float64'
        %2: f64[6,9] = exp %1
        %3: f64[9]   = buffer slot=1
        %4: f64[6,9] = mul %2 %3
        %5: f64[]    = scalar value=0.7 slot=0
        %6: f64[6,9] = add %4 %5
        %7: f64[6,9] = relu %6
        return %7
        """,
        (X, ROW),
        lambda x, row: np.maximum(np.exp(x.astype(np.float64)) * row + 0.7, 0),
        (0.7,),
    ),
    "integers": Case(
        """
        %0: i64[6,9] = buffer slot=0
        %1: i64[6,9] = abs %0
        %2: i64[6,9] = sign %0
        %3: i64[6,9] = mul %1 %2
        %4: i64[6,9] = bitwise_xor %3 %1
        return %4
        """,
        (WHOLE,),
        lambda i: i ^ np.abs(i),
    ),
    "truth values": Case(
        """
        %0: f32[6,9]  = buffer slot=0
        %1: f32[]     = constant value=0.0
        %2: bool[6,9] = gt %0 %1
        %3: bool[6,9] = isnan %0
        %4: bool[6,9] = bitwise_or %2 %3
        return %4
        """,
        (WITH_NAN,),
        lambda x: (x > 0) | np.isnan(x),
    ),
    "a masked load of a turned view": Case(
        """
        %0: f64[6,9]  = buffer slot=0
        %1: f64[9,6]  = permute %0 axes=(1,0)
        %2: f64[]     = constant value=inf
        %3: f64[9,9]  = pad %1 %2 before=(0,1) after=(0,2)
        %4: f64[9,9]  = neg %3
        return %4
        """,
        (D,),
        lambda d: -np.pad(d.T, ((0, 0), (1, 2)), constant_values=np.inf),
    ),
    "softmax": Case(
        """
        %0: f32[6,9] = buffer slot=0
        %1: f32[6,9] = softmax %0 axis=1
        return %1
        """,
        (X,),
        softmax,
    ),
    "layer_norm": Case(
        """
        %0: f64[6,9] = buffer slot=0
        %1: f64[6,9] = layer_norm %0 axes=(1,) eps=1e-05 has_weight=False has_bias=False
        return %1
        """,
        (D,),
        normalized,
    ),
    "logsumexp": Case(
        """
        %0: f64[6,9] = buffer slot=0
        %1: f64[6,1] = logsumexp %0 axes=(1,)
        return %1
        """,
        (D,),
        lambda d: np.log(np.exp(d).sum(1, keepdims=True)),
    ),
    "a maximum of columns with NaN": Case(
        """
        %0: f32[6,9] = buffer slot=0
        %1: f32[1,9] = reduce_max %0 axes=(0,)
        return %1
        """,
        (WITH_NAN,),
        lambda x: x.max(0, keepdims=True),
    ),
    "a product of integers": Case(
        """
        %0: i64[6,9] = buffer slot=0
        %1: i64[6,1] = reduce_prod %0 axes=(1,)
        return %1
        """,
        (WHOLE,),
        lambda i: i.prod(1, keepdims=True),
    ),
}


@needs_compiler
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_grid_of_threads_computes_what_numpy_does(case: Case, tmp_path: Path) -> None:
    plan = plan_of(case.text)
    (step,) = plan.kernels
    wanted = case.oracle(*case.inputs)
    output = np.empty(wanted.shape, wanted.dtype)
    read = [case.inputs[plan.memory.slots[view_of(node)[0]].index] for node in step.arguments]
    run(step.kernel, [*read, output], case.scalars, tmp_path)
    np.testing.assert_allclose(output, wanted, rtol=2e-6 if wanted.dtype == np.float32 else 1e-14)


def test_a_value_that_costs_much_is_kept_between_the_passes_of_a_thread() -> None:
    (step,) = plan_of(CASES["softmax"].text).kernels
    text = grid_kernel(step.kernel, "softmax")
    assert text.count("expf(") == 1
    assert text.count("for (int i1") == 3


def test_no_word_of_c_is_left_in_another_language() -> None:
    for case in CASES.values():
        for step in plan_of(case.text).kernels:
            text = grid_kernel(step.kernel, "kernel")
            for word in ("lg_", "__builtin", "_Bool", "bool8", "f32", "f64", "i64", "#pragma", "team"):
                assert word not in text, f"{word} in:\n{text}"


def test_a_dialect_says_what_it_spells_otherwise() -> None:
    grid = GridDialect()
    nan = float("nan")
    assert (C.literal(nan, float32), grid.literal(nan, float32)) == ('__builtin_nanf("")', "((float)NAN)")
    assert (C.register_type(float64), grid.register_type(float64)) == ("f64", "double")
    assert ew.copysign not in grid.spellings and ew.maximum in grid.spellings
