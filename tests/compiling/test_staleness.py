"""A compiled function computes what the function computes, whatever Python state has changed since the last call."""

import decimal
import gc
import sys
import warnings

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.compiling import settled
from lazygrad.ops.random.in_graphs import graph_random_state, set_graph_random_state
from tests.compiling.scenarios import attributes, classes, containers, library, process, records, statements, tensors

TABLES = (containers, attributes, classes, tensors, process, library, records, statements)
SCENARIOS = {f"{table.__name__.split('.')[-1]}: {name}": s for table in TABLES for name, s in table.SCENARIOS.items()}

SEED = 4711  # not that of any module made before

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
def settled_at_once(monkeypatch):
    """The last call before the change is done by the function that a template wrote, which then looks at the change."""
    monkeypatch.setattr(settled, "FIRST_RUNS", 1)


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


def before_and_after(scenario):
    """What the function itself gives before and after the change."""
    with pytest.MonkeyPatch.context() as m:
        function, args, change = scenario(m)
        for _ in range(5):
            outcome(function, args)
        lg.manual_seed(SEED)
        before = outcome(function, args)
        lg.manual_seed(SEED)
        change()
        after = outcome(function, args)
    library.undo_settings()
    return before, after


def alone(function):
    return function


def beside_a_sum(function):
    """A call that computes something even where the function's own result is an argument, which is not replayed."""
    return lambda *args: [function(*args), lg.zeros(2) + 1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("surrounding", [alone, beside_a_sum])
@pytest.mark.parametrize("name", SCENARIOS)
def test_is_never_stale(name, surrounding, monkeypatch):
    before, after = before_and_after(SCENARIOS[name])
    assert before != after, "the change makes no difference, so that nobody would notice a stale replay"
    function, args, change = SCENARIOS[name](monkeypatch)
    function = surrounding(function)
    compiled = lg.compile(function)
    for _ in range(5):
        outcome(compiled, args)
    lg.manual_seed(SEED)
    change()
    state = lg.get_rng_state(), graph_random_state()
    found = outcome(compiled, args)
    lg.set_rng_state(state[0])
    set_graph_random_state(*state[1])
    assert found == outcome(function, args), compiled.explain()


def last_outcome(scenario, compile, changes=True):
    """What the call after the change gives, in a state of its own."""
    with pytest.MonkeyPatch.context() as m:
        function, args, change = scenario(m)
        function = compile(function)
        for _ in range(5):
            outcome(function, args)
        if changes:
            change()
        lg.manual_seed(SEED)
        return outcome(function, args)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STATEFUL)
def test_state_that_moves_on_is_never_stale(name):
    expected = last_outcome(STATEFUL[name], uncompiled)
    assert expected != last_outcome(STATEFUL[name], uncompiled, changes=False), "the change makes no difference"
    assert last_outcome(STATEFUL[name], lg.compile) == expected


def uncompiled(function):
    return function
