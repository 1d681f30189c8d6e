"""What a program gave, in terms that do not depend on the framework, and whether two such outcomes are equal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import lazygrad as lg

# Relative to an element's magnitude, or to 1 for smaller ones, because sums are made in other orders than torch's: some
# ten units in the last place of float32, one of the 16-bit dtypes, in which only the result is rounded.
TOLERANCE = {"float64": 1e-11, "float32": 1e-5, "float16": 2.0**-10, "bfloat16": 2.0**-7}
TOLERANCE |= {"complex64": TOLERANCE["float32"], "complex128": TOLERANCE["float64"]}


@dataclass(frozen=True)
class Closeness:
    """What counts as equal.

    Attributes:
        slack: factor on the tolerance, for functions with several roundings.
        tolerance: of each floating dtype.
        floor: magnitudes below count as this much, so that what cancels to nothing need not do so exactly; 0 makes all
            tolerances relative.
        of_largest: every element counts as much as the largest of its tensor, for long sums of terms that cancel.
        numbers: tolerance of Python's floats and of arrays; 0 compares them exactly.
        values: False compares dtypes and shapes only, for results whose values are not defined.
        strides: compare how results lie in memory, too.
    """

    slack: float = 1.0
    tolerance: Mapping[str, float] = field(default_factory=lambda: TOLERANCE)
    floor: float = 1.0
    of_largest: bool = False
    numbers: float = 0.0
    values: bool = True
    strides: bool = False


@dataclass(frozen=True)
class Leaf:
    """One tensor of a result: what can be seen of it.

    Attributes:
        values: float64 or complex128 where the tensor's are floating.
        strides: of the axes along which there are several elements; none where there are no elements at all.
    """

    dtype: str
    shape: tuple[int, ...]
    requires_grad: bool
    values: np.ndarray
    strides: tuple[int, ...] = ()


def is_tensor(value: Any) -> bool:
    """Whether this is a tensor of either framework; torch need not be installed."""
    torch = sys.modules.get("torch")
    return isinstance(value, lg.Tensor) or (torch is not None and isinstance(value, torch.Tensor))


def dtype_name(dtype: Any) -> str:
    """PyTorch's name of either framework's dtype."""
    return str(dtype).rpartition(".")[2]


def describe(tensor: Any) -> tuple[tuple[int, ...], str]:
    """Shape and dtype, for results whose values are not defined."""
    return tuple(tensor.shape), dtype_name(tensor.dtype)


def error_class(error: BaseException) -> type:
    """The nearest built-in class of an error: what a user's `except` clause names."""
    return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


def raised(function: Callable[[], Any]) -> str:
    """Name of the built-in class of the error that `function` raises."""
    try:
        function()
    except Exception as error:
        return error_class(error).__name__ + ("" if str(error).strip() else " without a message")
    return "nothing raised"


def outcome_of(result: Any, path: str = "result") -> dict[str, Any]:
    """Everything in a result by its path: `result[0]`, `result.values`, …; tensors as `Leaf`, other values as they are.

    Pending tensors are computed together, as one program: that is one plan to make and not one for each of them.
    """
    parts = dict(_parts(result, path))
    pending = [part for part in parts.values() if isinstance(part, lg.Tensor) and part.device.computes]
    if len(pending) > 1:
        lg.realize_all(pending)
    return {path: leaf_of(part) if is_tensor(part) else part for path, part in parts.items()}


def compute_elsewhere(result: Any) -> None:
    """Compute what is on a device other than the CPU, whose data nothing reads before: there bad data raises now."""
    for part in dict(_parts(result, "result")).values():
        if isinstance(part, lg.Tensor) and part.device.computes and not part.is_cpu:
            part.realize()


def _parts(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", None) or _torch_fields(value)
        yield f"len({path})", len(value)
        for position, part in enumerate(value):
            yield from _parts(part, f"{path}.{fields[position]}" if fields else f"{path}[{position}]")
    elif isinstance(value, dict):
        yield f"len({path})", len(value)
        for key, part in value.items():
            yield from _parts(part, f"{path}[{key!r}]")
    elif isinstance(value, lg.dtype) or (type(value).__module__ == "torch" and type(value).__name__ == "dtype"):
        yield path, dtype_name(value)
    elif is_tensor(value) or type(value).__module__.partition(".")[0] not in ("torch", "lazygrad"):
        yield path, value
    else:
        yield path, type(value).__name__


def _torch_fields(result: Any) -> tuple[str, ...]:
    """The field names of torch's own structure sequences, which have no `_fields`."""
    if not type(result).__module__.startswith("torch.return_types"):
        return ()
    inherited = {*dir(tuple), "n_fields", "n_sequence_fields", "n_unnamed_fields"}
    names = {id(getattr(result, name)): name for name in dir(type(result)) if name not in inherited}
    return tuple(names.get(id(part), str(i)) for i, part in enumerate(result))


def leaf_of(tensor: Any) -> Leaf:
    plain = tensor.detach()
    if getattr(tensor, "is_sparse", False):
        plain = plain.to_dense()
    plain = plain.resolve_conj().resolve_neg()
    values = np.array((plain.float() if dtype_name(tensor.dtype) == "bfloat16" else plain).numpy())
    if values.dtype.kind in "fc":
        values = values.astype(np.float64 if values.dtype.kind == "f" else np.complex128)
    strides = () if plain.numel() == 0 else tuple(s for n, s in zip(plain.shape, plain.stride(), strict=True) if n > 1)
    return Leaf(dtype_name(tensor.dtype), tuple(tensor.shape), bool(tensor.requires_grad), values, strides)


def difference(expected: dict[str, Any], actual: dict[str, Any], closeness: Closeness = Closeness()) -> str | None:
    """What is not equal, in words; None when all is."""
    if list(expected) != list(actual):
        return f"expected a result with parts {list(expected)}, got {list(actual)}"
    for path, want in expected.items():
        found = _unequal(want, actual[path], closeness)
        if found:
            return f"at {path}: {found}"
    return None


def assert_equal(expected: dict[str, Any], actual: dict[str, Any], slack: float = 1.0, **closeness: Any) -> None:
    """Asserts that two outcomes are equal; floating values up to the tolerance of their dtype.

    Args:
        closeness: further fields of `Closeness`.
    """
    wrong = difference(expected, actual, Closeness(slack, **closeness))
    assert wrong is None, wrong


def assert_close(actual: Any, expected: Any, slack: float = 1.0, **closeness: Any) -> None:
    """Asserts that results, nested at will, are equal, whichever of their tensors require gradients."""
    detached = ({path: _detached(part) for path, part in outcome_of(result).items()} for result in (expected, actual))
    assert_equal(*detached, slack, **closeness)


def assert_alike(
    program: Callable[[Any], Any], torch: Any, candidate: Any, slack: float = 1.0, **closeness: Any
) -> None:
    """Asserts that `program(t)` gives equal results on both frameworks; with ``slack`` 0, bit by bit."""
    expected = outcome_of(program(torch))
    assert_equal(expected, outcome_of(program(candidate)), slack, **closeness)


def _detached(part: Any) -> Any:
    return replace(part, requires_grad=False) if isinstance(part, Leaf) else part


def _unequal(want: Any, have: Any, closeness: Closeness) -> str | None:
    if type(want) is not type(have):
        return f"expected {want!r}, got {have!r}"
    if isinstance(want, (float, complex, np.ndarray, np.generic)):
        wanted, found = np.asarray(want), np.asarray(have)
        same = not closeness.values or (wanted.dtype, wanted.shape) == (found.dtype, found.shape)
        same = same and (not closeness.values or _worst(wanted, found, closeness) <= closeness.numbers)
        return None if same else f"expected {want}, got {have}"
    if not isinstance(want, Leaf):
        return None if want == have else f"expected {want!r}, got {have!r}"
    for fact in ("dtype", "shape", "requires_grad", *(["strides"] if closeness.strides else [])):
        if getattr(want, fact) != getattr(have, fact):
            return f"expected {fact} {getattr(want, fact)}, got {getattr(have, fact)}"
    if want.values.shape != have.values.shape:
        return f".numpy() has shape {have.values.shape}"
    allowed = closeness.tolerance.get(want.dtype, 0.0) * closeness.slack
    worst = _worst(want.values, have.values, closeness) if closeness.values else 0.0
    if worst <= allowed:
        return None
    return f"{worst:.3g} of the magnitude apart; expected {_short(want.values)}, got {_short(have.values)}"


def _worst(want: np.ndarray, have: np.ndarray, closeness: Closeness) -> float:
    """The largest difference by magnitude; infinite where exact values, NaN or infinities differ."""
    if want.dtype.kind not in "fc":
        return 0.0 if np.array_equal(want, have) else np.inf
    want, have = (np.stack([part.real, part.imag] if part.dtype.kind == "c" else [part]) for part in (want, have))
    finite = np.isfinite(want)
    if not np.array_equal(want[~finite], have[~finite], equal_nan=True) or not np.isfinite(have[finite]).all():
        return np.inf
    magnitude = np.abs(want, where=finite, out=np.zeros_like(want)).max(0, keepdims=True)
    scale = np.broadcast_to(np.maximum(magnitude, closeness.floor), want.shape)
    if closeness.of_largest:
        scale = np.full(want.shape, scale.max(initial=0.0))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        apart = np.abs(want - have, where=finite, out=np.zeros_like(want))
        return float((apart[apart > 0] / scale[apart > 0]).max(initial=0.0))


def _short(values: np.ndarray) -> str:
    return np.array2string(values, threshold=12, precision=8).replace("\n", "")
