"""Errors that need data: raised when the value is computed at the latest, as PyTorch has them, and nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.runtime.backend_choice import backend
from tests.oracle.comparing import assert_close
from tests.runtime.toolchains import needs_compiler
from tests.ways import interpreting

from .cases_data_errors import AT_ONCE, COMPUTED, DIFFERENTIABLE, KERNELS, DataCase, X

torch = pytest.importorskip("torch", reason="torch is the oracle of errors, and is not installed")

LINE = r"\[recorded at (test|cases)_data_errors\.py:\d+\]"


def matrix(m: Any, case: DataCase) -> Any:
    x = m.tensor(X)
    return (x * 0.1 + 0.4 if case.is_probability else x).detach().requires_grad_()


def pending(data: Any) -> Any:
    """The data as the result of a computation that has not run."""
    tensor = lg.tensor(data)
    return tensor | False if tensor.dtype is lg.bool else tensor * 1


def oracle(case: DataCase) -> Exception:
    with pytest.raises(Exception, match=case.words) as raised:
        case.call(torch, matrix(torch, case), torch.tensor(case.bad))
    return raised.value


def expected_class(error: Exception) -> type[Exception]:
    return lg.linalg.LinAlgError if isinstance(error, torch.linalg.LinAlgError) else type(error)


def assert_raises(case: DataCase, compute: Callable[[], object], line: bool = False) -> None:
    """``compute`` raises what PyTorch raises, in its words; with ``line``, naming the line that recorded the call."""
    with pytest.raises(expected_class(oracle(case))) as raised:
        compute()
    message = str(raised.value)
    assert re.search(case.words, message), message
    assert not line or re.search(LINE, message), message


def assert_still_computes(case: DataCase, data: Any = None) -> None:
    wanted = case.call(torch, matrix(torch, case), torch.tensor(case.good))
    assert_close(case.call(lg, matrix(lg, case), lg.tensor(case.good) if data is None else data), wanted)


@pytest.mark.parametrize("case", [*COMPUTED, *AT_ONCE], ids=str)
def test_read_directly(case: DataCase) -> None:
    data = lg.tensor(case.bad)
    assert_raises(case, lambda: case.call(lg, matrix(lg, case), data).tolist())
    assert_still_computes(case)


@pytest.mark.parametrize("case", AT_ONCE, ids=str)
def test_data_that_is_looked_at_once_may_be_pending(case: DataCase) -> None:
    assert_raises(case, lambda: case.call(lg, matrix(lg, case), pending(case.bad)).tolist())
    assert_still_computes(case, pending(case.good))


@pytest.mark.parametrize("case", COMPUTED, ids=str)
def test_amid_a_pending_graph(case: DataCase) -> None:
    x = matrix(lg, case)
    bystander = x * 2 + 1
    data = pending(case.bad)
    result = case.call(lg, x * 1, data)
    around = result * 3 + 1
    for _ in range(2):  # what failed fails again, for the same reason
        assert_raises(case, around.tolist, line=True)
    assert_close(bystander, matrix(torch, case) * 2 + 1)
    assert data.tolist() == pytest.approx(case.bad, nan_ok=True) if isinstance(case.bad, float) else True
    assert_still_computes(case, pending(case.good))


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_the_gradient_alone_raises_too(case: DataCase) -> None:
    x = matrix(lg, case)
    loss = (case.call(lg, x * 1, pending(case.bad)) * 2).sum()

    def gradient() -> object:
        loss.backward()
        return x.grad.tolist()

    assert_raises(case, gradient, line=True)
    assert_close(x.detach(), matrix(torch, case))


def _step(m: Any, case: DataCase, x: Any, optimizer: Any, data: Any) -> None:
    optimizer.zero_grad()
    loss = (case.call(m, x * 1, data) * 0.1).sum()
    loss.backward()
    optimizer.step()


def _state(x: Any, optimizer: Any) -> list[Any]:
    state = sorted(optimizer.state[x].items())
    return [x.tolist(), *[value.tolist() if isinstance(value, lg.Tensor) else value for _, value in state]]


def _assert_a_failed_step_changes_nothing(case: DataCase, steps_before: int) -> None:
    leaves = [matrix(lg, case) for _ in range(2)]
    optimizers = [lg.optim.Adam([x], lr=0.01) for x in leaves]
    for x, optimizer in zip(leaves, optimizers, strict=True):
        for _ in range(steps_before):
            _step(lg, case, x, optimizer, lg.tensor(case.good))
    before = _state(leaves[0], optimizers[0])
    assert_raises(case, lambda: _step(lg, case, leaves[0], optimizers[0], pending(case.bad)))
    assert _state(leaves[0], optimizers[0]) == before
    for x, optimizer in zip(leaves, optimizers, strict=True):
        _step(lg, case, x, optimizer, lg.tensor(case.good))
    assert _state(leaves[0], optimizers[0]) == _state(leaves[1], optimizers[1]) != before


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_a_step_of_an_optimizer_that_fails_changes_nothing(case: DataCase) -> None:
    _assert_a_failed_step_changes_nothing(case, 1)


@pytest.mark.parametrize("case", KERNELS, ids=str)
def test_the_first_step_may_fail(case: DataCase) -> None:
    _assert_a_failed_step_changes_nothing(case, 0)


@pytest.mark.parametrize("case", COMPUTED, ids=str)
def test_in_a_compiled_function_and_its_replays(case: DataCase) -> None:
    @lg.compile
    def computed(x: Any, data: Any) -> Any:
        return case.call(lg, x * 1, data) * 2

    x = matrix(lg, case).detach()
    wanted = case.call(torch, matrix(torch, case), torch.tensor(case.good)) * 2
    for _ in range(3):
        assert_close(computed(x, lg.tensor(case.good)), wanted)
    for _ in range(2):
        assert_raises(case, lambda: computed(x, lg.tensor(case.bad)).tolist())
        assert_close(computed(x, lg.tensor(case.good)), wanted)


@pytest.mark.parametrize("case", [case for case in DIFFERENTIABLE if case in KERNELS], ids=str)
def test_a_compiled_step_that_fails_changes_nothing(case: DataCase) -> None:
    x = matrix(lg, case)
    optimizer = lg.optim.Adam([x], lr=0.01)
    step = lg.compile(lambda data: _step(lg, case, x, optimizer, data))
    for _ in range(4):
        step(lg.tensor(case.good))
    before = _state(x, optimizer)
    assert_raises(case, lambda: step(lg.tensor(case.bad)))
    assert _state(x, optimizer) == before
    step(lg.tensor(case.good))
    assert _state(x, optimizer) != before


@needs_compiler
@pytest.mark.parametrize("case", KERNELS, ids=str)
def test_compiled_code_refuses_and_numpy_says_why(case: DataCase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "1")
    with backend("c"):
        x = matrix(lg, case)

        def loss_and_gradient(data: Any) -> list[Any]:
            loss = (case.call(lg, x * 1, data) * 2).sum()
            (gradient,) = lg.autograd.grad(loss, [x])
            return [gradient.tolist(), loss.tolist()]

        good = loss_and_gradient(pending(case.good))
        assert_raises(case, lambda: loss_and_gradient(pending(case.bad)), line=True)
        assert loss_and_gradient(pending(case.good)) == good


def test_the_line_is_that_of_the_program_that_failed() -> None:
    def first(x: Any, target: Any) -> Any:
        return lg.nn.functional.cross_entropy(x, target)

    def second(x: Any, target: Any) -> Any:
        return lg.nn.functional.cross_entropy(x, target)  # the same plan serves both

    for function in (first, second, first):
        assert function(lg.tensor(X), pending([0, 1, 2])).isfinite().item()
        with pytest.raises(IndexError, match=rf":{function.__code__.co_firstlineno + 1}\]"):
            function(lg.tensor(X), pending([0, 1, 4])).item()


def test_the_module_is_named() -> None:
    model = lg.nn.Sequential(lg.nn.Embedding(3, 2), lg.nn.Linear(2, 2))
    message = r"embedding: index out of range in self: index 5 is out of bounds .*Sequential\.0\]"
    with pytest.raises(IndexError, match=message):
        model(pending([1, 5])).tolist()


def test_an_input_survives_a_factorization_that_fails_after_a_kernel() -> None:
    """The update of ``total`` could overwrite its memory before the factorization is reached."""
    total = lg.zeros(64, 64).realize()
    matrix = lg.zeros(64, 64).realize()
    total += 1
    inverse = lg.linalg.inv(matrix @ matrix)
    together = total.sum() + inverse.sum()
    with pytest.raises(lg.linalg.LinAlgError):
        together.item()
    assert total.sum().item() == 64 * 64


def test_an_update_that_fails_is_no_matter_of_an_optimizers_step() -> None:
    with interpreting():  # where the small index is not computed at once
        table, x = lg.zeros(4, 3), lg.ones(2, requires_grad=True)
        table[lg.tensor([3]) + 1] = lg.ones(3)  # out of range, and pending
        optimizer = lg.optim.SGD([x], lr=0.5)
        x.sum().backward()
        optimizer.step()
        assert x.tolist() == [0.5, 0.5]
        with pytest.raises(IndexError, match="index 4 is out of bounds"):
            table.tolist()
