"""A compiled function computes what the function computes, whatever Python state has changed since the last call."""

import decimal
import gc
import sys
import warnings

import numpy as np
import pytest

import lazygrad as lg
from tests.compiling.scenarios import attributes, classes, containers, library, process, tensors

TABLES = (containers, attributes, classes, tensors, process, library)
SCENARIOS = {f"{table.__name__.split('.')[-1]}: {name}": s for table in TABLES for name, s in table.SCENARIOS.items()}

STATEFUL = containers.STATEFUL | library.STATEFUL


def described(value):
    """A result as plain values."""
    if isinstance(value, lg.Tensor):
        detached = value.detach().clone()
        return [str(value.dtype), value.requires_grad, detached.tolist()]
    if isinstance(value, (list, tuple)):
        return [described(item) for item in value]
    return repr(value)


def outcome(function, args):
    """What a call gives, or how it fails."""
    try:
        return described(function(*args))
    except Exception as error:
        return type(error)


@pytest.fixture(autouse=True)
def settings_as_before():
    """Python's and lazygrad's settings outlive no test."""
    limit, interval, threshold = sys.getrecursionlimit(), sys.getswitchinterval(), gc.get_threshold()
    numpy_options, numpy_errors, filters = np.get_printoptions(), np.geterr(), warnings.filters[:]
    with decimal.localcontext():
        yield
    library.undo_settings()
    gc.enable()
    gc.set_threshold(*threshold)
    sys.setrecursionlimit(limit)
    sys.setswitchinterval(interval)
    np.set_printoptions(**numpy_options)
    np.seterr(**numpy_errors)
    warnings.filters[:] = filters


def test_there_are_enough():
    assert len(SCENARIOS) + len(STATEFUL) >= 458


@pytest.mark.parametrize("name", SCENARIOS)
def test_is_never_stale(name, monkeypatch):
    function, args, change = SCENARIOS[name](monkeypatch)
    compiled = lg.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(5):
            outcome(compiled, args)
        change()
        lg.manual_seed(1)
        found = outcome(compiled, args)
        lg.manual_seed(1)
        assert found == outcome(function, args), compiled.explain()


def last_outcome(scenario, compile):
    """What the call after the change gives, in a state of its own."""
    with pytest.MonkeyPatch.context() as m:
        function, args, change = scenario(m)
        function = compile(function)
        for _ in range(5):
            outcome(function, args)
        change()
        lg.manual_seed(1)
        return outcome(function, args)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STATEFUL)
def test_state_that_moves_on_is_never_stale(name):
    scenario = STATEFUL[name]
    assert last_outcome(scenario, lg.compile) == last_outcome(scenario, lambda function: function)
