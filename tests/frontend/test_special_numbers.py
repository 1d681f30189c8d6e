"""Elementwise functions at zeros, infinities, NaN, subnormals and the ends of every dtype: as PyTorch has them.

Where PyTorch answers otherwise for the first elements of a row than for the last, or contradicts its own definition,
`_KNOWN` names what is left out and why.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

from .special_numbers import FLOATING, INTEGER, TOLERANCE, differences, elements, inf, nan, numbers, outcome, pairs

torch = pytest.importorskip("torch")

Binary = Callable[[Any, Any, Any], Any]


def _named(name: str) -> Callable[..., Any]:
    first, _, second = name.rpartition(".")
    return lambda t, *x: getattr(getattr(t, first) if first else t, second)(*x)


_BINARY: dict[str, Binary] = {
    **{name: _named(name) for name in (
        "add sub mul div floor_divide remainder fmod pow maximum minimum atan2 hypot copysign xlogy eq ne lt le gt ge "
        "logical_and logical_xor bitwise_and bitwise_or bitwise_xor logaddexp special.xlog1py clamp_min clamp_max "
        "float_power ldexp"
    ).split()},
    "div trunc": lambda t, x, y: t.div(x, y, rounding_mode="trunc"),
    "div floor": lambda t, x, y: t.div(x, y, rounding_mode="floor"),
    "where": lambda t, x, y: t.where(x > y, x, y),
    "2.5 / x": lambda t, x, y: 2.5 / x,
    "x - 0.3": lambda t, x, y: x - 0.3,
}  # fmt: skip
_WHOLE_QUOTIENTS = ("floor_divide", "remainder", "fmod", "div trunc", "div floor")


def _known(name: str, dtype: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Where PyTorch's own answer depends on the position of an element in the row, or is not a number at all."""
    with np.errstate(all="ignore"):
        both_zero = (x == 0) & (y == 0)
        if name in ("remainder", "fmod"):  # its vector code finds no rest where x / y overflows: NaN
            return ~np.isfinite((x / y).astype(np.float32 if dtype != "float64" else np.float64)) & (y != 0)
        if name in ("clamp_min", "clamp_max", "maximum", "minimum"):  # which of two zeros: vector code, scalar code
            return both_zero
        if name == "logaddexp":  # ln(1 + e^-100) is subnormal: a unit more or less
            return np.minimum(x, y) == -100
    return np.zeros(x.shape, bool)


def _crashes(name: str, dtype: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integer operands that are refused, or that end PyTorch's process: the lowest number divided by -1."""
    if name in _WHOLE_QUOTIENTS:
        return (y == 0) | (y == -1) if dtype[0] == "i" else y == 0
    return y < 0 if name == "pow" else np.zeros(x.shape, bool)


@pytest.mark.parametrize("dtype", [*FLOATING, *INTEGER])
def test_functions_of_two_operands(dtype: str) -> None:
    """Every pair of special numbers, signs of zeros included; where PyTorch raises, so do we."""
    first, second = (np.array(values, object) for values in pairs(dtype))
    wrong = []
    for name, function in _BINARY.items():
        kept = np.ones(len(first), bool)
        if dtype in INTEGER:
            kept = ~_crashes(name, dtype, first, second).astype(bool)
        operands = first[kept].tolist(), second[kept].tolist()
        expected, actual = outcome(torch, function, dtype, *operands), outcome(lg, function, dtype, *operands)
        if isinstance(expected, type) or isinstance(actual, type):
            if expected is not actual:
                wrong.append(f"{name}: expected {expected}, got {actual}")
            continue
        assert expected[0] == actual[0], name
        x, y = (np.array(values, np.float64) for values in operands)
        known = _known(name, dtype, x, y) if dtype in FLOATING else np.zeros(len(x), bool)
        wrong += [
            f"{name}({operands[0][i]}, {operands[1][i]}): expected {expected[1][i]}, got {actual[1][i]}"
            for i in differences(expected[1], actual[1], TOLERANCE.get(expected[0], 0.0), expected[0])
            if not known[i]
        ]
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:12])


_UNARY = (
    "abs neg sign sgn ceil floor trunc round frac exp exp2 expm1 log log2 log10 sqrt rsqrt reciprocal square sin cos "
    "asin acos atan sinh cosh tanh asinh acosh atanh erf erfc lgamma digamma sigmoid logit relu isnan isinf isfinite "
    "signbit positive sinc nan_to_num logical_not angle special.entr nn.functional.silu nn.functional.softplus "
    "nn.functional.elu nn.functional.leaky_relu nn.functional.hardtanh nn.functional.hardswish nn.functional.hardshrink "
    "nn.functional.tanhshrink nn.functional.softsign nn.functional.logsigmoid"
).split()


def _functional(name: str) -> Callable[[Any, Any], Any]:
    short = name.removeprefix("nn.functional.")
    return _named(name) if short == name else lambda t, x: getattr(t.nn.functional, short)(x)


@pytest.mark.parametrize("dtype", FLOATING)
def test_functions_of_one_operand(dtype: str) -> None:
    """Every special number, signs of zeros included."""
    values, wrong = numbers(dtype), []
    for name in _UNARY:
        function = _functional(name)
        expected, actual = outcome(torch, function, dtype, values), outcome(lg, function, dtype, values)
        assert not isinstance(expected, type) and not isinstance(actual, type), (name, expected, actual)
        assert expected[0] == actual[0], name
        with np.errstate(all="ignore"):
            x = np.array(values, np.float64)
            # PyTorch's erf of 16-bit subnormals is 0, its softplus of -100 a unit off in the last subnormal digits.
            known = (np.abs(x) < 1e-6) & (name == "erf") | (np.abs(x) == 100) & (dtype == "float32")
        wrong += [
            f"{name}({values[i]}): expected {expected[1][i]}, got {actual[1][i]}"
            for i in differences(expected[1], actual[1], TOLERANCE.get(expected[0], 0.0), expected[0])
            if not known[i]
        ]
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:12])


# Gradients. A cotangent may be 0 (a masked element), infinite or NaN.

_GRADIENTS = (
    "add sub mul div pow maximum minimum xlogy special.xlog1py clamp_min clamp_max where|div trunc|div floor|"
    "remainder|fmod|2.5 / x"
)


@pytest.mark.parametrize("cotangent", [1.0, 0.0, inf, nan])
def test_gradients_of_two_operands(cotangent: float) -> None:
    """At every pair of special numbers, whatever arrives."""
    plain, _, rest = _GRADIENTS.partition(" where|")
    wrong = []
    for name in [*plain.split(), "where", *rest.split("|")]:
        values = pairs("float32")
        expected, actual = (_gradients(t, _BINARY[name], values, cotangent) for t in (torch, lg))
        for position, (theirs, ours) in enumerate(zip(expected, actual, strict=True)):
            assert (theirs is None) == (ours is None), name
            if theirs is not None:
                wrong += [
                    f"{name}, operand {position} at ({values[0][i]}, {values[1][i]}): expected {theirs[i]}, got {ours[i]}"
                    for i in differences(np.abs(theirs), np.abs(ours), 2e-5)  # the sign of a zero gradient is not told
                ]
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:12])


@pytest.mark.parametrize("cotangent", [1.0, 0.0])
def test_gradients_of_one_operand(cotangent: float) -> None:
    """Where slopes are infinite, undefined or 0."""
    wrong = []
    for name in "abs sqrt rsqrt reciprocal log log1p exp tanh asin atanh sinc sign trunc sigmoid logit".split() + [
        f"nn.functional.{name}" for name in ("elu", "selu", "celu", "leaky_relu", "softplus", "silu")
    ]:
        # PyTorch's gradient of elu at NaN is NaN or 1, of softplus at -100 one of two subnormals, by position.
        values = ([x for x in numbers("float32") if x == x and x != -100],)
        expected, actual = (_gradients(t, _functional(name), values, cotangent) for t in (torch, lg))
        wrong += [
            f"{name} at {values[0][i]}: expected {expected[0][i]}, got {actual[0][i]}"
            for i in differences(np.abs(expected[0]), np.abs(actual[0]), 2e-4)
        ]
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:12])


def _gradients(t: Any, function: Callable[..., Any], values: Any, cotangent: float) -> list[Any]:
    operands = [t.tensor(part, requires_grad=True) for part in values]
    result = function(t, *operands)
    found = t.autograd.grad(result, operands, t.full(result.shape, cotangent), allow_unused=True)
    return [None if gradient is None else elements(t, gradient)[1] for gradient in found]


@pytest.mark.parametrize("exponent", [0, 0.0, -0.0])
def test_a_constant_has_no_slope(exponent: float) -> None:
    """x ** 0 is 1 everywhere: its derivative is 0 however large the cotangent is."""
    for t in (torch, lg):
        x = t.tensor([1.0, 0.0, inf, nan], requires_grad=True)
        (slope,) = t.autograd.grad(x**exponent, [x], t.tensor([inf, nan, 1.0, inf]))
        assert slope.tolist() == [0.0, 0.0, 0.0, 0.0]


# Python numbers beside tensors.

_OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
_COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
_HALF_VALUES = [0.01, 0.3, 1.0, 12.0, -3.0, -0.7, 5.5, 100.0, 777.0, -0.1, 0.0, inf, -inf, nan]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_numbers_beside_16_bit_floats(dtype: str) -> None:
    """A factor or divisor is rounded only with the result; any other number first, and may become infinite."""
    wrong = []
    for number in (0.1, 65536.0, 70000.0, 1e5, 1e-5, 1 / 3, -7, 4097, 2.1, 2, 0.5, 1e30, 0, 100.1, 65536):
        for function in [*_OPERATORS, *_COMPARISONS, torch.fmod.__name__]:
            if (function, number) == (operator.pow, 0.5):
                continue  # √-∞ is ∞ for PyTorch's float16 and NaN for its other dtypes
            # PyTorch rounds each step of ⌊number / x⌋ to 16 bits: 70000 // 777 is 89.
            for swapped in (False,) if function is operator.floordiv else (False, True):
                for as_tensor in (False, True):
                    outcomes = [_beside(t, function, dtype, number, swapped, as_tensor) for t in (torch, lg)]
                    if outcomes[0] != outcomes[1]:
                        name = function if isinstance(function, str) else function.__name__
                        wrong.append(f"{name}, {number}, swapped {swapped}, 0-dim {as_tensor}: {outcomes}")
    assert not wrong, f"{len(wrong)} differ: " + "\n".join(wrong[:6])


def _beside(t: Any, function: Any, dtype: str, number: float, swapped: bool, as_tensor: bool) -> Any:
    x = t.tensor(_HALF_VALUES, dtype=getattr(t, dtype))
    other = t.tensor(number) if as_tensor else number
    try:
        called = function if callable(function) else getattr(t, function)
        result = called(other, x) if swapped else called(x, other)
    except Exception as error:
        return type(error).__name__
    name, array = elements(t, result)
    # A power, and a quotient rounded down, may be the next number: libraries round them in their own ways.
    digits = 3 if function in (operator.pow,) else 6
    return name, [f"{value:.{digits}g}" for value in array.astype(np.float64)]


@pytest.mark.parametrize("dtype", [*INTEGER, "bool", "float16", "float32"])
def test_comparisons_with_numbers_out_of_range(dtype: str) -> None:
    """An integer keeps its low bits, as in PyTorch; one of more than 64 bits is an OverflowError."""
    for number in (300, -1, -300, 2**31, 2**40, 2**63 - 1, 2**63, -(2**63), 2**64, -(2**63) - 1, 1.5, 1e40, nan, -inf):
        for compare in _COMPARISONS:
            if dtype == "bool" and number == 2**63:
                continue  # PyTorch compares as uint64, which lazygrad has not
            for values in ([0, 1, 44, 100], 100):
                outcomes = []
                for t in (torch, lg):
                    try:
                        outcomes.append(compare(t.tensor(values).to(getattr(t, dtype)), number).tolist())
                    except Exception as error:
                        outcomes.append(type(error))
                assert outcomes[0] == outcomes[1], f"{compare.__name__}({values}, {number})"


@pytest.mark.parametrize("dtype", INTEGER)
def test_arithmetic_with_numbers_out_of_range(dtype: str) -> None:
    """The low bits take part in arithmetic, too."""
    for number in (300, -300, 2**31, 2**33 + 5, -(2**63)):
        for function in [*_OPERATORS[:3], operator.and_, operator.or_, operator.xor]:
            expected, actual = (
                function(t.tensor([1, 2, 100], dtype=getattr(t, dtype)), number).tolist() for t in (torch, lg)
            )
            assert expected == actual, f"{function.__name__} {number}"


@pytest.mark.parametrize(
    "call",
    [
        lambda t, x, number: x.clamp(number),
        lambda t, x, number: x.masked_fill(x > 0, number),
        lambda t, x, number: x.fill_(number),
        lambda t, x, number: t.full((2,), number, dtype=x.dtype),
        lambda t, x, number: t.full((1,), number, dtype=x.dtype),
        lambda t, x, number: t.add(x, x, alpha=number),
        lambda t, x, number: x**number,
        lambda t, x, number: t.where(x > 0, x, number),
        lambda t, x, number: t.nn.functional.pad(x, (1, 0), value=number),
        lambda t, x, number: t.nn.functional.hardtanh(x, -1, number),
        lambda t, x, number: x.index_fill(0, t.tensor([0]), number),
        lambda t, x, number: x.__setitem__(0, number) or x,
    ],
    ids="clamp masked_fill fill_ full full-1 alpha pow where pad hardtanh index_fill setitem".split(),
)
def test_what_a_tensor_must_hold(call: Callable[..., Any]) -> None:
    """A limit, a filler or an exponent outside the dtype's range is refused where PyTorch refuses it."""
    for dtype, number in (("float16", 7e4), ("bfloat16", 1e39), ("float32", 1e39), ("uint8", 300), ("int32", 2**31),
                          ("float16", inf), ("float16", 65504)):  # fmt: skip
        outcomes = []
        for t in (torch, lg):
            try:
                outcomes.append(call(t, t.tensor([1, 2]).to(getattr(t, dtype)), number).tolist())
            except Exception as error:
                outcomes.append(type(error))
        assert outcomes[0] == outcomes[1], f"{dtype}, {number}: {outcomes}"


@pytest.mark.parametrize("value", [-0.0, 0.0, None, 0, -2.5])
def test_borders_keep_the_sign_of_zero(value: float | None) -> None:
    """A border of -0.0 is not one of 0.0."""
    for dtype in ("float16", "float32", "float64"):
        expected, actual = (
            t.nn.functional.pad(t.ones(2, dtype=getattr(t, dtype)), (1, 2), value=value).copysign(t.tensor(1.0)) * 0
            + t.nn.functional.pad(t.ones(2, dtype=getattr(t, dtype)), (1, 2), value=value)
            for t in (torch, lg)
        )
        assert not list(differences(elements(torch, expected)[1], elements(lg, actual)[1], 0.0))


def test_limits_of_two_kinds() -> None:
    """Beside a number a 0-dim tensor counts as a number: its dtype does not take part."""
    for bounds in ((2, 2.5), (2.5, 4), (2, None), (None, 2.5), (1, 3)):
        for dtype in ("float64", "float16", "int64", "bool"):
            outcomes = []
            for t in (torch, lg):
                low, high = bounds
                high = None if high is None else t.tensor(high).to(getattr(t, dtype))
                results = [t.clamp(t.tensor([1, 5, 9]), low, high)] if (low, high) != (None, None) else []
                outcomes.append([(str(r.dtype).rpartition(".")[2], r.tolist()) for r in results])
            assert outcomes[0] == outcomes[1], (bounds, dtype)
