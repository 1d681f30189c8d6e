"""What a call gave, in terms that do not depend on the framework, and whether two such outcomes are equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import lazygrad as lg

# Relative to the largest magnitude in the result; half precisions get two units in the last place.
TOLERANCE = {
    "float64": 1e-9, "float32": 2e-5, "float16": 2.0**-9, "bfloat16": 2.0**-6, "complex128": 1e-9, "complex64": 2e-5,
}  # fmt: skip


@dataclass(frozen=True)
class Leaf:
    """One tensor of a result: what can be seen of it. `values` are float64, complex128, int64 or bool."""

    dtype: str
    shape: tuple[int, ...]
    requires_grad: bool
    values: np.ndarray


def outcome_of(result: Any) -> dict[str, Any]:
    """Everything in a result by its path: `[0]`, `[1].name`, …; tensors as `Leaf`, other values as themselves."""
    return dict(_parts(result, ""))


def _parts(result: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(result, (torch.Tensor, lg.Tensor)):
        yield path, _leaf(result)
    elif isinstance(result, (torch.dtype, lg.dtype)):
        yield path, str(result).rpartition(".")[2]
    elif isinstance(result, (tuple, list)):
        fields = getattr(result, "_fields", None) or _torch_fields(result)
        for position, part in enumerate(result):
            yield from _parts(part, f"{path}.{fields[position]}" if fields else f"{path}[{position}]")
    elif isinstance(result, dict):
        for key, part in result.items():
            yield from _parts(part, f"{path}[{key!r}]")
    elif isinstance(result, (bool, int, float, complex, str, type(None))):
        yield path, result
    else:
        yield path, type(result).__name__


def _torch_fields(result: Any) -> tuple[str, ...]:
    """The field names of torch's own structure sequences, which have no `_fields`."""
    if not type(result).__module__.startswith("torch.return_types"):
        return ()
    inherited = {*dir(tuple), "n_fields", "n_sequence_fields", "n_unnamed_fields"}
    names = {id(getattr(result, name)): name for name in dir(type(result)) if name not in inherited}
    return tuple(names.get(id(part), str(i)) for i, part in enumerate(result))


def _leaf(tensor: Any) -> Leaf:
    if getattr(tensor, "is_sparse", False):
        tensor = tensor.to_dense()
    dtype = str(tensor.dtype).rpartition(".")[2]
    plain = tensor.detach()
    if dtype in ("bfloat16", "float16", "float32"):
        plain = plain.double()
    elif dtype == "complex64":
        plain = plain.to(torch.complex128 if isinstance(plain, torch.Tensor) else lg.complex128)
    plain = plain.resolve_conj().resolve_neg()
    return Leaf(dtype, tuple(tensor.shape), bool(tensor.requires_grad), np.array(plain.numpy()))


def difference(expected: dict[str, Any], actual: dict[str, Any], values: bool = True) -> str | None:
    """What is not equal, in words; None when all is.

    Args:
        values: False compares shapes and dtypes only.
    """
    if list(expected) != list(actual):
        return f"expected a result with parts {list(expected)}, got {list(actual)}"
    for path, want in expected.items():
        found = _unequal(want, actual[path], values)
        if found:
            return f"at {path or 'the result'}: {found}"
    return None


def _unequal(want: Any, have: Any, values: bool) -> str | None:
    if not isinstance(want, Leaf) or not isinstance(have, Leaf):
        if isinstance(want, (float, complex)) and isinstance(have, (float, complex)):
            same = not values or _close(np.array(want), np.array(have), 1e-6)
            return None if same else f"expected {want}, got {have}"
        return None if want == have and type(want) is type(have) else f"expected {want!r}, got {have!r}"
    for fact in ("dtype", "shape", "requires_grad"):
        if getattr(want, fact) != getattr(have, fact):
            return f"expected {fact} {getattr(want, fact)}, got {getattr(have, fact)}"
    if not values or _close(want.values, have.values, TOLERANCE.get(want.dtype, 0.0)):
        return None
    return f"expected {_short(want.values)}, got {_short(have.values)}"


def _close(want: np.ndarray, have: np.ndarray, tolerance: float) -> bool:
    if want.dtype.kind not in "fc" or have.dtype.kind not in "fc":
        return bool(np.array_equal(want, have))
    if want.dtype.kind == "c" or have.dtype.kind == "c":
        want, have = (np.stack([np.asarray(part).real, np.asarray(part).imag]) for part in (want, have))
    finite = np.isfinite(want) & np.isfinite(have)
    if not np.array_equal(want[~finite], have[~finite], equal_nan=True):
        return False
    scale = max(1e-3, float(np.abs(want[finite]).max(initial=0.0)))
    with np.errstate(over="ignore"):
        return bool((np.abs(want[finite] - have[finite]) <= tolerance * scale).all())


def _short(values: np.ndarray) -> str:
    return np.array2string(values, threshold=12, precision=8).replace("\n", "")
