"""Scenarios of autograd, hooks and custom functions, each run on torch and on lazygrad with equal outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.cases import Case, assert_agrees

from . import scenarios_autograd, scenarios_derivatives, scenarios_functions, scenarios_hooks

pytestmark = pytest.mark.filterwarnings("ignore")


CASES = [
    case
    for module in (scenarios_autograd, scenarios_derivatives, scenarios_functions, scenarios_hooks)
    for case in module.CASES
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_torch(case: Case, torch: Any, candidate: Any) -> None:
    """What the scenario returns is the same, values and errors alike."""
    assert_agrees(case, torch, candidate)
