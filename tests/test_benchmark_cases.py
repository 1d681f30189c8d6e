"""The benchmarks' cases stay right: at small sizes lazygrad computes what torch computes. Nothing is timed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from tests.benchmarks import busy
from tests.benchmarks.agreement import checked_outputs, disagreement
from tests.benchmarks.case import LABELS, LAZYGRAD, Case, Contender
from tests.benchmarks.cases import CASES
from tests.benchmarks.frameworks import load

pytest.importorskip("torch")

OURS = [
    pytest.param(case, contender, id=f"{case.name}-{contender.label}")
    for case in CASES.values()
    for contender in case.contenders
    if contender.peer == LAZYGRAD
]


def outputs(case: Case, contender: Contender) -> list[np.ndarray]:
    framework = load(contender.peer)
    return checked_outputs(case, contender.prepare(framework, "small"), framework)


@lru_cache(maxsize=1)  # the contenders of a case follow each other
def wanted(name: str) -> list[np.ndarray]:
    return outputs(CASES[name], CASES[name].contender(LABELS["eager"]))


@pytest.mark.parametrize(("case", "contender"), OURS)
def test_lazygrad_agrees_with_torch(case: Case, contender: Contender) -> None:
    want = wanted(case.name)
    assert disagreement(outputs(case, contender), want, case.tolerance) is None


def test_competitors_compute_until_the_end() -> None:
    with busy.competing(2, nice=1) as processes:
        assert len(processes) == 2 and all(process.poll() is None for process in processes)
    assert all(process.poll() is not None for process in processes)
