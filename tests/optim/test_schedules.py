"""The rates of every schedule over many steps, compared with PyTorch's, and its state in the middle."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.runtime.realize import cache
from tests.oracle.comparing import assert_close

# `o` is the optimizer, `s` the module of schedules.
SCHEDULES = {
    "LambdaLR": "s.LambdaLR(o, lambda step: 0.95**step)",
    "LambdaLR, two": "s.LambdaLR(o, [lambda step: 0.95**step, lambda step: 1 / (1 + step)])",
    "LambdaLR, an object": "s.LambdaLR(o, Slower(0.9))",
    "MultiplicativeLR": "s.MultiplicativeLR(o, lambda step: 0.97)",
    "StepLR": "s.StepLR(o, 7, gamma=0.5)",
    "MultiStepLR": "s.MultiStepLR(o, [5, 12, 12, 40], gamma=0.3)",
    "ConstantLR": "s.ConstantLR(o, factor=0.25, total_iters=9)",
    "LinearLR": "s.LinearLR(o, start_factor=0.2, end_factor=0.7, total_iters=11)",
    "ExponentialLR": "s.ExponentialLR(o, 0.93)",
    "PolynomialLR": "s.PolynomialLR(o, total_iters=13, power=2.0)",
    "CosineAnnealingLR": "s.CosineAnnealingLR(o, T_max=9, eta_min=1e-3)",
    "CosineAnnealingWarmRestarts": "s.CosineAnnealingWarmRestarts(o, T_0=5, T_mult=2, eta_min=1e-3)",
    "CosineAnnealingWarmRestarts, equal": "s.CosineAnnealingWarmRestarts(o, T_0=6)",
    "CyclicLR": "s.CyclicLR(o, 1e-3, 0.1, step_size_up=4, step_size_down=7)",
    "CyclicLR, triangular2": "s.CyclicLR(o, [1e-3, 1e-2], [0.1, 0.2], step_size_up=4, mode='triangular2')",
    "CyclicLR, exp_range": "s.CyclicLR(o, 1e-3, 0.1, step_size_up=4, mode='exp_range', gamma=0.9)",
    "CyclicLR, a function": "s.CyclicLR(o, 1e-3, 0.1, step_size_up=4, scale_fn=lambda x: 1 / (5 * x))",
    "OneCycleLR": "s.OneCycleLR(o, max_lr=0.1, total_steps=64)",
    "OneCycleLR, linear": "s.OneCycleLR(o, [0.1, 0.2], None, 8, 8, anneal_strategy='linear', pct_start=0.4)",
    "OneCycleLR, three": "s.OneCycleLR(o, max_lr=0.1, total_steps=64, three_phase=True, cycle_momentum=False)",
    "ChainedScheduler": "s.ChainedScheduler([s.ConstantLR(o, 0.1, total_iters=6), s.ExponentialLR(o, 0.9)])",
    "SequentialLR": "s.SequentialLR(o, [s.LinearLR(o), s.CosineAnnealingLR(o, 20), s.StepLR(o, 5)], [8, 28])",
    "ReduceLROnPlateau": "s.ReduceLROnPlateau(o, patience=3, cooldown=2, min_lr=1e-3, factor=0.5)",
    "ReduceLROnPlateau, max": "s.ReduceLROnPlateau(o, 'max', 0.5, patience=2, threshold=0.1, threshold_mode='abs')",
}
OPTIMIZERS = {"SGD": "SGD(groups, lr=0.05, momentum=0.9)", "Adam": "Adam(groups, lr=0.05)"}


class Slower:
    """A function that is an object, with something to save."""

    def __init__(self, base: float) -> None:
        self.base = base

    def __call__(self, step: int) -> float:
        return self.base**step


class Schedule:
    """A schedule of an optimizer of one framework, with two groups."""

    def __init__(self, framework: Any, name: str, optimizer: str, rate: Any = 0.02) -> None:
        parameters = [framework.nn.Parameter(framework.ones(2)) for _ in range(2)]
        groups = [{"params": parameters[0]}, {"params": parameters[1], "lr": rate}]
        self.optimizer = eval(f"m.{OPTIMIZERS[optimizer]}", {"m": framework.optim, "groups": groups})
        modules = {"o": self.optimizer, "s": framework.optim.lr_scheduler, "Slower": Slower}
        self.schedule = eval(SCHEDULES[name], modules)
        self.has_metric = name.startswith("Reduce")

    def step(self, number: int) -> list[Any]:
        self.optimizer.step()
        metric = abs(math.sin(number * number)) + 1 / (1 + number)
        self.schedule.step(*([metric] if self.has_metric else []))
        return self.seen()

    def seen(self) -> list[Any]:
        groups = self.optimizer.param_groups
        options = [{name: value for name, value in group.items() if name != "params"} for group in groups]
        return [self.schedule.get_last_lr(), options]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", SCHEDULES)
def test_rates_are_torchs(name: str, optimizer: str, torch: Any) -> None:
    have, want = Schedule(lg, name, optimizer), Schedule(torch, name, optimizer)
    assert have.seen() == want.seen()
    for number in range(60):
        assert have.step(number) == want.step(number), number


@pytest.mark.filterwarnings("ignore:Seems like")  # of torch's, which a copied optimizer has lost
@pytest.mark.parametrize("name", SCHEDULES)
def test_state_goes_into_the_other_library(name: str, torch: Any) -> None:
    have, want = Schedule(lg, name, "SGD"), Schedule(torch, name, "SGD")
    for number in range(17):
        have.step(number)
        want.step(number)
    for source, framework in ((have, torch), (want, lg)):
        rest = Schedule(framework, name, "SGD")
        state = copy.deepcopy(source.schedule.state_dict())
        assert state.keys() == rest.schedule.state_dict().keys()
        rest.schedule.load_state_dict(state)
        rest.optimizer.load_state_dict(copy.deepcopy(source.optimizer.state_dict()))
        whole = copy.deepcopy(source) if "lambda" not in SCHEDULES[name] else None
        seen = [rest.step(number) for number in range(17, 60)]
        if whole is not None:
            assert seen == [whole.step(number) for number in range(17, 60)]
    assert [have.step(number) for number in range(17, 60)] == [want.step(number) for number in range(17, 60)]


@pytest.mark.parametrize(
    "name", ["StepLR", "CosineAnnealingLR", "CyclicLR", "OneCycleLR", "SequentialLR", "ReduceLROnPlateau"]
)
def test_a_rate_that_is_a_tensor_stays_one(name: str, torch: Any) -> None:
    have, want = Schedule(lg, name, "SGD", lg.tensor(0.02)), Schedule(torch, name, "SGD", torch.tensor(0.02))
    tensor = have.optimizer.param_groups[1]["lr"]
    for number in range(30):
        have.step(number)
        want.step(number)
        rates = [[float(rate) for rate in each.schedule.get_last_lr()] for each in (have, want)]
        assert_close(*rates, numbers=1e-6, floor=0.0)
        assert have.optimizer.param_groups[1]["lr"] is tensor


@pytest.mark.parametrize("name", ["StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "PolynomialLR",
                                  "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "LambdaLR"])  # fmt: skip
@pytest.mark.filterwarnings("ignore:The epoch parameter", "ignore:Detected call")
def test_a_given_epoch_uses_the_closed_form(name: str, torch: Any) -> None:
    have, want = Schedule(lg, name, "SGD"), Schedule(torch, name, "SGD")
    for epoch in (3, 9, 4, 25):
        have.schedule.step(epoch)
        want.schedule.step(epoch)
        assert have.seen() == want.seen()


@pytest.mark.filterwarnings("ignore:Detected call")
def test_resuming_by_the_number_of_the_last_step(torch: Any) -> None:
    for name in (
        "ExponentialLR(o, 0.9",
        "CosineAnnealingLR(o, 9",
        "LinearLR(o",
        "StepLR(o, 3",
        "OneCycleLR(o, 0.1, 40",
    ):
        seen = []
        for framework in (lg, torch):
            group = {"params": [framework.nn.Parameter(framework.ones(1))], "initial_lr": 0.4, "max_lr": 0.4,
                     "min_lr": 0.1, "max_momentum": 0.9, "base_momentum": 0.8}  # fmt: skip
            optimizer = framework.optim.SGD([group], lr=0.2, momentum=0.5)
            optimizer.step()
            schedule = eval(f"s.{name}, last_epoch=5)", {"o": optimizer, "s": framework.optim.lr_scheduler})
            rates = [schedule.get_last_lr()]
            for _ in range(9):
                schedule.step()
                rates.append(schedule.get_last_lr())
            seen.append(rates)
        assert seen[0] == seen[1], name


@pytest.mark.parametrize("name", ["OneCycleLR", "CyclicLR"])
def test_a_schedule_plans_nothing(name: str) -> None:
    schedule = Schedule(lg, name, "Adam")
    parameters = [group["params"][0] for group in schedule.optimizer.param_groups]
    misses = 0
    for number in range(20):
        misses = cache.misses if number == 3 else misses
        schedule.optimizer.zero_grad()
        sum((parameter**2).sum() for parameter in parameters).backward()
        schedule.step(number)
    assert cache.misses == misses


@pytest.mark.parametrize("is_inside", [True, False])
def test_compiled_steps_use_the_rates(is_inside: bool) -> None:
    seen = []
    for is_compiled in (False, True):
        parameter = lg.nn.Parameter(lg.ones(3))
        optimizer = lg.optim.SGD([parameter], lr=0.1)
        schedule = lg.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)

        def step(parameter: Any, optimizer: Any, schedule: Any) -> None:
            optimizer.zero_grad()
            (parameter**2).sum().backward()
            optimizer.step()
            if is_inside:
                schedule.step()

        run = lg.compile(step) if is_compiled else step
        for _ in range(8):
            run(parameter, optimizer, schedule)
            if not is_inside:
                schedule.step()
        seen.append((parameter.tolist(), schedule.get_last_lr()))
    assert seen[0] == seen[1]


def optimizer_of(framework: Any) -> Any:
    return framework.optim.SGD([framework.nn.Parameter(framework.ones(1))], lr=0.1)


WARNINGS = {
    "before the optimizer": lambda f, o, s: s.step(),
    "an epoch": lambda f, o, s: (o.step(), s.step(3)),
    "rates outside a step": lambda f, o, s: s.get_lr(),
    "in order": lambda f, o, s: (o.step(), s.step(), s.step()),
    "a step that was replaced": lambda f, o, s: (setattr(o, "step", lambda: None), s.step()),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_warnings_are_torchs(name: str, torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        optimizer = optimizer_of(framework)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            WARNINGS[name](framework, optimizer, framework.optim.lr_scheduler.StepLR(optimizer, 5))
        seen.append([(each.category, str(each.message)[:60]) for each in caught])
        assert framework is torch or all(each.filename == __file__ for each in caught)
    assert seen[0] == seen[1]


ERRORS = [
    "s.StepLR(3, 4)",
    "s.StepLR(o, 4, last_epoch=3)",
    "s.StepLR(o, 4, verbose=True)",
    "s.LambdaLR(o, [abs, abs])",
    "s.MultiplicativeLR(o, 0.5)",
    "s.ConstantLR(o, factor=2)",
    "s.LinearLR(o, start_factor=0)",
    "s.LinearLR(o, end_factor=2)",
    "s.CosineAnnealingWarmRestarts(o, 0)",
    "s.CosineAnnealingWarmRestarts(o, 3, T_mult=0)",
    "s.CosineAnnealingWarmRestarts(o, 3, eta_min='low')",
    "s.CosineAnnealingWarmRestarts(o, 3).step(-2)",
    "s.CyclicLR(o, 0.1, 0.2, cycle_momentum=False, mode='square')",
    "s.CyclicLR(o, [0.1, 0.2], 0.2)",
    "s.CyclicLR(a, 0.1, 0.2)",
    "s.OneCycleLR(o, 0.1)",
    "s.OneCycleLR(o, 0.1, total_steps=-1)",
    "s.OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=2)",
    "s.OneCycleLR(o, 0.1, total_steps=5, pct_start=2.0)",
    "s.OneCycleLR(o, 0.1, total_steps=5, anneal_strategy='log')",
    "[x.step() for x in [s.OneCycleLR(o, 0.1, total_steps=5)] for _ in range(7)]",
    "s.ReduceLROnPlateau(o, factor=1.0)",
    "s.ReduceLROnPlateau(o, 'mean')",
    "s.ReduceLROnPlateau(o, threshold_mode='mean')",
    "s.ReduceLROnPlateau(o, min_lr=[1, 2])",
    "s.SequentialLR(o, [], [])",
    "s.SequentialLR(o, [s.StepLR(o, 3)], [3])",
    "s.SequentialLR(o, [s.StepLR(o, 3), s.ReduceLROnPlateau(o)], [3])",
    "s.SequentialLR(o, [s.StepLR(o, 3), s.StepLR(a, 3)], [3])",
    "s.ChainedScheduler([])",
    "s.ChainedScheduler([3])",
    "s.LRScheduler(o)",
]


@pytest.mark.parametrize("source", ERRORS)
@pytest.mark.filterwarnings("ignore")
def test_errors_are_torchs(source: str, torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        other = framework.optim.Adagrad([framework.nn.Parameter(framework.ones(1))])
        names = {"o": optimizer_of(framework), "a": other, "s": framework.optim.lr_scheduler}
        with pytest.raises(Exception) as caught:
            eval(source, names)
        seen.append((caught.type, str(caught.value)[:60]))
    assert seen[0] == seen[1]


def test_older_programs_derive_from_another_name() -> None:
    class Halved(lg.optim.lr_scheduler._LRScheduler):
        def get_lr(self) -> list[float]:
            return [rate / 2**self.last_epoch for rate in self.base_lrs]

    optimizer = optimizer_of(lg)
    schedule = Halved(optimizer)
    optimizer.step()
    schedule.step()
    assert schedule.get_last_lr() == [0.05]
    assert isinstance(schedule, lg.optim.lr_scheduler.LRScheduler)


def test_a_schedule_can_be_pickled() -> None:
    schedule = Schedule(lg, "CyclicLR", "SGD")
    copied = pickle.loads(pickle.dumps(schedule))
    assert [copied.step(number) for number in range(9)] == [schedule.step(number) for number in range(9)]
