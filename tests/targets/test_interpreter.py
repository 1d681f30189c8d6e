"""A target of its own, registered through the public interface, computes what numpy does."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.runtime.realize import unfused
from tests.fuzz.comparing import assert_numpy_agrees
from tests.fuzz.programs import Program, execute, long_programs, values
from tests.selection import share
from tests.targets.interpreter import Interpretation, interpreting


@pytest.mark.deeper
@settings(max_examples=share(100), deadline=None, suppress_health_check=list(HealthCheck))
@given(long_programs, st.booleans())
def test_random_programs_agree_with_numpy(program: Program, fused: bool) -> None:
    with interpreting(), nullcontext() if fused else unfused():
        actual = values(execute(program))
    assert_numpy_agrees(program, actual)


def test_it_is_what_runs() -> None:
    with interpreting():
        y = lg.softmax(lg.rand(4, 5), 1).realize()
        plan = lg.last_step().plan_object
        (executable,) = plan._executables.values()
        assert isinstance(executable, Interpretation) and executable.runs == 1
        assert "reduce_max" in str(lg.last_step().sources["interpreter"])
    np.testing.assert_allclose(y.sum(1).numpy(), 1, rtol=1e-6)


def test_a_training_step() -> None:
    def trained() -> np.ndarray:
        lg.manual_seed(0)
        model = lg.nn.Sequential(lg.nn.Linear(4, 8), lg.nn.Tanh(), lg.nn.LayerNorm(8), lg.nn.Linear(8, 3))
        optimizer = lg.optim.Adam(model.parameters(), lr=0.1)
        x, target = lg.randn(16, 4), lg.arange(16) % 3
        for _ in range(3):
            optimizer.zero_grad()
            lg.nn.functional.cross_entropy(model(x), target).backward()
            optimizer.step()
        return model[0].weight.detach().numpy()

    with interpreting():
        actual = trained()
    with lg.backend("numpy"):
        np.testing.assert_allclose(actual, trained(), rtol=1e-4, atol=1e-6)


def test_what_is_wrong_is_said_with_its_line() -> None:
    with interpreting(), pytest.raises(IndexError, match="out of"):
        lg.ones(3)[lg.tensor([5])].numpy()


def test_unknown_once_it_is_gone() -> None:
    with interpreting(), pytest.raises(ValueError, match="has a target called 'interpreter' already"), interpreting():
        raise AssertionError("registered twice")
    with pytest.raises(ValueError, match=r"must be one of auto, numpy, c.*, not 'interpreter'"):
        lg.set_backend("interpreter")
