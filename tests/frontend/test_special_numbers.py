"""Elementwise functions at zeros, infinities, NaN, subnormals and the ends of every dtype: as PyTorch has them.

Where PyTorch answers otherwise for the first elements of a row than for the last, or contradicts its own definition,
`_KNOWN` names what is left out and why.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

from .special_numbers import FLOATING, INTEGER, TOLERANCE, differences, elements, inf, nan, numbers, outcomes, pairs

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
    kept = {
        name: ~_crashes(name, dtype, first, second).astype(bool) if dtype in INTEGER else np.ones(len(first), bool)
        for name in _BINARY
    }
    found = []
    for t in (torch, lg):
        operands = {
            kind: [t.tensor(values[kept[kind]].tolist(), dtype=getattr(t, dtype)) for values in (first, second)]
            for kind in ("add", "fmod", "pow")
        }
        kinds = {name: "pow" if name == "pow" else "fmod" if name in _WHOLE_QUOTIENTS else "add" for name in _BINARY}
        found.append(outcomes(t, [partial(_BINARY[name], t, *operands[kinds[name]]) for name in _BINARY]))
    wrong = []
    for name, expected, actual in zip(_BINARY, *found, strict=True):
        if isinstance(expected, type) or isinstance(actual, type):
            wrong += [] if expected is actual else [f"{name}: expected {expected}, got {actual}"]
            continue
        assert expected[0] == actual[0], name
        x, y = (values[kept[name]] for values in (first, second))
        known = _known(name, dtype, x.astype(np.float64), y.astype(np.float64)) & (dtype in FLOATING)
        wrong += [
            f"{name}({x[i]}, {y[i]}): expected {expected[1][i]}, got {actual[1][i]}"
            for i in differences(expected[1], actual[1], TOLERANCE.get(expected[0], 0.0), expected[0])
            if not known[i]
        ]
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:12])


_UNARY = (
    "abs neg sign sgn ceil floor trunc round frac exp exp2 expm1 log log2 log10 sqrt rsqrt reciprocal square sin cos "
    "asin acos atan sinh cosh tanh asinh acosh atanh erf erfc lgamma digamma sigmoid logit relu isnan isinf isfinite "
    "signbit positive sinc nan_to_num logical_not angle special.entr nn.functional.silu nn.functional.softplus "
    "nn.functional.elu nn.functional.leaky_relu nn.functional.hardtanh nn.functional.hardswish "
    "nn.functional.hardshrink nn.functional.tanhshrink nn.functional.softsign nn.functional.logsigmoid"
).split()


def _functional(name: str) -> Callable[[Any, Any], Any]:
    short = name.removeprefix("nn.functional.")
    return _named(name) if short == name else lambda t, x: getattr(t.nn.functional, short)(x)


@pytest.mark.parametrize("dtype", FLOATING)
def test_functions_of_one_operand(dtype: str) -> None:
    """Every special number, signs of zeros included."""
    values, wrong = numbers(dtype), []
    found = []
    for t in (torch, lg):
        x = t.tensor(values, dtype=getattr(t, dtype))
        found.append(outcomes(t, [partial(_functional(name), t, x) for name in _UNARY]))
    magnitude = np.abs(np.array(values, np.float64))
    for name, expected, actual in zip(_UNARY, *found, strict=True):
        assert not isinstance(expected, type) and not isinstance(actual, type), (name, expected, actual)
        assert expected[0] == actual[0], name
        # PyTorch's erf of 16-bit subnormals is 0, its softplus of -100 a unit off in the last subnormal digits.
        known = (magnitude < 1e-6) & (name == "erf") | (magnitude == 100) & (dtype == "float32")
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
    functions = {name: _BINARY[name] for name in [*plain.split(), "where", *rest.split("|")]}
    wrong = _wrong_gradients(functions, pairs("float32"), cotangent, 2e-5)
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:12])


@pytest.mark.parametrize("cotangent", [1.0, 0.0])
def test_gradients_of_one_operand(cotangent: float) -> None:
    """Where slopes are infinite, undefined or 0."""
    names = "abs sqrt rsqrt reciprocal log log1p exp tanh asin atanh sinc sign trunc sigmoid logit".split()
    names += [f"nn.functional.{name}" for name in ("elu", "selu", "celu", "leaky_relu", "softplus", "silu")]
    # PyTorch's gradient of elu at NaN is NaN or 1, of softplus at -100 one of two subnormals, by position.
    values = ([x for x in numbers("float32") if x == x and x != -100],)
    wrong = _wrong_gradients({name: _functional(name) for name in names}, values, cotangent, 2e-4)
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:12])


def _wrong_gradients(functions: dict[str, Any], values: Any, cotangent: float, tolerance: float) -> list[str]:
    found = []
    for t in (torch, lg):
        operands = [t.tensor(part, requires_grad=True) for part in values]
        gradients = [
            t.autograd.grad(result, operands, t.full(result.shape, cotangent), allow_unused=True)
            for result in [function(t, *operands) for function in functions.values()]
        ]
        flat = [t.zeros(0) if one is None else one for each in gradients for one in each]
        found.append(outcomes(t, [partial(_same, one) for one in flat]))
    labels = [(name, position) for name in functions for position in range(len(values))]
    wrong = []
    for (name, position), (_, theirs), (_, ours) in zip(labels, *found, strict=True):
        assert theirs.shape == ours.shape, f"{name}, operand {position}: only one of the two has a gradient"
        wrong += [
            f"{name}, operand {position} at {[part[i] for part in values]}: expected {theirs[i]}, got {ours[i]}"
            for i in differences(np.abs(theirs), np.abs(ours), tolerance)  # whether a gradient is 0 or -0 is not told
        ]
    return wrong


def _same(value: Any) -> Any:
    return value


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
        labels = [
            (function, swapped, as_tensor)
            for function in [*_OPERATORS, *_COMPARISONS, "fmod"]
            # PyTorch rounds each step of ⌊number / x⌋ to 16 bits (70000 // 777 is 89); √-∞ is ∞ for its float16 alone.
            for swapped in ((False,) if function is operator.floordiv else (False, True))
            for as_tensor in (False, True)
            if (function, number) != (operator.pow, 0.5)
        ]
        found = []
        for t in (torch, lg):
            x = t.tensor(_HALF_VALUES, dtype=getattr(t, dtype))
            found.append(outcomes(t, [partial(_beside, t, x, number, *label) for label in labels]))
        for (function, *how), theirs, ours in zip(labels, *found, strict=True):
            if isinstance(theirs, type) or isinstance(ours, type):
                differ = theirs is not ours
            else:
                # A power may be the next number: libraries round it in their own ways.
                tolerance = 2.0**-7 if function is operator.pow else 0.0
                differ = theirs[0] != ours[0] or bool(list(differences(theirs[1], ours[1], tolerance, dtype)))
            if differ:
                wrong.append(f"{function} with {number}, swapped and 0-dim {how}: expected {theirs}, got {ours}")
    assert not wrong, f"{len(wrong)} differ: " + "\n".join(wrong[:6])


def _beside(t: Any, x: Any, number: float, function: Any, swapped: bool, as_tensor: bool) -> Any:
    other = t.tensor(number) if as_tensor else number
    called = function if callable(function) else getattr(t, function)
    return called(other, x) if swapped else called(x, other)


@pytest.mark.parametrize("dtype", [*INTEGER, "bool", "float16", "float32"])
def test_comparisons_with_numbers_out_of_range(dtype: str) -> None:
    """An integer keeps its low bits, as in PyTorch; one of more than 64 bits is an OverflowError."""
    numbers = [300, -1, -300, 2**31, 2**40, 2**63 - 1, 2**63, -(2**63), 2**64, -(2**63) - 1, 1.5, 1e40, nan, -inf]
    if dtype == "bool":
        numbers.remove(2**63)  # PyTorch compares as uint64, which lazygrad has not
    labels = [(compare, number) for compare in _COMPARISONS for number in numbers]
    for values in ([0, 1, 44, 100], 100):
        found = []
        for t in (torch, lg):
            x = t.tensor(values).to(getattr(t, dtype))
            found.append(outcomes(t, [partial(compare, x, number) for compare, number in labels]))
        for (compare, number), theirs, ours in zip(labels, *found, strict=True):
            told = [each if isinstance(each, type) else each[1].tolist() for each in (theirs, ours)]
            assert told[0] == told[1], f"{compare.__name__}({values}, {number})"


@pytest.mark.parametrize("dtype", INTEGER)
def test_arithmetic_with_numbers_out_of_range(dtype: str) -> None:
    """The low bits take part in arithmetic, too."""
    functions = [*_OPERATORS[:3], operator.and_, operator.or_, operator.xor]
    labels = [(function, number) for function in functions for number in (300, -300, 2**31, 2**33 + 5, -(2**63))]
    found = []
    for t in (torch, lg):
        x = t.tensor([1, 2, 100], dtype=getattr(t, dtype))
        found.append(outcomes(t, [partial(function, x, number) for function, number in labels]))
    for (function, number), (_, theirs), (_, ours) in zip(labels, *found, strict=True):
        assert theirs.tolist() == ours.tolist(), f"{function.__name__} {number}"


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
        assert not list(differences(elements(expected)[1], elements(actual)[1], 0.0))


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
