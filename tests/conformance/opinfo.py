"""PyTorch's own description of its operations: for each one the dtypes it takes, sample inputs and bad inputs.

The database comes with torch (`torch.testing._internal`); it is what PyTorch tests itself with.
"""

from __future__ import annotations

import functools
import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import torch

import lazygrad as lg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

from tests.oracle.translate import DTYPES, rebound

# `nn` has oracle tests of its own; the others are not part of the public API described in tiers.json.
_OTHERS = ("nn.", "masked.", "_refs.", "torch.ops.", "jiterator", "_", "sparse.", "max_pool2d_with_indices_backward",
           "new_empty_strided_", "batch_norm")  # fmt: skip
_SEED = 1234  # the database's own
_INTERNAL = ("slice", "native_dropout_backward")
_DUNDERS = ("__getitem__", "__radd__", "__rdiv__", "__rmul__", "__rand__", "__ror__", "__rxor__", "__rmatmul__",
            "__rmod__", "__rpow__", "__rsub__")  # fmt: skip

OPS = {
    f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name: op
    for op in op_db
    if op.name not in _INTERNAL
    if op.name in _DUNDERS or not all(alias.name.startswith(_OTHERS) for alias in (op, *op.aliases))
}


def public_names(op: Any) -> set[str]:
    """The names under which an operation is known: `linalg.svd`, `Tensor.add_`, aliases included."""
    names = set()
    for alias in (op, *op.aliases):
        names.add(alias.name)
        if "." not in alias.name:
            names |= {f"Tensor.{alias.name}", f"Tensor.{alias.name}_"}
    return names


def found(path: str) -> Callable[..., Any] | None:
    """What lazygrad has under `linalg.svd` or `Tensor.add_`; None when nothing."""
    value: Any = lg
    for part in path.split("."):
        value = getattr(value, part, None)
        if value is None:
            return None
    return value  # type: ignore[no-any-return]


def is_wrapper(function: Any) -> bool:
    """Whether a function stands in the database itself, around the one it tests and perhaps with other arguments."""
    return getattr(function, "__module__", "").startswith("torch.testing") or function.__name__ == "<lambda>"


def counterpart(op: Any) -> Callable[..., Any] | None:
    """Lazygrad's function for an operation: by name, or torch's test wrapper with lazygrad inside."""
    if is_wrapper(op.op):
        return rebound(op.op)  # type: ignore[no-any-return]
    named = found(op.name)
    return named if callable(named) else found(f"Tensor.{op.name}")  # torch.cfloat is a dtype, Tensor.cfloat a method


def dtypes(op: Any) -> list[torch.dtype]:
    return [dtype for dtype in DTYPES if dtype in op.dtypes]


def seed(number: int) -> None:
    """Seed torch's generator of the CPU. ``torch.manual_seed`` writes down a stack trace for each other device."""
    torch.default_generator.manual_seed(number)


def _drawn(make: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """What ``make()`` yields, all generators seeded before each.

    The database's own iterators do the same, and besides search the stack for a `unittest` that runs: they take longer
    than everything else in a test.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seed(20)
        items = iter(make())
        while True:
            for set_seed in (seed, random.seed, np.random.seed):
                set_seed(_SEED)
            try:
                item = next(items)
            except StopIteration:
                return
            yield item


def samples(op: Any, dtype: torch.dtype, at_most: int | None, requires_grad: bool = False) -> list[Any]:
    """The operation's sample inputs, or ``at_most`` of them spread over the whole list; the same in every run."""
    drawn = _drawn(lambda: op.sample_inputs_func(op, "cpu", dtype, requires_grad))
    every = [sample for sample in drawn if is_meant(op, sample)]
    if at_most is None or len(every) <= at_most:
        return every
    return [every[i * len(every) // at_most] for i in range(at_most)]


def is_meant(op: Any, sample: Any) -> bool:
    """Whether a sample says what it means: some bin edges of `histogramdd` are random, and not in order."""
    if op.name != "histogramdd" or not isinstance(sample.args[0][0] if sample.args[0] else None, torch.Tensor):
        return True
    return all(bool((edges.diff() > 0).all()) for edges in sample.args[0])


def error_inputs(op: Any) -> Iterator[Any]:
    if op.error_inputs_func is not None:
        yield from _drawn(lambda: op.error_inputs_func(op, "cpu"))


@functools.cache
def covered_names() -> frozenset[str]:
    return frozenset(name for op in OPS.values() for name in public_names(op))
