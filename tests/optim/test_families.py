"""Twenty steps of every optimizer, compared with PyTorch's, and training that goes on in the other library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_equal, outcome_of

from .table import OPTIMIZERS, REAL_ONLY

STEPS = 20
SHAPES = ((4, 3), (5,))
_draws = np.random.default_rng(0)
STARTS = [_draws.standard_normal(shape).astype("float32") for shape in SHAPES]
TARGETS = [[_draws.standard_normal(shape).astype("float32") for shape in SHAPES] for _ in range(STEPS)]


class Training:
    """Two parameters that follow targets which differ from step to step."""

    def __init__(self, source: str, framework: Any, is_complex: bool = False, starts: Any = None) -> None:
        self.framework, self.is_complex = framework, is_complex
        starts = [start + 1j * start[::-1] if is_complex else start for start in STARTS] if starts is None else starts
        self.parameters = [framework.nn.Parameter(framework.tensor(start)) for start in starts]
        names = {"o": framework.optim, "p": self.parameters, "t": framework}
        self.optimizer = eval(f"o.{source}", names)

    def step(self, number: int) -> None:
        self.optimizer.zero_grad()
        if number == 15:
            self.optimizer.param_groups[0]["lr"] = 0.03
        loss = 0
        for parameter, target in zip(self.parameters, TARGETS[number], strict=True):
            distance = parameter - self.framework.tensor(target)
            loss = loss + ((distance.abs() if self.is_complex else distance) ** 2).sum()
        loss.backward()
        self.optimizer.step()

    def outcome(self) -> Any:
        state = self.optimizer.state_dict()["state"]
        return outcome_of((self.parameters, {key: dict(sorted(state[key].items())) for key in sorted(state)}))


CASES = [(source, False) for source in OPTIMIZERS] + [
    (source, True) for source in OPTIMIZERS if source not in REAL_ONLY
]


@pytest.mark.parametrize(("source", "is_complex"), CASES)
def test_every_step_is_torchs(source: str, is_complex: bool, torch: Any) -> None:
    have, want = Training(source, lg, is_complex), Training(source, torch, is_complex)
    for number in range(STEPS):
        have.step(number)
        want.step(number)
        assert_equal(want.outcome(), have.outcome(), slack=1.0)


def converted(value: Any, source: Any, target: Any) -> Any:
    """A state dictionary with the tensors of another framework."""
    if isinstance(value, source.Tensor):
        return target.tensor(value.detach().numpy())
    if isinstance(value, dict):
        return {name: converted(each, source, target) for name, each in value.items()}
    return [converted(each, source, target) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("source", OPTIMIZERS)
@pytest.mark.parametrize("begins_here", [True, False], ids=["to torch", "from torch"])
def test_training_goes_on_in_the_other_library(source: str, begins_here: bool, torch: Any) -> None:
    first, second = (lg, torch) if begins_here else (torch, lg)
    begun, whole = Training(source, first), Training(source, second)
    for number in range(7):
        begun.step(number)
        whole.step(number)
    rest = Training(source, second, starts=[parameter.detach().numpy() for parameter in begun.parameters])
    rest.optimizer.load_state_dict(converted(begun.optimizer.state_dict(), first, second))
    for number in range(7, STEPS):
        rest.step(number)
        whole.step(number)
    assert_equal(whole.outcome(), rest.outcome(), slack=3.0)


@pytest.mark.parametrize("source", OPTIMIZERS)
def test_representation_and_groups(source: str, torch: Any) -> None:
    have, want = Training(source, lg), Training(source, torch)
    have.step(0)
    want.step(0)
    if "t.tensor" not in source:
        assert repr(have.optimizer) == repr(want.optimizer)
        assert have.optimizer.defaults == want.optimizer.defaults
        assert have.optimizer.state_dict()["param_groups"] == want.optimizer.state_dict()["param_groups"]
    states = [training.optimizer.state_dict()["state"] for training in (have, want)]
    kinds = [{key: {name: _kind(value) for name, value in state.items()} for key, state in s.items()} for s in states]
    assert kinds[0] == kinds[1]


def _kind(value: Any) -> Any:
    return (tuple(value.shape), str(value.dtype).partition(".")[2]) if hasattr(value, "shape") else type(value)


@pytest.mark.parametrize(
    "source", ["Adam(p, maximize=True)", "RMSprop(p, momentum=0.5)", "SGD(p, momentum=0.5)", "Rprop(p)"]
)
def test_files_that_lack_later_options_load(source: str, torch: Any) -> None:
    have, want = Training(source, lg), Training(source, torch)
    for training in (have, want):
        training.step(0)
        state = training.optimizer.state_dict()
        for name in ("maximize", "foreach", "capturable", "differentiable", "centered", "amsgrad", "nesterov"):
            state["param_groups"][0].pop(name, None)
        training.optimizer.load_state_dict(state)
        training.step(1)
    assert_equal(want.outcome(), have.outcome(), slack=1.0)
    assert repr(have.optimizer) == repr(want.optimizer)
