"""Which dtypes operators and functions take and give: every pair of them, beside PyTorch's answer."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

DTYPES = (
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 uint16 uint32 uint64"
).split()
# complex32, which these give in PyTorch, is complex64 here.
_WITH_HALVES = {("float16", 1j), ("complex64", "float16"), ("complex128", "float16")}
_OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt eq".split()
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in _OPERATORS},
    "iadd": operator.iadd,
    "isub": operator.isub,
    "imul": operator.imul,
    "itruediv": operator.itruediv,
}
NAMED = ("ldexp", "dist", "kron", "outer", "logaddexp", "bitwise_and", "fmod", "remainder", "floor_divide", "subtract")
UNARY: dict[str, Callable[[Any, Any], Any]] = {
    "-": lambda t, x: -x,
    "+": lambda t, x: +x,
    "~": lambda t, x: ~x,
    "abs()": lambda t, x: abs(x),
    "ceil": lambda t, x: t.ceil(x),
    "floor": lambda t, x: t.floor(x),
    "round": lambda t, x: t.round(x),
    "trunc": lambda t, x: t.trunc(x),
    "isneginf": lambda t, x: t.isneginf(x),
    "isposinf": lambda t, x: t.isposinf(x),
    "sign": lambda t, x: t.sign(x),
    "square": lambda t, x: t.square(x),
    "sqrt": lambda t, x: t.sqrt(x),
    "bitwise_not": lambda t, x: t.bitwise_not(x),
    "logical_not": lambda t, x: t.logical_not(x),
}
# PyTorch has no kernel for these, and here they are right.
MORE_THAN_PYTORCH = {("logical_not", dtype) for dtype in ("uint16", "uint32", "uint64")}
# PyTorch has no zeros of their dtypes, and here nothing is infinite.
LESS_THAN_PYTORCH = {(name, dtype) for name in ("isneginf", "isposinf") for dtype in ("uint16", "uint32", "uint64")}


def _made(t: Any, dtype: str) -> Any:
    return t.tensor([True, True] if dtype == "bool" else [1, 2], dtype=getattr(t, dtype))


def _dtype_or_error(call: Callable[[], Any]) -> str | type[BaseException]:
    """The result's dtype, or the class of the error: whatever is a RuntimeError is caught as one."""
    try:
        return str(call().dtype).rpartition(".")[2]
    except (RuntimeError, TypeError) as error:
        return TypeError if isinstance(error, TypeError) else RuntimeError


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("first", DTYPES)
def test_operators_of_two_tensors_and_of_numbers(name: str, first: str, torch: Any, candidate: Any) -> None:
    call = BINARY[name]
    for second in (*DTYPES, True, 2, 2.5, 1j):
        if (first, second) in _WITH_HALVES:
            continue

        def found(t: Any, second: Any = second) -> Any:
            other = _made(t, second) if isinstance(second, str) else second
            return _dtype_or_error(lambda: call(_made(t, first), other))

        if name == "pow" and second is True and found(torch) == first:
            continue  # PyTorch leaves x ** True as it is, of dtypes too that have no powers
        assert found(candidate) == found(torch), second


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("first", DTYPES)
def test_functions_of_two_tensors(name: str, first: str, torch: Any, candidate: Any) -> None:
    for second in DTYPES:
        if name == "ldexp" and (first, second) in _WITH_HALVES:
            continue

        def found(t: Any, second: str = second) -> Any:
            return _dtype_or_error(lambda: getattr(t, name)(_made(t, first), _made(t, second)))

        assert found(candidate) == found(torch), second


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(name: str, torch: Any, candidate: Any) -> None:
    for dtype in DTYPES:
        if (name, dtype) in MORE_THAN_PYTORCH | LESS_THAN_PYTORCH:
            continue
        call = partial(UNARY[name], candidate, _made(candidate, dtype))
        assert _dtype_or_error(call) == _dtype_or_error(partial(UNARY[name], torch, _made(torch, dtype))), dtype


_WITHOUT_KERNEL: dict[str, Callable[[Any], Any]] = {
    "floor_divide": lambda t: t.tensor([True]) // t.tensor([True]),
    "remainder": lambda t: t.tensor([True]) % t.tensor([True]),
    "pow": lambda t: t.tensor([True]) ** t.tensor([True]),
    "matmul": lambda t: t.tensor([True]) @ t.tensor([True]),
    "floor": lambda t: t.tensor([True]).floor(),
    "round": lambda t: t.tensor([True]).round(),
    "ldexp": lambda t: t.ldexp(t.ones(1), t.tensor([True])),
}


@pytest.mark.parametrize("name", _WITHOUT_KERNEL)
def test_what_has_no_kernel_is_not_implemented(name: str, torch: Any, candidate: Any) -> None:
    for t in (torch, candidate):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            _WITHOUT_KERNEL[name](t)


def test_ldexp_is_exact_where_powers_overflow(torch: Any, candidate: Any) -> None:
    def found(t: Any) -> list[Any]:
        results = [
            t.ldexp(t.tensor([1.0, 3.0, 1e-40]), t.tensor([200, -3, 140])),
            t.ldexp(t.tensor([1.5], dtype=t.float16), t.tensor([3], dtype=t.uint8)),
            t.ldexp(t.tensor([5e-324, 1.0], dtype=t.float64), t.tensor([2000, -1074])),
            t.ldexp(t.tensor([3]), t.tensor([2])),
        ]
        return [(result.tolist(), str(result.dtype).rpartition(".")[2]) for result in results]

    assert found(candidate) == found(torch)
    x = candidate.tensor([1.5, 2.0], requires_grad=True)
    candidate.ldexp(x, candidate.tensor([3, -1])).sum().backward()
    assert x.grad.tolist() == [8.0, 0.5]
