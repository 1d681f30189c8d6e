"""Compiled plans and threads: two that realize at once, a compiler that takes over meanwhile, and a forked process."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host import background
from lazygrad.runtime import plan as plan_module
from lazygrad.runtime.backend_choice import backend, set_backend, use_deterministic_algorithms
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.realize import cache
from lazygrad.tensor import Tensor
from tests.runtime.toolchains import needs_compiler, wait_as_for_a_compiler

pytestmark = needs_compiler

Array = np.ndarray


@pytest.fixture(autouse=True)
def compiling_in_the_background(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As users have it: numpy first, C from when it is ready."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    monkeypatch.setattr("lazygrad.runtime.backend_choice._process.choice", "c")
    cache.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    cache.clear()


def array(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def plan_of(result: Tensor) -> Plan:
    """The cached plan that computes ``result``."""
    result.realize()
    assert cache.last is not None
    return cache.last


PROGRAMS: list[Callable[[Tensor], Tensor]] = [
    lambda x: lg.softmax(x * 2, -1),
    lambda x: (x.exp() + 1).sum(0),
    lambda x: (x @ x.T).relu().sum(1),
    lambda x: (x - x.mean(0, keepdim=True)) / (x.std(0, keepdim=True) + 1),
    lambda x: x.cumsum(1).amax(0),
    lambda x: lg.sort(x, 1)[0].T * 3,
    lambda x: (x * x).sum().sqrt(),
]
SHAPES = [(3, 4), (64, 33), (300, 500)]


def test_two_threads_realize_at_once_while_plans_are_compiled() -> None:
    cases = [(program, array(*shape, seed=i)) for i, program in enumerate(PROGRAMS) for shape in SHAPES]
    with backend("numpy"):
        expected = [program(lg.tensor(values)).numpy().copy() for program, values in cases]
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        order = np.random.default_rng(seed)
        try:
            for _ in range(8):
                for number in order.permutation(len(cases)):
                    program, values = cases[number]
                    found = program(lg.tensor(values)).numpy()
                    np.testing.assert_allclose(found, expected[number], rtol=2e-3, atol=2e-3)
        except BaseException as error:  # the main thread raises it
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    for program, values in cases:
        plan = plan_of(program(lg.tensor(values)))
        assert background.wait(plan) and plan.is_compiled


def test_c_takes_over_from_numpy_while_a_plan_runs_again_and_again() -> None:
    values = array(200, 300)

    def once() -> tuple[Plan, Array]:
        y = lg.layer_norm(lg.tensor(values), (300,)).exp().sum(0)
        plan = plan_of(y)
        return plan, np.array(y.numpy())

    plan, first = once()
    assert not plan.is_compiled and not background.is_pending(plan)
    results: list[Array] = []
    while not plan.is_compiled:
        again, result = once()
        assert again is plan
        results.append(result)
    compiled = once()[1]
    for result in results:
        np.testing.assert_allclose(result, first, rtol=2e-5)
    np.testing.assert_allclose(compiled, first, rtol=2e-5)
    assert once()[1].tobytes() == compiled.tobytes()


def test_a_plan_that_runs_once_is_never_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    submitted: list[object] = []
    monkeypatch.setattr(plan_module.background, "submit", lambda key, function: submitted.append(key))
    for size in range(2, 12):
        (lg.tensor(array(size, size)) * 3 + size).exp().realize()
    assert not submitted
    for _ in range(3):
        (lg.tensor(array(5, 5)) * 3 + 5).exp().realize()
    assert len(submitted) == 1


@pytest.fixture
def deterministic() -> Iterator[None]:
    use_deterministic_algorithms(True)
    yield
    use_deterministic_algorithms(False)


@pytest.mark.usefixtures("deterministic")
def test_deterministic_mode_waits_so_that_all_runs_have_the_same_bits() -> None:
    values = array(300, 700)
    results = []
    for _ in range(4):
        y = lg.softmax(lg.tensor(values), -1).log().sum(1)
        assert plan_of(y).is_compiled
        results.append(y.numpy().tobytes())
    assert len(set(results)) == 1


def in_child(check: Callable[[], bool]) -> bool:
    """Whether ``check()`` holds in a forked process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads exist; that is what is tested
        child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs must not hang the tests
        outcome = 1
        try:
            outcome = 0 if check() else 1
        finally:
            os._exit(outcome)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_forked_child_computes_with_plans_compiled_before_and_compiles_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "1")
    values = array(400, 500)
    before = lg.get_num_threads()
    lg.set_num_threads(2)
    try:
        (lg.tensor(values) * 2).exp().sum(0).realize()  # a team's threads exist from here on

        def child() -> bool:
            known = (lg.tensor(values) * 2).exp().sum(0)
            new = (lg.tensor(values) @ lg.tensor(values.T)).tanh().sum(1)
            plans = plan_of(known), plan_of(new)
            right = np.allclose(known.numpy(), np.exp(values * 2).sum(0), rtol=1e-4)
            right = right and np.allclose(new.numpy(), np.tanh(values @ values.T).sum(1), rtol=1e-3, atol=1e-2)
            return right and all(plan.is_compiled for plan in plans)

        assert in_child(child)
        assert child()
    finally:
        lg.set_num_threads(before)


def test_a_child_forked_while_the_compiler_works_is_not_left_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    background.submit("gate", lambda: wait_as_for_a_compiler(gate))
    values = array(30, 40)

    def compute() -> Array:
        return np.array((lg.tensor(values).exp() + 7).sum(1).numpy())

    expected = compute()
    compute()  # waits behind the gate

    def child() -> bool:
        return np.allclose(compute(), expected) and np.allclose(compute(), expected)

    try:
        assert in_child(child)
    finally:
        gate.set()


def test_changing_the_backend_between_runs_of_one_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "1")
    values, results = array(40, 50), []
    for name in ("numpy", "c", "numpy", "c"):
        set_backend(name)
        results.append((lg.tensor(values).sigmoid() * 9).mean(0).numpy().copy())
    assert results[0].tobytes() == results[2].tobytes() and results[1].tobytes() == results[3].tobytes()
    np.testing.assert_allclose(results[0], results[1], rtol=1e-5)
