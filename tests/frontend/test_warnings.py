"""Warnings name the line of the program, whatever decorators and traces lie between it and what warns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.nn import functional as F


def _closed_under_out(t: Any) -> Any:
    return t.add(t.ones(2), 1, out=t.ones(3))


CALLS: dict[str, Callable[[Any], Any]] = {
    "kl_div": lambda t: t.nn.functional.kl_div(t.ones(2, 3), t.ones(2, 3)),
    "KLDivLoss": lambda t: t.nn.KLDivLoss()(t.ones(2, 3), t.ones(2, 3)),
    "mse_loss of other sizes": lambda t: t.nn.functional.mse_loss(t.ones(2, 3), t.ones(3)),
    "size_average": lambda t: t.nn.functional.mse_loss(t.ones(2), t.ones(2), size_average=False),
    "size_average of a module": lambda t: t.nn.MSELoss(size_average=False),
    "grid_sample": lambda t: t.nn.functional.grid_sample(t.ones(1, 1, 2, 2), t.zeros(1, 2, 2, 2)),
    "upsample": lambda t: t.nn.functional.upsample(t.ones(1, 1, 2, 2), scale_factor=2),
    "out": _closed_under_out,
    "range": lambda t: t.range(0, 3),
    "mask of bytes": lambda t: t.ones(2)[t.ones(2, dtype=t.uint8)],
    "write by a mask of bytes": lambda t: t.ones(2).__setitem__(t.ones(2, dtype=t.uint8), t.ones(2)),
    "dropout2d": lambda t: t.nn.functional.dropout2d(t.ones(2, 2)),
    "scheduler before optimizer": lambda t: _stepped_early(t),
    "dropout of one layer": lambda t: t.nn.LSTM(2, 3, dropout=0.5),
    "init of nothing": lambda t: t.nn.init.kaiming_uniform_(t.empty(0, 2)),
}


def _stepped_early(t: Any) -> None:
    optimizer = t.optim.SGD([t.ones(1, requires_grad=True)], lr=0.1)
    scheduler = t.optim.lr_scheduler.StepLR(optimizer, 1)
    scheduler.step()


def heard(call: Callable[[Any], Any], framework: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(framework)
    return found


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_names_the_line_of_the_program(name: str, torch: Any) -> None:
    ours, theirs = heard(CALLS[name], lg), heard(CALLS[name], torch)
    assert [warning.category for warning in ours] == [warning.category for warning in theirs]
    assert [warning.filename for warning in ours] == [__file__] * len(ours) != []


def test_a_traced_call_warns_at_the_line_of_the_call() -> None:
    module, x = nn.KLDivLoss(), lg.ones(2, 3)
    found = [heard(lambda _: F.kl_div(x, x), lg), heard(lambda _: module(x, x), lg)]
    first = test_a_traced_call_warns_at_the_line_of_the_call.__code__.co_firstlineno
    assert [warnings[0].lineno - first for warnings in found] == [2, 2]
