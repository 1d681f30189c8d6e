"""Scenarios of the function transforms, each run on torch and on lazygrad with equal outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.frontend.oracle import Case, assert_equal, run_case

from . import scenarios_complex, scenarios_derivatives, scenarios_modules, scenarios_vmap

pytestmark = pytest.mark.filterwarnings("ignore")
MODULES = (scenarios_vmap, scenarios_derivatives, scenarios_modules, scenarios_complex)
CASES = [case for module in MODULES for case in module.CASES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_torch(case: Case, torch: Any, candidate: Any) -> None:
    """What the scenario returns is the same, values and errors alike."""
    expected = run_case(torch, case)
    assert_equal(expected, run_case(candidate, case), case.slack)
