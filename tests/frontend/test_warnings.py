"""Warnings name the line of the program, whatever decorators and traces lie between it and what warns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.host import warn_once
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
    "std of one": lambda t: t.ones(1).std(),
    "var_mean of one": lambda t: t.var_mean(t.ones(1, 2), 0),
    "std of a large correction": lambda t: t.std(t.ones(3), 0, correction=3),
    "cov of one": lambda t: t.cov(t.ones(2, 1)),
    "tensor of a tensor": lambda t: t.tensor(t.ones(2)),
    "new_tensor of a tensor": lambda t: t.ones(2).new_tensor(t.ones(2)),
    ".grad of a result": lambda t: (t.ones(2, requires_grad=True) * 2).grad,
    "softmax": lambda t: t.nn.functional.softmax(t.ones(2, 3)),
    "nested tensors": lambda t: t.nn.TransformerEncoder(t.nn.TransformerEncoderLayer(4, 2), 1),
    "dropout of one layer": lambda t: t.nn.LSTM(2, 3, dropout=0.5),
    "init of nothing": lambda t: t.nn.init.kaiming_uniform_(t.empty(0, 2)),
}


OWN_WORDS: set[str] = set()


def _stepped_early(t: Any) -> None:
    optimizer = t.optim.SGD([t.ones(1, requires_grad=True)], lr=0.1)
    scheduler = t.optim.lr_scheduler.StepLR(optimizer, 1)
    scheduler.step()


def heard(call: Callable[[Any], Any], framework: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(framework)
    return found


def _array_of_another() -> np.ndarray:
    array = np.ones(2, np.float32)
    array.flags.writeable = False
    return array


ONCE: dict[str, Callable[[Any], Any]] = {
    "cast of complex numbers": lambda t: t.ones(2, dtype=t.complex64).float(),
    "complex numbers copied": lambda t: t.ones(2).copy_(t.ones(2, dtype=t.complex64)),
    "complex numbers assigned": lambda t: t.ones(2).__setitem__(0, t.ones((), dtype=t.complex64)),
    "sum of complex numbers": lambda t: t.ones(2, dtype=t.complex64).sum(dtype=t.float32),
    "meshgrid": lambda t: t.meshgrid(t.arange(2), t.arange(3)),
    "from_numpy": lambda t: t.from_numpy(_array_of_another()),
    "as_tensor": lambda t: t.as_tensor(_array_of_another()),
    "frombuffer": lambda t: t.frombuffer(b"1234", dtype=t.uint8),
    "float": lambda t: float(t.ones((), requires_grad=True)),
    "tensor of numbers with gradients": lambda t: t.tensor([t.ones((), requires_grad=True)]),
}
SILENT: dict[str, Callable[[Any], Any]] = {
    "tensor": lambda t: t.tensor(_array_of_another()),
    "from_dlpack": lambda t: t.from_dlpack(_array_of_another()),
    "bools of complex numbers": lambda t: t.ones(2, dtype=t.complex64).bool(),
    "cartesian_prod": lambda t: t.cartesian_prod(t.arange(2), t.arange(3)),
    "meshgrid": lambda t: t.meshgrid(t.arange(2), indexing="ij"),
    "item": lambda t: t.ones((), requires_grad=True).item(),
    "int": lambda t: int(t.ones((), requires_grad=True)),
    "population of one": lambda t: t.ones(1).std(correction=0),
    "complex abs": lambda t: t.ones(2, requires_grad=True).to(t.complex64).abs().sum().backward(),
}


def _phrases(found: list[warnings.WarningMessage]) -> list[str]:
    return [str(warning.message)[:20] for warning in found]


@pytest.mark.host_memory("numpy's arrays, which tensors share")
@pytest.mark.parametrize("name", ONCE)
def test_what_pytorch_says_once_is_said_once(name: str, monkeypatch: pytest.MonkeyPatch, torch: Any) -> None:
    monkeypatch.setattr(warn_once, "_said", set())
    ours = heard(ONCE[name], lg)
    assert [warning.filename for warning in ours] == [__file__] and heard(ONCE[name], lg) == []
    torch.set_warn_always(True)
    lg.set_warn_always(True)
    try:
        assert _phrases(heard(ONCE[name], lg)) == _phrases(heard(ONCE[name], torch)) == _phrases(ours)
    finally:
        torch.set_warn_always(False)
        lg.set_warn_always(False)


@pytest.mark.host_memory("numpy's arrays, which tensors share")
@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_where_pytorch_says_nothing(name: str, monkeypatch: pytest.MonkeyPatch, torch: Any) -> None:
    monkeypatch.setattr(warn_once, "_said", set())
    assert heard(SILENT[name], lg) == heard(SILENT[name], torch) == []


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_names_the_line_of_the_program(name: str, torch: Any) -> None:
    ours, theirs = heard(CALLS[name], lg), heard(CALLS[name], torch)
    assert [warning.category for warning in ours] == [warning.category for warning in theirs]
    assert [warning.filename for warning in ours] == [__file__] * len(ours) != []
    if name not in OWN_WORDS:
        assert _phrases(ours) == _phrases(theirs)


def test_a_traced_call_warns_at_the_line_of_the_call() -> None:
    module, x = nn.KLDivLoss(), lg.ones(2, 3)
    found = [heard(lambda _: F.kl_div(x, x), lg), heard(lambda _: module(x, x), lg)]
    first = test_a_traced_call_warns_at_the_line_of_the_call.__code__.co_firstlineno
    assert [warnings[0].lineno - first for warnings in found] == [2, 2]
