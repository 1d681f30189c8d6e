"""`runtime.libm`: the C library's last bits, with its functions compiled and without."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lazygrad.runtime import libm
from lazygrad.targets.c import host_functions

RANGES = {"exp": (-700, 700), "log": (1e-300, 1e3), "log1p": (-1, 50), "sin": (-9, 9), "cos": (-9, 9), "tan": (-9, 9)}
OUTSIDE = {"exp": (800.0, math.inf), "log": (0.0, -math.inf), "log1p": (-1.0, -math.inf)}


@pytest.fixture(params=["compiled", "Python"])
def functions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "compiled":
        host_functions.load()
    else:
        monkeypatch.setattr(host_functions._state, "functions", {})


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("name", RANGES)
def test_bits_are_those_of_the_c_library(name: str) -> None:
    x = np.random.default_rng(4).uniform(*RANGES[name], size=(4, 500))[:, ::2]
    kept = x.copy()
    found = getattr(libm, name)(x)
    wanted = [[getattr(math, name)(value) for value in row] for row in x.tolist()]
    assert found.tolist() == wanted
    assert np.array_equal(x, kept), "the argument is written"


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("name", OUTSIDE)
def test_the_limits_are_those_of_c(name: str) -> None:
    value, wanted = OUTSIDE[name]
    assert getattr(libm, name)(np.array([value, math.nan]))[0] == wanted
