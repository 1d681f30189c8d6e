"""Type promotion between every pair of dtypes: tensors of one dimension, 0-dim tensors and Python scalars."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case
from tests.oracle.comparing import dtype_name
from tests.oracle.recipes import DTYPES

_OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda t, a, b: a + b,
    "mul": lambda t, a, b: a * b,
    "div": lambda t, a, b: a / b,
    "lt": lambda t, a, b: a < b,
    "maximum": lambda t, a, b: t.maximum(a, b),
    "where": lambda t, a, b: t.where(t.tensor([True, False]), a, b),
}

_SCALAR_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "div": operator.truediv,
    "rdiv": lambda a, b: b / a,
    "eq": operator.eq,
    "pow": operator.pow,
}

# Python scalars of each kind; none is 0, because every dtype is divided by them.
_SCALARS = (True, 2, 1.5)


def _tensor(t: Any, dtype: str, values: Any) -> Any:
    return t.tensor(values, dtype=getattr(t, dtype))


def _pairs(operation: Callable[[Any, Any, Any], Any], left: str) -> Callable[[Any], list[Any]]:
    """Values and dtypes of the operation between `left` and every dtype, with one dimension each."""

    def function(t: Any) -> list[Any]:
        return [operation(t, _tensor(t, left, [1, 3]), _tensor(t, right, [1, 2])) for right in DTYPES]

    return function


def _ranks(operation: Callable[[Any, Any, Any], Any], left: str) -> Callable[[Any], list[Any]]:
    """Dtypes of the operation where one or both sides have no dimension."""

    def function(t: Any) -> list[Any]:
        results = []
        for right in DTYPES:
            for a, b in (([1, 3], 2), (1, [1, 2]), (1, 2)):
                result = operation(t, _tensor(t, left, a), _tensor(t, right, b))
                results.append((left, right, dtype_name(result.dtype), tuple(result.shape)))
        return results

    return function


def _rank_values(t: Any) -> list[Any]:
    """Values for the pairs in which the 0-dim tensor must be rounded to the other's dtype."""
    pairs = (
        ("float32", "float64"),
        ("float16", "float64"),
        ("bfloat16", "float32"),
        ("int8", "int64"),
        ("int32", "float64"),
    )
    return [_tensor(t, a, [1, 3]) + _tensor(t, b, 2.3) for a, b in pairs]


def _with_scalar(operation: Callable[[Any, Any], Any], dtype: str) -> Callable[[Any], list[Any]]:
    def function(t: Any) -> list[Any]:
        tensors = _tensor(t, dtype, [1, 3]), _tensor(t, dtype, 1)
        return [operation(tensor, scalar) for tensor in tensors for scalar in _SCALARS]

    return function


def _where_scalars(t: Any) -> list[Any]:
    mask = t.tensor([True, False])
    results = []
    for dtype in DTYPES:
        for scalar in _SCALARS:
            results += [t.where(mask, _tensor(t, dtype, [1, 3]), scalar), t.where(mask, scalar, _tensor(t, dtype, 1))]
    return results


def _result_types(t: Any) -> list[Any]:
    types = [dtype_name(t.promote_types(getattr(t, a), getattr(t, b))) for a in DTYPES for b in DTYPES]
    mixed = [t.result_type(_tensor(t, a, [1]), scalar) for a in DTYPES for scalar in _SCALARS]
    castable = [t.can_cast(getattr(t, a), getattr(t, b)) for a in DTYPES for b in DTYPES]
    return [*types, *(dtype_name(dtype) for dtype in mixed), *castable]


def _cat(left: str) -> Callable[[Any], list[Any]]:
    def function(t: Any) -> list[Any]:
        return [t.cat([_tensor(t, left, [1]), _tensor(t, right, [0, 2])]) for right in DTYPES]

    return function


def _overflow(t: Any) -> list[Any]:
    """Integers wrap around, and half precision becomes infinite."""
    small = [_tensor(t, "uint8", [200, 255]) + 100, _tensor(t, "int8", [127]) + 1, _tensor(t, "int8", [-128]).abs()]
    large = [_tensor(t, "int32", [2**31 - 1]) + 1, _tensor(t, "int64", [2**62]) * 4, -_tensor(t, "uint8", [1])]
    return [*small, *large, _tensor(t, "float16", [60000.0]) * 2]


def _accumulated(t: Any) -> list[Any]:
    """In-place results keep the dtype of the target."""
    results = []
    for dtype in DTYPES:
        for operation in (operator.iadd, operator.imul):
            for scalar in (True, 2) if dtype not in ("bool", "float16", "bfloat16", "float32", "float64") else (True,):
                results.append(operation(_tensor(t, dtype, [1, 0]), scalar))
    results.append(operator.iadd(_tensor(t, "float32", [1, 2]), _tensor(t, "float64", [0.1, 0.2])))
    results.append(operator.iadd(_tensor(t, "int8", [1, 2]), _tensor(t, "int64", [3, 4])))
    return results


CASES = [
    *(
        Case(f"promotion {name} {left}", _pairs(operation, left))
        for name, operation in _OPERATIONS.items()
        for left in DTYPES
    ),
    *(
        Case(f"promotion {name} {left} ranks", _ranks(operation, left))
        for name, operation in _OPERATIONS.items()
        for left in DTYPES
    ),
    *(
        Case(f"promotion {name} {dtype} scalars", _with_scalar(operation, dtype))
        for name, operation in _SCALAR_OPERATIONS.items()
        for dtype in DTYPES
        if (name, dtype) != ("pow", "bool")
    ),
    *(Case(f"promotion cat {left}", _cat(left)) for left in DTYPES),
    Case("promotion 0-dim values", _rank_values),
    Case("promotion where scalars", _where_scalars),
    Case("promote_types, result_type and can_cast", _result_types),
    Case("overflow wraps", _overflow),
    Case("in-place keeps the dtype", _accumulated),
]
