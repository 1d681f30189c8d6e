"""Steps that are not recorded do what recorded ones do, whatever happened to parameters and state since the last."""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.node import next_serial
from lazygrad.optim._direct_step import DirectStep
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from tests.oracle.comparing import assert_equal, outcome_of

OPTIMIZERS = [
    "SGD(p, lr=0.1)",
    "SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)",
    "Adam(p, lr=0.1)",
    "NAdam(p, lr=0.1)",
    "ASGD(p, lr=0.1, t0=2)",
    "Adafactor(p, lr=0.1)",
]
STEPS = 7
PROGRAMS = int(os.environ.get("LAZYGRAD_FUZZ_PROGRAMS", "60"))
SEED = int(os.environ.get("LAZYGRAD_FUZZ_SEED", "0"))
DRAWN = np.random.default_rng(0).standard_normal((STEPS + 1, 2, 3, 4)).astype("float32")


@pytest.fixture(autouse=True)
def planned_at_once() -> Iterator[None]:
    """A step that was interpreted leaves no plan to run again."""
    outer = get_interpreted_runs()
    set_interpreted_runs(0)
    yield
    set_interpreted_runs(outer)


class Training:
    """Two parameters and their optimizer; ``seen`` is what the program looked at."""

    def __init__(self, framework: Any, source: str) -> None:
        self.framework, self.seen = framework, []
        self.p = [framework.tensor(start).requires_grad_() for start in DRAWN[-1]]
        self.optimizer = eval(f"o.{source}", {"o": framework.optim, "p": self.p})
        self.number = 0

    def set_gradients(self) -> None:
        for parameter, gradient in zip(self.p, DRAWN[self.number], strict=True):
            parameter.grad = self.framework.tensor(gradient)

    def state(self) -> Any:
        return self.optimizer.state[self.p[0]]

    def kept(self) -> Any:
        return next(
            value for value in self.state().values() if isinstance(value, self.framework.Tensor) and value.dim()
        )


def nothing(t: Training) -> None: ...


def pending_reader(t: Training) -> None:
    t.seen.append(t.p[0].detach() * 2)


def kept_alias(t: Training) -> None:
    t.seen.append(t.p[0].detach().clone())
    t.alias = t.p[0].detach()
    t.seen.append(t.alias.sum())


def view(t: Training) -> None:
    t.view = t.p[0].detach()[1:, 2]
    t.seen.append(t.view + 1)


def array(t: Training) -> None:
    t.array = t.p[0].detach().numpy()
    t.seen.append(t.framework.tensor(t.array.copy()))


def array_of_state(t: Training) -> None:
    if any(isinstance(value, t.framework.Tensor) and value.dim() for value in t.state().values()):
        t.array = t.kept().numpy()


def clamped(t: Training) -> None:
    t.p[0].data.clamp_(-0.5, 0.5)


def written_in_place(t: Training) -> None:
    with t.framework.no_grad():
        t.p[1].mul_(0.5)
        t.p[0][0] = 1.0


def averaged(t: Training) -> None:
    with t.framework.no_grad():
        if not hasattr(t, "ema"):
            t.ema = [parameter.clone() for parameter in t.p]
        for average, parameter in zip(t.ema, t.p, strict=True):
            average.mul_(0.9).add_(parameter, alpha=0.1)
    t.seen.append(t.ema[0].clone())


def gradient_missing(t: Training) -> None:
    if t.number % 3 == 1:
        t.p[t.number % 2].grad = None


def gradient_is_parameter(t: Training) -> None:
    t.p[0].grad = t.p[0].detach() if t.number % 2 else t.p[1].detach()


def gradients_shared(t: Training) -> None:
    t.p[0].grad = t.p[1].grad


def gradients_shared_for_some_time(t: Training) -> None:
    if t.number < 4:
        t.p[0].grad = t.p[1].grad


def contents_shared_at_first(t: Training) -> None:
    if not t.number:
        start = t.framework.zeros(3, 4) + 1
        t.p[0].data, t.p[1].data = start.clone(), start.clone()


def begun_with_numbers(t: Training) -> None:
    if not t.number:
        t.p = [t.framework.ones(3, 4, requires_grad=True), t.framework.full((3, 4), 2.0).requires_grad_()]
        t.optimizer = type(t.optimizer)(t.p, lr=0.1)
        t.set_gradients()


def gradients_are_numbers(t: Training) -> None:
    t.optimizer.zero_grad()
    (t.p[0] + t.p[1] * (1 + t.number)).sum().backward()


def gradient_pending(t: Training) -> None:
    t.optimizer.zero_grad()
    (t.p[0] * t.p[1]).square().mean().backward()


def history_kept(t: Training) -> None:
    t.optimizer.zero_grad()
    t.loss = (t.p[0] * t.p[1]).square().mean()
    t.loss.backward(retain_graph=True)


def gradients_kept(t: Training) -> None:
    t.optimizer.zero_grad(set_to_none=False)
    (t.p[0] + t.p[1]).square().mean().backward()
    t.framework.nn.utils.clip_grad_norm_(t.p, 0.1)


def numbers_scheduled(t: Training) -> None:
    group = t.optimizer.param_groups[0]
    group["lr"] = 0.1 / (1 + t.number)
    if "betas" in group:
        group["betas"] = (0.9 - 0.1 * t.number, 0.99)
    if group.get("momentum"):
        group["momentum"] = 0.9 - 0.1 * t.number


def options_changed(t: Training) -> None:
    group = t.optimizer.param_groups[0]
    if "eps" in group and not isinstance(group["eps"], tuple):
        group["eps"] = 10.0**-t.number
    group["maximize"] = t.number % 3 == 2
    group["weight_decay"] = 0.1 * (t.number % 2)


def groups_replaced(t: Training) -> None:
    if t.number == 4:
        t.optimizer.param_groups = [{**group, "lr": 0.3} for group in t.optimizer.param_groups]


def loaded(t: Training) -> None:
    if t.number % 3 == 2:
        t.optimizer.load_state_dict(copy.deepcopy(t.optimizer.state_dict()))


def state_replaced(t: Training) -> None:
    for name, value in t.state().items():
        if t.number % 3 == 2 and isinstance(value, t.framework.Tensor) and value.dim():
            t.state()[name] = value * 0.5


def state_forgotten(t: Training) -> None:
    if t.number == 4:
        t.optimizer.state.clear()


def parameter_added(t: Training) -> None:
    if t.number >= 4 and not hasattr(t, "p_added"):
        added = t.framework.ones(2).requires_grad_()
        t.p_added = added
        t.optimizer.add_param_group({"params": [added], "lr": 0.5})
    if hasattr(t, "p_added"):
        t.p_added.grad = t.framework.ones(2)
        t.seen.append(t.p_added.detach().clone())


def data_replaced(t: Training) -> None:
    if t.number % 3 == 2:
        t.p[0].data = t.p[0].detach() * 0.5


def frozen(t: Training) -> None:
    t.p[0].requires_grad_(t.number % 3 != 1)


def under_no_grad(t: Training) -> None:
    if t.number % 2:
        with t.framework.no_grad():
            t.optimizer.step()


def copied(t: Training) -> None:
    other = copy.deepcopy(t.p[0])
    t.seen.append(other.detach())


EVENTS = [
    nothing, pending_reader, kept_alias, view, clamped, written_in_place, averaged, gradient_missing,
    gradient_is_parameter, gradients_shared, gradients_shared_for_some_time, contents_shared_at_first,
    begun_with_numbers, gradients_are_numbers, gradient_pending, history_kept, gradients_kept, numbers_scheduled,
    options_changed, groups_replaced, loaded, state_replaced, state_forgotten, parameter_added, data_replaced, frozen,
    under_no_grad, copied,
]  # fmt: skip
# Not with others: a frozen parameter, whose gradient they ask for; a gradient that torch changes before it reads it;
# and clipping, which scales a gradient that two parameters share once, where torch does so twice.
ANY_TIME = [event for event in EVENTS if event not in (frozen, gradient_is_parameter, gradients_kept)]
SEEN_OUTSIDE = [
    pytest.param(event, marks=pytest.mark.host_memory("numpy sees the memory")) for event in (array, array_of_state)
]


Event = Callable[[Training], None]


def trained(framework: Any, source: str, events: Sequence[Sequence[Event]]) -> list[Any]:
    """What can be seen after each step, with some events before each."""
    training = Training(framework, source)
    seen = []
    for number, before in enumerate(events):
        training.number = number
        training.set_gradients()
        for event in before:
            event(training)
        training.optimizer.step()
        alias = getattr(training, "alias", None)
        array = getattr(training, "array", None)
        # What was read keeps nothing: a pending copy would have the next step recorded.
        seen.append([framework.tensor(p.detach().tolist()) for p in training.p])
        seen.append([framework.tensor(x.tolist()) for x in (alias, getattr(training, "view", None)) if x is not None])
        seen.append([framework.tensor(array.copy())] if array is not None else [])
        seen.append([p._version for p in training.p])
    return [*seen, training.seen]


@pytest.mark.parametrize("source", OPTIMIZERS)
@pytest.mark.parametrize("event", [*EVENTS, *SEEN_OUTSIDE], ids=lambda event: event.__name__)
def test_steps_are_torchs(event: Event, source: str, torch: Any) -> None:
    require_torchs_results(torch, source, [[event]] * STEPS)


def require_torchs_results(torch: Any, source: str, events: Sequence[Sequence[Event]]) -> None:
    have, want = trained(lg, source, events), trained(torch, source, events)
    for values, expected in zip(have, want, strict=True):
        if values and isinstance(values[0], int):
            continue  # how often torch's kernels write is their own
        assert_equal(outcome_of(expected), outcome_of(values), slack=0.5)


def test_events_in_any_order_between_steps(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most steps have nothing before them, so that direct ones lie between the events."""
    direct = []
    monkeypatch.setattr(DirectStep, "run", _counted(DirectStep.run, direct))
    draws = random.Random(SEED)
    for _ in range(PROGRAMS):
        source = draws.choice(OPTIMIZERS)
        events = [draws.choices(ANY_TIME, k=draws.choice((0, 0, 1, 2))) for _ in range(STEPS)]
        note = f"{source}: {[[event.__name__ for event in some] for some in events]}"
        try:
            require_torchs_results(torch, source, events)
        except AssertionError as error:
            raise AssertionError(note) from error
    assert sum(direct) > PROGRAMS


def _counted(run: Callable[..., bool], direct: list[bool]) -> Callable[..., bool]:
    def counted(*arguments: Any) -> bool:
        direct.append(run(*arguments))
        return direct[-1]

    return counted


def nodes_of_step(training: Training) -> int:
    before = next_serial()
    training.optimizer.step()
    return next_serial() - before - 1


@pytest.mark.parametrize(
    "source",
    [
        *OPTIMIZERS,
        "RMSprop(p)",
        "Adagrad(p)",
        "Adadelta(p)",
        "Adamax(p)",
        "RAdam(p)",
        "Rprop(p)",
        "AdamW(p)",
        "Muon(p)",
    ],
)
def test_later_steps_record_nothing(source: str) -> None:
    training = Training(lg, source)
    training.set_gradients()
    for _ in range(3):
        training.optimizer.step()
    for event in (nothing, numbers_scheduled, clamped):
        event(training)
        lg.realize_all(training.p)
        assert nodes_of_step(training) == 0


@pytest.mark.parametrize("source", OPTIMIZERS)
def test_who_refers_to_old_contents_keeps_them(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    training = Training(lg, source)
    training.set_gradients()
    for _ in range(3):
        training.optimizer.step()
    direct: list[bool] = []
    monkeypatch.setattr(DirectStep, "run", _counted(DirectStep.run, direct))
    for _ in range(3):
        before = lg.stack(training.p).detach().numpy()
        pending = lg.stack(training.p).detach() * 1
        training.optimizer.step()
        assert_equal(outcome_of(before), outcome_of(pending.numpy()))
        assert (lg.stack(training.p).detach().numpy() != before).all()
    assert direct == [True] * 3


def test_a_value_that_a_gradient_needs_is_known_to_be_written() -> None:
    training = Training(lg, "Adam(p)")
    training.set_gradients()
    for _ in range(3):
        training.optimizer.step()
    loss = (training.p[0] * training.p[1]).sum()
    loss.item()
    training.optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_versions_count_steps() -> None:
    training = Training(lg, "Adam(p)")
    training.set_gradients()
    before = training.p[0]._version
    for _ in range(4):
        training.optimizer.step()
    assert training.p[0]._version == before + 4


def test_a_step_that_fails_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    training = Training(lg, "Adam(p)")
    training.set_gradients()
    for _ in range(3):
        training.optimizer.step()
    before = [parameter.tolist() for parameter in training.p]

    def fail(*_: Any) -> None:
        raise ValueError("refused")

    with monkeypatch.context() as patched, pytest.raises(ValueError, match="refused"):
        patched.setattr(Plan, "run", fail)
        training.optimizer.step()
    assert [parameter.tolist() for parameter in training.p] == before
    assert training.state()["step"] == 3
    training.optimizer.step()
    assert training.state()["step"] == 4


def test_the_memory_of_state_stays_where_it_is() -> None:
    training = Training(lg, "Adam(p)")
    training.set_gradients()
    for _ in range(3):
        training.optimizer.step()
    place = training.kept().node().value.address
    training.optimizer.step()
    assert training.kept().node().value.address == place
