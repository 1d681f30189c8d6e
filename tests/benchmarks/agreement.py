"""Whether contenders computed the same: a time says something only then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.benchmarks.case import Case, Program
from tests.benchmarks.frameworks import Framework


def checked_outputs(case: Case, program: Program, framework: Framework) -> list[np.ndarray]:
    """Outputs of the next ``case.checked_calls`` calls, one after the other, in torch's layout."""
    arrays: list[np.ndarray] = []
    for _ in range(case.checked_calls):
        arrays += program.as_torch(framework.arrays(program()))
    return arrays


def disagreement(have: Sequence[np.ndarray], want: Sequence[np.ndarray], tolerance: float) -> str | None:
    """What is wrong with the outputs ``have``, or None; ``tolerance`` is relative to an output's largest element."""
    if len(have) != len(want):
        return f"{len(have)} outputs instead of {len(want)}"
    for index, (ours, theirs) in enumerate(zip(have, want, strict=True)):
        if ours.shape != theirs.shape:
            return f"output {index} has shape {ours.shape} instead of {theirs.shape}"
        scale = max(float(np.abs(theirs).max(initial=0.0)), 1e-6)
        difference = float(np.abs(ours.astype(np.float64) - theirs).max(initial=0.0)) / scale
        if not difference <= tolerance:  # also when it is not a number
            return f"output {index} is off by {difference:.2g} of its largest element"
    return None
