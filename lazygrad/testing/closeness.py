"""`assert_close`: a walk over containers, and a comparison for each kind of value in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from lazygrad.ir.dtype import DType, bfloat16, complex64, complex128, float16, float32, float64, int64, promote_types
from lazygrad.ops.creation.from_data import as_tensor
from lazygrad.ops.pointwise.comparison import isclose
from lazygrad.tensor import Tensor

_EXACT = (0.0, 0.0)
_TOLERANCES: dict[DType, tuple[float, float]] = {
    float16: (1e-3, 1e-5),
    bfloat16: (1.6e-2, 1e-5),
    float32: (1.3e-6, 1e-5),
    float64: (1e-7, 1e-7),
    complex64: (1.3e-6, 1e-5),
    complex128: (1e-7, 1e-7),
}
_DTYPES_OF_NUMBERS: dict[type, DType] = {int: int64, float: float64, complex: complex128}
_NUMBERS = (int, float, complex, np.number)
_BOOLS = (bool, np.bool_)


@dataclass(frozen=True)
class _Rules:
    """The options of `assert_close`."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, *dtypes: DType) -> tuple[float, float]:
        """Relative and absolute; by default the largest of the dtypes'."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        relative, absolute = zip(*[_TOLERANCES.get(dtype, _EXACT) for dtype in dtypes], strict=True)
        return max(relative), max(absolute)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raises AssertionError unless |actual − expected| ≤ atol + rtol · |expected| for all elements.

    Values are tensors, numpy arrays, numbers, bools or None; or sequences of one length, or mappings with the same
    keys, of such.

    Args:
        actual, expected: what is compared, of related types.
        allow_subclasses: whether a tensor of a derived class may be compared with a plain one.
        rtol, atol: relative and absolute tolerance, both or none. By default those of the dtype: (1e-3, 1e-5) of
            float16, (1.6e-2, 1e-5) of bfloat16, (1.3e-6, 1e-5) of float32 and complex64, (1e-7, 1e-7) of float64 and
            complex128, 0 of others; the larger ones of two dtypes.
        equal_nan: whether NaN is close to NaN.
        check_device, check_dtype, check_layout, check_stride: whether these must be the same.
        msg: the message, or what makes one of the message that says where and by how much values differ.

    Raises:
        AssertionError: values are not close, or not alike in what is checked.
        TypeError: values of types that are not compared.
        ValueError: only one of the tolerances.
    """
    rules = _Rules(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    pairs = list(_pairs(actual, expected, (), rules))  # containers are compared before what they hold
    for mine, other, place in pairs:
        found = _difference(mine, other, rules)
        if found is not None:
            found += _at(place)
            raise AssertionError(found if msg is None else msg(found) if callable(msg) else msg)


def _at(place: tuple[Any, ...]) -> str:
    """Where in containers something was found."""
    return f"\n\nThe failure occurred for item {''.join(f'[{key!r}]' for key in place)}" if place else ""


# Containers.


def _pairs(
    actual: Any, expected: Any, place: tuple[Any, ...], rules: _Rules
) -> Iterator[tuple[Any, Any, tuple[Any, ...]]]:
    """The values to compare, one by one, and where they stand."""
    if _are_both(Sequence, actual, expected) and not isinstance(actual, str) and not isinstance(expected, str):
        if len(actual) != len(expected):
            found = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise AssertionError(found + _at(place))
        keys: Sequence[Any] = range(len(actual))
    elif _are_both(Mapping, actual, expected):
        missing, additional = expected.keys() - actual.keys(), actual.keys() - expected.keys()
        if missing or additional:
            found = "The keys of the mappings do not match:"
            found += f"\nMissing keys in the actual mapping: {sorted(missing)}" if missing else ""
            found += f"\nAdditional keys in the actual mapping: {sorted(additional)}" if additional else ""
            raise AssertionError(found + _at(place))
        keys = _sorted_if_possible(actual)
    else:
        _require_comparable(actual, expected, place, rules)
        yield actual, expected, place
        return
    for key in keys:
        yield from _pairs(actual[key], expected[key], (*place, key), rules)


def _are_both(kind: type, *values: Any) -> bool:
    return all(isinstance(value, kind) for value in values)


def _sorted_if_possible(keys: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def _require_comparable(actual: Any, expected: Any, place: tuple[Any, ...], rules: _Rules) -> None:
    if actual is None or expected is None or _are_bools(actual, expected):
        return
    if not _are_numbers(actual, expected):
        _require_related(actual, expected, place, rules)
    if (rules.rtol is None) is not (rules.atol is None):
        missing = "rtol" if rules.rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.{_at(place)}"
        )


def _require_related(actual: Any, expected: Any, place: tuple[Any, ...], rules: _Rules) -> None:
    # A sparse tensor's own class is nothing that PyTorch's programs know of.
    kinds = [Tensor if isinstance(value, Tensor) and value.is_sparse else type(value) for value in (actual, expected)]
    are_related = isinstance(actual, kinds[1]) or isinstance(expected, kinds[0])
    are_allowed = are_related and (rules.allow_subclasses or kinds[0] is kinds[1])
    if not are_allowed or not _are_both((Tensor, np.ndarray), actual, expected):  # type: ignore[arg-type]
        raise TypeError(f"No comparison pair was able to handle inputs of type {kinds[0]} and {kinds[1]}.{_at(place)}")


def _are_bools(*values: Any) -> bool:
    return all(isinstance(value, _BOOLS) for value in values)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, _NUMBERS) for value in values)


# Values.


def _difference(actual: Any, expected: Any, rules: _Rules) -> str | None:
    """What is different, None if the values are close."""
    if actual is None or expected is None:
        return None if actual is expected else f"None mismatch: {actual} is not {expected}"
    if _are_bools(actual, expected):
        return None if bool(actual) is bool(expected) else f"Booleans mismatch: {actual} is not {expected}"
    if _are_numbers(actual, expected):
        return _difference_of_numbers(actual, expected, rules)
    return _difference_of_tensors(as_tensor(actual), as_tensor(expected), rules)


def _difference_of_numbers(actual: Any, expected: Any, rules: _Rules) -> str | None:
    mine, other = (value.item() if isinstance(value, np.number) else value for value in (actual, expected))
    if rules.check_dtype and type(mine) is not type(other):
        return f"The (d)types do not match: {type(mine)} != {type(other)}."
    rtol, atol = rules.tolerances(*(_DTYPES_OF_NUMBERS.get(type(value), int64) for value in (mine, other)))
    if mine == other or (rules.equal_nan and mine != mine and other != other):
        return None
    if abs(mine - other) <= atol + rtol * abs(other) and abs(other) != inf:
        return None
    return _scalars_differ(mine, other, rtol, atol)


def _difference_of_tensors(actual: Tensor, expected: Tensor, rules: _Rules) -> str | None:
    checks = [
        ("shape", True, actual.shape, expected.shape),
        ("layout", rules.check_layout, actual.layout, expected.layout),
        ("device", rules.check_device, actual.device, expected.device),
        ("dtype", rules.check_dtype, actual.dtype, expected.dtype),
    ]
    if not (actual.is_sparse or expected.is_sparse):
        checks.append(("stride()", rules.check_stride, actual.stride(), expected.stride()))
    for name, is_checked, mine, other in checks:
        if is_checked and mine != other:
            return f"The values for attribute '{name}' do not match: {mine} != {other}."
    rtol, atol = rules.tolerances(actual.dtype, expected.dtype)
    dtype = promote_types(actual.dtype, expected.dtype)
    mine, other = (
        (value.to_dense() if value.is_sparse else value).detach().cpu().to(dtype) for value in (actual, expected)
    )
    close = isclose(mine, other, rtol=rtol, atol=atol, equal_nan=rules.equal_nan)
    if close.all():
        return None
    if not mine.ndim:
        return _scalars_differ(mine.item(), other.item(), rtol, atol)
    return _elements_differ(mine, other, close, rtol, atol)


# Messages.


def _scalars_differ(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    absolute = abs(actual - expected)
    relative = inf if expected == 0 else abs(absolute / expected)
    found = f"Expected {expected} but got {actual}."
    return _message("Scalars", found, ("Absolute", absolute, ""), ("Relative", relative, ""), rtol, atol)


def _elements_differ(actual: Tensor, expected: Tensor, close: Tensor, rtol: float, atol: float) -> str:
    count, total = int((~close).sum()), close.numel()
    if not (actual.is_floating_point() or actual.is_complex()):
        actual, expected = actual.to(int64), expected.to(int64)
    absolute = (actual - expected).abs()
    absolute[close] = 0
    relative = absolute / expected.abs()
    relative[close] = 0
    found = f"Mismatched elements: {count} / {total} ({count / total:.1%})"
    greatest = _greatest("absolute", absolute), _greatest("relative", relative)
    return _message("Tensor-likes", found, *greatest, rtol, atol)


def _greatest(kind: str, values: Tensor) -> tuple[str, Any, str]:
    position = int(values.argmax())
    index = tuple(int(place) for place in np.unravel_index(position, tuple(values.shape)))
    return f"Greatest {kind}", values.flatten()[position].item(), f" at index {index}"


def _message(
    what: str, found: str, absolute: tuple[str, Any, str], relative: tuple[str, Any, str], rtol: float, atol: float
) -> str:
    is_exact = rtol == 0 and atol == 0
    lines = [f"{what} are not {'equal' if is_exact else 'close'}!", "", found]
    for (name, value, place), tolerance in ((absolute, atol), (relative, rtol)):
        lines.append(f"{name} difference: {value}{place}{'' if is_exact else f' (up to {tolerance} allowed)'}")
    return "\n".join(lines)
