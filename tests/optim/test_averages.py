"""Averaged models and their schedule, compared with PyTorch's."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_close

AVERAGES = {
    "equal weights": "s.AveragedModel(m)",
    "exponential": "s.AveragedModel(m, multi_avg_fn=s.get_ema_multi_avg_fn(0.7))",
    "exponential, one by one": "s.AveragedModel(m, avg_fn=s.get_ema_avg_fn(0.7))",
    "equal, one by one": "s.AveragedModel(m, avg_fn=s.get_swa_avg_fn())",
    "with buffers": "s.AveragedModel(m, avg_fn=s.get_swa_avg_fn(), use_buffers=True)",
    "exponential, with buffers": "s.AveragedModel(m, multi_avg_fn=s.get_ema_multi_avg_fn(0.9), use_buffers=True)",
}


def averaged(framework: Any, source: str) -> tuple[Any, Any]:
    framework.manual_seed(0)
    model = framework.nn.Sequential(framework.nn.Linear(3, 4), framework.nn.BatchNorm1d(4), framework.nn.Linear(4, 1))
    average = eval(source, {"s": import_swa(framework), "m": model})
    optimizer = framework.optim.SGD(model.parameters(), lr=0.1)
    batches = [framework.rand(6, 3) for _ in range(5)]
    for batch in batches:
        optimizer.zero_grad()
        (model(batch) ** 2).mean().backward()
        optimizer.step()
        average.update_parameters(model)
    before = {name: value.clone() for name, value in average.state_dict().items()}
    import_swa(framework).update_bn([(batch,) for batch in batches], average)
    return before, average


def import_swa(framework: Any) -> Any:
    return framework.optim.swa_utils


@pytest.mark.parametrize("name", AVERAGES)
def test_averages_are_torchs(name: str, torch: Any) -> None:
    before, average = averaged(lg, AVERAGES[name])
    expected, other = averaged(torch, AVERAGES[name])
    assert_close(before, expected, slack=3.0)
    assert_close(average.state_dict(), other.state_dict(), slack=3.0)
    assert average.training == other.training
    assert [norm.momentum for norm in average.modules() if isinstance(norm, nn.BatchNorm1d)] == [0.1]
    assert_close(average.eval()(lg.ones(2, 3)), other.eval()(torch.ones(2, 3)), slack=3.0)


def test_wrong_arguments() -> None:
    swa = lg.optim.swa_utils
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        swa.AveragedModel(nn.Linear(1, 1), avg_fn=swa.get_swa_avg_fn(), multi_avg_fn=swa.get_swa_multi_avg_fn())
    for make in (swa.get_ema_avg_fn, swa.get_ema_multi_avg_fn):
        with pytest.raises(ValueError, match=r"Invalid decay value 1\.5 provided"):
            make(1.5)
    optimizer = lg.optim.SGD([nn.Parameter(lg.ones(1))])
    for options, message in (({"anneal_strategy": "log"}, "anneal_strategy"), ({"anneal_epochs": -1}, "anneal_epochs")):
        with pytest.raises(ValueError, match=message):
            swa.SWALR(optimizer, 0.1, **options)


@pytest.mark.parametrize(
    "options", [{}, {"anneal_epochs": 5, "anneal_strategy": "linear"}, {"anneal_epochs": 0}, {"anneal_epochs": 60}]
)
def test_rates_are_torchs(options: dict[str, Any], torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        parameters = [framework.nn.Parameter(framework.ones(1)) for _ in range(2)]
        optimizer = framework.optim.SGD([{"params": parameters[0]}, {"params": parameters[1], "lr": 0.5}], lr=0.2)
        schedule = framework.optim.swa_utils.SWALR(optimizer, [0.01, 0.05], **options)
        rates = [schedule.get_last_lr()]
        for number in range(40):
            optimizer.step()
            if number == 13:
                state = copy.deepcopy(schedule.state_dict())
                schedule = framework.optim.swa_utils.SWALR(optimizer, [0.01, 0.05])
                schedule.load_state_dict(state)
                optimizer.param_groups[0]["lr"], optimizer.param_groups[1]["lr"] = rates[-1]
            schedule.step()
            rates.append(schedule.get_last_lr())
        seen.append((rates, set(schedule.state_dict())))
    assert_close(*seen, numbers=1e-12, floor=0.0)
    assert all(math.isfinite(rate) for rates in seen[0][0] for rate in rates)
