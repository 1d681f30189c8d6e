"""Short programs that use one name after the other give the same on torch and lazygrad."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")
pytest.importorskip("expecttest", reason="torch's database of operations needs expecttest")

import lazygrad as lg  # noqa: E402
from tests.oracle.comparing import difference, outcome_of  # noqa: E402

from . import scenarios_functions, scenarios_gradients, scenarios_objects, scenarios_settings  # noqa: E402, F401
from .checks import CLOSENESS  # noqa: E402
from .scenarios import SCENARIOS  # noqa: E402


@pytest.mark.parametrize("scenario", [function for _, function in SCENARIOS], ids=lambda function: function.__name__)
def test_scenario(scenario: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, actual = outcome_of(scenario(torch)), outcome_of(scenario(lg))
    wrong = difference(expected, actual, CLOSENESS)
    assert wrong is None, wrong
