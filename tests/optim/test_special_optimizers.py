"""Optimizers that are not called like the others: LBFGS with closures, Muon of matrices, sparse gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn, optim
from lazygrad.ir.node import next_serial
from tests.oracle.comparing import assert_close, outcome_of

from .test_families import converted

_draws = np.random.default_rng(0)
DATA = _draws.standard_normal((30, 4))
GOAL = np.tanh(DATA @ _draws.standard_normal((4, 2))) + 0.1 * _draws.standard_normal((30, 2))


class Fit:
    """A small network in float64 that is fitted with LBFGS."""

    def __init__(self, framework: Any, source: str, is_complex: bool = False) -> None:
        draws = np.random.default_rng(1)
        shapes = ((4, 5), (5,), (5, 2))
        starts = [draws.standard_normal(shape) * 0.5 for shape in shapes]
        if is_complex:
            starts = [start + 1j * start[::-1] for start in starts]
        self.parameters = [framework.nn.Parameter(framework.tensor(start)) for start in starts]
        self.unused = framework.nn.Parameter(framework.ones(3, dtype=framework.float64))
        self.data, self.goal = framework.tensor(DATA), framework.tensor(GOAL)
        self.is_complex = is_complex
        groups = [*self.parameters, self.unused]
        self.optimizer = eval(f"o.{source}", {"o": framework.optim, "p": groups})

    def loss(self) -> Any:
        first, bias, second = self.parameters
        data = self.data.to(first.dtype)
        difference = (data @ first + bias).tanh() @ second - self.goal
        loss = ((difference.abs() if self.is_complex else difference) ** 2).mean()
        return loss + 1e-3 * sum((parameter.abs() ** 2).sum() for parameter in self.parameters)

    def closure(self) -> Any:
        self.optimizer.zero_grad()
        loss = self.loss()
        loss.backward()
        return loss

    def step(self) -> float:
        return self.optimizer.step(self.closure).item()


LBFGS = [
    "LBFGS(p, lr=0.3, max_iter=4)",
    "LBFGS(p, lr=0.5, max_iter=5, history_size=3)",
    "LBFGS(p, max_iter=6, line_search_fn='strong_wolfe')",
    "LBFGS(p, lr=8.0, max_iter=6, history_size=4, line_search_fn='strong_wolfe')",
    "LBFGS(p, lr=1e-3, max_iter=4, max_eval=7, line_search_fn='strong_wolfe')",
    "LBFGS(p, max_iter=60, tolerance_grad=1e-3, tolerance_change=1e-5, line_search_fn='strong_wolfe')",
]


@pytest.mark.parametrize(
    ("source", "is_complex"), [*((source, False) for source in LBFGS), (LBFGS[0], True), (LBFGS[3], True)]
)
def test_lbfgs(source: str, is_complex: bool, torch: Any) -> None:
    have, want = Fit(lg, source, is_complex), Fit(torch, source, is_complex)
    for _ in range(4):
        assert_close(have.step(), want.step(), numbers=1e-9, floor=0.0)
    assert_close(have.parameters, want.parameters, slack=100)
    states = [fit.optimizer.state_dict()["state"][0] for fit in (have, want)]
    assert set(states[0]) == set(states[1])
    for name in ("func_evals", "n_iter"):
        assert states[0][name] == states[1][name]


@pytest.mark.parametrize("begins_here", [True, False], ids=["to torch", "from torch"])
@pytest.mark.parametrize("source", LBFGS[1:3])
def test_lbfgs_goes_on_in_the_other_library(source: str, begins_here: bool, torch: Any) -> None:
    first, second = (lg, torch) if begins_here else (torch, lg)
    begun, whole, rest = Fit(first, source), Fit(second, source), Fit(second, source)
    for _ in range(2):
        begun.step()
        whole.step()
    with first.no_grad():
        values = [second.tensor(parameter.detach().numpy().copy()) for parameter in begun.parameters]
    with second.no_grad():
        for parameter, value in zip(rest.parameters, values, strict=True):
            parameter.copy_(value)
    rest.optimizer.load_state_dict(converted(begun.optimizer.state_dict(), first, second))
    for _ in range(3):
        assert_close(rest.step(), whole.step(), numbers=1e-9, floor=0.0)


@pytest.mark.host_memory("what numpy computes at once")
@pytest.mark.parametrize("dtype", [lg.float32, lg.float64])
def test_a_growing_history_of_lbfgs_records_no_longer_programs(dtype: lg.dtype) -> None:
    parameter = nn.Parameter(lg.arange(1.0, 5.0, dtype=dtype))
    optimizer = optim.LBFGS([parameter], lr=0.01, max_iter=4, tolerance_grad=0.0, tolerance_change=0.0)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (parameter**2 + parameter**4).sum()
        loss.backward()
        return loss

    counts = []
    for _ in range(6):
        before = next_serial()
        optimizer.step(closure)
        counts.append(next_serial() - before)
    kept = optimizer.state[parameter]["old_dirs"]
    assert len(kept) == 23
    assert counts[-1] - counts[2] <= 4 * 12  # four directions, of twelve pairs more each, whose shares are tensors


def test_lbfgs_ends_at_the_minimum() -> None:
    parameter = nn.Parameter(lg.zeros(2))
    optimizer = optim.LBFGS([parameter])

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (parameter**2).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 0.0
    assert optimizer.state[parameter] == {"func_evals": 1, "n_iter": 0}


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 5)])
@pytest.mark.parametrize(
    "source",
    [
        "Muon(p)",
        "Muon(p, lr=0.1, momentum=0.5, nesterov=False, weight_decay=0.0, adjust_lr_fn='match_rms_adamw')",
        "Muon(p, lr=0.1, ns_steps=3, ns_coefficients=(2.0, -1.5, 0.5), eps=1e-3, adjust_lr_fn='original')",
    ],
)
def test_muon(source: str, shape: tuple[int, int], torch: Any) -> None:
    start, target = np.random.default_rng(shape).standard_normal((2, *shape)).astype("float32")
    seen = []
    for framework in (lg, torch):
        parameter = framework.nn.Parameter(framework.tensor(start))
        optimizer = eval(f"o.{source}", {"o": framework.optim, "p": [parameter]})
        steps = []
        for _ in range(20):
            optimizer.zero_grad()
            ((parameter - framework.tensor(target)) ** 2).sum().backward()
            optimizer.step()
            steps.append(parameter.detach().clone())
        seen.append(steps)
        assert list(optimizer.state_dict()["state"][0]) == ["momentum_buffer"]
    assert_close(*seen)


def sparse_training(framework: Any, source: str, steps: range, state: Any = None, start: Any = None) -> Any:
    """An embedding's rows, of which each step uses a few, some of them twice."""
    start = np.arange(12, dtype="float32").reshape(6, 2) if start is None else start
    parameter = framework.nn.Parameter(framework.tensor(start))
    optimizer = eval(f"o.{source}", {"o": framework.optim, "p": [parameter]})
    if state is not None:
        optimizer.load_state_dict(state)
    for number in steps:
        places = [[number % 6, (number * 5 + 1) % 6, number % 6]]
        values = np.cos(np.arange(6, dtype="float32") + number).reshape(3, 2)
        gradient = framework.sparse_coo_tensor(places, framework.tensor(values), (6, 2))
        parameter.grad = gradient
        optimizer.step()
    return parameter, optimizer


SPARSE = [
    "SparseAdam(p)",
    "SparseAdam(p, lr=0.1, betas=(0.5, 0.9), eps=1e-3, maximize=True)",
    "Adagrad(p)",
    "Adagrad(p, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.1, maximize=True)",
]


@pytest.mark.parametrize("source", SPARSE)
def test_sparse_gradients(source: str, torch: Any) -> None:
    have, optimizer = sparse_training(lg, source, range(20))
    want, expected = sparse_training(torch, source, range(20))
    assert_close(have, want)
    states = [each.state_dict()["state"][0] for each in (optimizer, expected)]
    assert {name: type(value) is int for name, value in states[0].items()} == {
        name: type(value) is int for name, value in states[1].items()
    }
    begun, optimizer = sparse_training(torch, source, range(8))
    state = converted(optimizer.state_dict(), torch, lg)
    rest, _ = sparse_training(lg, source, range(8, 20), state, begun.detach().numpy())
    assert_close(rest, want)


@pytest.mark.parametrize("source", ["SparseAdam(p, lr=0.1)", "Adagrad(p, lr=0.1)"])
def test_sparse_gradients_of_embeddings(source: str, torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        framework.manual_seed(0)
        table = framework.nn.Embedding(6, 3, sparse=True)
        optimizer = eval(f"o.{source}", {"o": framework.optim, "p": table.parameters()})
        for number in range(6):
            optimizer.zero_grad()
            (table(framework.tensor([1, number, 1])) ** 2).sum().backward()
            optimizer.step()
        seen.append(table.weight)
    assert_close(*seen)


def test_a_sparse_gradient_without_places_changes_nothing() -> None:
    parameter = nn.Parameter(lg.ones(3))
    optimizer = optim.SparseAdam([parameter])
    parameter.grad = lg.sparse_coo_tensor(lg.zeros(1, 0, dtype=lg.int64), lg.zeros(0), (3,))
    optimizer.step()
    assert parameter.tolist() == [1.0] * 3


ERRORS = [
    "Adagrad(p, lr=-1.0)",
    "Adagrad(p, lr_decay=-1.0)",
    "Adagrad(p, weight_decay=-1)",
    "Adagrad(p, initial_accumulator_value=-1)",
    "Adagrad(p, eps=-1)",
    "Adagrad(p, foreach=True, fused=True)",
    "RMSprop(p, lr=t.ones(2))",
    "RMSprop(p, alpha=-1)",
    "RMSprop(p, momentum=-1)",
    "Adadelta(p, rho=1.1)",
    "Adamax(p, betas=(1.0, 0.5))",
    "NAdam(p, betas=(0.5, -1.0))",
    "NAdam(p, momentum_decay=-0.1)",
    "RAdam(p, eps=-1.0)",
    "Rprop(p, etas=(1.1, 1.2))",
    "ASGD(p, weight_decay=-1)",
    "Adafactor(p, lr=-1)",
    "Adafactor(p, beta2_decay=0.5)",
    "Adafactor(p, eps=(-1, 0.1))",
    "Adafactor(p, eps=(None, -1))",
    "Adafactor(p, d=0.5)",
    "Adafactor(p, weight_decay=-1)",
    "Adafactor(c).step()",
    "Muon(p, lr=-1)",
    "Muon(p, momentum=-1)",
    "Muon(p, weight_decay=-1)",
    "Muon(p, adjust_lr_fn='other')",
    "Muon(v)",
    "Muon(c).step()",
    "Muon(p, ns_steps=100).step()",
    "SparseAdam(p, lr=0)",
    "SparseAdam(p, eps=0)",
    "SparseAdam(c)",
    "SparseAdam(p).step()",
    "SparseAdam([s])",
    "LBFGS(p, lr=-1)",
    "LBFGS([{'params': p}, {'params': v}])",
    "LBFGS(p, line_search_fn='other').step(lambda: (p[0] ** 2).sum())",
    "Adadelta([e]).step()",
    "Adamax([e]).step()",
    "RMSprop([e]).step()",
    "Adagrad([e], weight_decay=0.1).step()",
]


@pytest.mark.parametrize("source", ERRORS)
def test_errors_are_torchs(source: str, torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        parameters = {
            name: framework.nn.Parameter(framework.ones(shape, dtype=dtype))
            for name, shape, dtype in (
                ("p", (2, 2), framework.float32),
                ("v", (2,), framework.float32),
                ("c", (2, 2), framework.complex64),
                ("e", (2,), framework.float32),
            )
        }
        for parameter in parameters.values():
            parameter.grad = framework.ones_like(parameter)
        parameters["e"].grad = framework.ones(2).to_sparse()
        names = {name: [parameter] for name, parameter in parameters.items()}
        names |= {"e": parameters["e"], "t": framework, "s": framework.ones(2).to_sparse()}
        with pytest.raises(Exception) as caught:
            eval(f"o.{source}", {"o": framework.optim}, names)
        seen.append((caught.type, str(caught.value)[:60]))
    assert seen[0] == seen[1]


def test_shapes_of_adafactor() -> None:
    shapes = [(), (0,), (3,), (2, 3), (4, 2, 3), (2, 1, 3, 2)]
    parameters = [nn.Parameter(lg.ones(shape)) for shape in shapes]
    optimizer = optim.Adafactor(parameters)
    sum((parameter**2).sum() for parameter in parameters).backward()
    optimizer.step()
    state = optimizer.state[parameters[4]]
    assert (state["row_var"].shape, state["col_var"].shape) == ((4, 2, 1), (4, 1, 3))
    assert outcome_of(parameters[2]) is not None


def _described(value: Any) -> Any:
    """What a state holds, without its numbers, and in its order; PyTorch's step of LBFGS is a tensor at times."""
    if isinstance(value, dict):
        return [(name, _described(item)) for name, item in value.items()]
    if isinstance(value, list):
        return [_described(item) for item in value]
    shape = () if isinstance(value, float) else getattr(value, "shape", None)
    return type(value).__name__ if shape is None else tuple(shape)


_KEEPING: list[tuple[str, dict[str, Any]]] = [
    ("LBFGS", {"max_iter": 1}),
    ("LBFGS", {"max_iter": 3, "history_size": 4}),
    ("LBFGS", {"max_iter": 3, "line_search_fn": "strong_wolfe"}),
    ("SGD", {}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
    ("SGD", {"weight_decay": 0.1, "maximize": True}),
    ("Adam", {"amsgrad": True}),
    ("AdamW", {}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("Adamax", {}),
    ("Adadelta", {}),
    ("Adagrad", {}),
    ("ASGD", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True}),
    ("Rprop", {}),
    ("Adafactor", {}),
    ("Muon", {}),
]


@pytest.mark.parametrize(("name", "options"), _KEEPING, ids=lambda value: str(value))
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_states_have_pytorchs_keys_in_its_order(name: str, options: dict[str, Any], steps: int, torch: Any) -> None:
    """So that files of both compare equal, and either goes on from the other's state with the same numbers."""

    def begun(t: Any) -> tuple[Any, Any]:
        parameter = t.nn.Parameter(t.tensor([[1.0, -2.0], [3.0, 0.5]]))
        return parameter, getattr(t.optim, name)([parameter], lr=0.05, **options)

    def go_on(t: Any, parameter: Any, optimizer: Any, count: int) -> None:
        def closure() -> Any:
            optimizer.zero_grad()
            loss = (parameter**2 * t.tensor([1.0, 3.0])).sum() + (parameter**4).sum() * 0.1
            loss.backward()
            return loss

        for _ in range(count):
            optimizer.step(closure)

    ours, theirs = begun(lg), begun(torch)
    go_on(lg, *ours, steps)
    go_on(torch, *theirs, steps)
    assert _described(ours[1].state_dict()) == _described(theirs[1].state_dict())
    parameter, optimizer = begun(lg)
    parameter.data.copy_(lg.tensor(theirs[0].tolist()))
    optimizer.load_state_dict(converted(theirs[1].state_dict(), torch, lg))
    go_on(lg, parameter, optimizer, 2)
    go_on(torch, *theirs, 2)
    assert _described(optimizer.state_dict()) == _described(theirs[1].state_dict())
    np.testing.assert_allclose(parameter.tolist(), theirs[0].tolist(), rtol=1e-4)
