"""A random program about gradients, on PyTorch and in each way of running it here."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import lazygrad
from tests.fuzz.autograd_programs import AutogradProgram, Values
from tests.ways import in_each_way


class Difference(AssertionError):
    """A way of running a program that found something else."""


def assert_program_agrees(torch: Any, seed: int, compiled: bool = False) -> bool:
    """What lazygrad sees in each way of running a program is what PyTorch sees.

    Returns:
        Whether PyTorch has refused a part of it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = AutogradProgram(torch, seed).run()
        ended = want.refused is not None
        for way, have in in_each_way(lambda: _run_like(want, seed), compiled):
            _require_same(f"program {seed}, {way}", have, want, ended)
    return ended


def _run_like(want: AutogradProgram, seed: int) -> AutogradProgram:
    """lazygrad's run of the instructions that PyTorch took."""
    return AutogradProgram(lazygrad, seed).run(want.done if want.refused is not None else None)


def _require_same(where: str, have: AutogradProgram, want: AutogradProgram, ended: bool) -> None:
    if have.refused is not None:
        raise Difference(f"{where}: refused after {have.done}: {have.refused!r}") from have.refused
    # An instruction that is refused may have looked at something before.
    require_same_values(where, have.seen, want.seen[: len(have.seen)] if ended else want.seen)


def require_same_values(where: str, have: Values, want: Values) -> None:
    if len(have) != len(want):
        raise Difference(f"{where}: {len(have)} values, not {len(want)}")
    for position, (ours, theirs) in enumerate(zip(have, want, strict=True)):
        if (ours is None) != (theirs is None):
            raise Difference(f"{where}: value {position} is {ours}, not {theirs}")
        if ours is None or theirs is None:
            continue
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            raise Difference(f"{where}: value {position} is {ours.dtype}{ours.shape}")
        if not np.allclose(ours, theirs, rtol=1e-8, atol=1e-10, equal_nan=True):
            raise Difference(f"{where}: value {position} is {ours}, not {theirs}")
