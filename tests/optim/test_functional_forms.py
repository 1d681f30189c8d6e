"""`torch.optim._functional`: steps of optimizers as functions of lists."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.optim import _functional


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


# Per function: what is kept for each parameter and how it begins, and sets of options.
_ADAM = {"lr": 0.1, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "weight_decay": 0.0}
STEPS: dict[str, tuple[list[float], list[dict[str, Any]]]] = {
    "adadelta": ([0, 0], [{"lr": 0.5, "rho": 0.9, "eps": 1e-6, "weight_decay": 0.1, "maximize": False}]),
    "adagrad": ([0.1], [{"lr": 0.1, "weight_decay": 0.1, "lr_decay": 0.01, "eps": 1e-10, "maximize": True}]),
    "adam": ([0, 0, 0], [
        _ADAM | {"amsgrad": False, "maximize": False},
        _ADAM | {"amsgrad": True, "maximize": True, "weight_decay": 0.1},
        _ADAM | {"amsgrad": False, "maximize": False, "weight_decay": 0.1, "decoupled_weight_decay": True},
    ]),
    "adamw": ([0, 0, 0], [_ADAM | {"amsgrad": True, "maximize": False, "weight_decay": 0.1, "foreach": False}]),
    "adamax": ([0, 0], [_ADAM, _ADAM | {"maximize": True, "weight_decay": 0.1}]),
    "asgd": ([0, 1, 0.1], [{"lambd": 1e-4, "lr": 0.1, "t0": 2.0, "alpha": 0.75, "weight_decay": 0.1}]),
    "nadam": ([0, 0, 1], [_ADAM | {"momentum_decay": 4e-3}, _ADAM | {"momentum_decay": 4e-3, "weight_decay": 0.1,
                                                                       "decoupled_weight_decay": True}]),
    "radam": ([0, 0], [_ADAM, _ADAM | {"weight_decay": 0.1, "maximize": True}]),
    "rmsprop": ([0, 0, 0], [
        {"lr": 0.1, "alpha": 0.9, "eps": 1e-8, "weight_decay": 0.0, "momentum": 0.0, "centered": False},
        {"lr": 0.1, "alpha": 0.9, "eps": 1e-8, "weight_decay": 0.1, "momentum": 0.9, "centered": True},
    ]),
    "rprop": ([0, 0.1], [{"step_size_min": 1e-6, "step_size_max": 50.0, "etaminus": 0.5, "etaplus": 1.2}]),
}  # fmt: skip
_CASES = [(name, number) for name, (_, options) in STEPS.items() for number in range(len(options))]


def _numbers(number: int) -> list[Any]:
    random = np.random.default_rng(number)
    return [random.standard_normal(shape) for shape in ((3,), (2, 2))]


@pytest.mark.parametrize(("name", "number"), _CASES)
def test_steps_are_torchs(torch: ModuleType, name: str, number: int) -> None:
    beginnings, options = STEPS[name]

    def run(t: Any, function: Any) -> list[Any]:
        params = [t.tensor(values) for values in _numbers(0)]
        is_scalar = {"asgd": (1, 2), "nadam": (2,)}.get(name, ())
        kept = [
            [t.tensor(beginning) if place in is_scalar else t.full_like(each, beginning) for each in params]
            for place, beginning in enumerate(map(float, beginnings))
        ]
        steps = [t.tensor(0.0) for _ in params]
        for count in range(1, 6):
            function(params, [t.tensor(values) for values in _numbers(count)], *kept, steps, **options[number])
        return [tensor.tolist() for tensors in (params, *kept, steps) for tensor in tensors]

    import torch.optim._functional as theirs

    for ours, expected in zip(run(lg, getattr(_functional, name)), run(torch, getattr(theirs, name)), strict=True):
        np.testing.assert_allclose(np.array(ours), np.array(expected), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("nesterov", [False, True])
def test_sgd_is_torchs(torch: ModuleType, momentum: float, nesterov: bool) -> None:
    if nesterov and not momentum:
        return
    options = {"lr": 0.1, "momentum": momentum, "dampening": 0.0, "weight_decay": 0.1, "maximize": False}

    def run(t: Any, function: Any) -> list[Any]:
        params = [t.tensor(values) for values in _numbers(0)]
        buffers: list[Any] = [None, None]
        for count in range(1, 4):
            function(params, [t.tensor(values) for values in _numbers(count)], buffers, nesterov=nesterov, **options)
        return [None if tensor is None else tensor.tolist() for tensor in (*params, *buffers)]

    import torch.optim._functional as theirs

    for ours, expected in zip(run(lg, _functional.sgd), run(torch, theirs.sgd), strict=True):
        assert (ours is None) == (expected is None)
        if ours is not None:
            np.testing.assert_allclose(np.array(ours), np.array(expected), rtol=1e-12)


def test_sparse_adam_is_torchs(torch: ModuleType) -> None:
    def run(t: Any, function: Any) -> list[Any]:
        param, first, second = t.ones(4, 2), t.zeros(4, 2), t.zeros(4, 2)
        for step in (1, 2):
            grad = t.sparse_coo_tensor([[0, 2, 2]], [[1.0, 2.0], [3.0, 4.0], [0.5, step]], (4, 2))
            function(
                [param], [grad], [first], [second], [step], eps=1e-8, beta1=0.9, beta2=0.95, lr=0.1, maximize=False
            )
        return [tensor.tolist() for tensor in (param, first, second)]

    import torch.optim._functional as theirs

    for ours, expected in zip(run(lg, _functional.sparse_adam), run(torch, theirs.sparse_adam), strict=True):
        np.testing.assert_allclose(np.array(ours), np.array(expected), rtol=1e-5)


@pytest.mark.parametrize("name", _functional.__all__)
def test_arguments_are_torchs(torch: ModuleType, name: str) -> None:
    import torch.optim._functional as theirs

    ours, expected = (inspect.signature(getattr(module, name)).parameters for module in (_functional, theirs))
    assert [(each.name, each.kind, each.default) for each in ours.values()] == [
        (each.name, each.kind, each.default) for each in expected.values()
    ]


def test_errors() -> None:
    x = lg.ones(1)
    with pytest.raises(RuntimeError, match="`state_steps` argument must contain a list of singleton tensors"):
        _functional.rprop([x], [x], [x], [x], [1], step_size_min=0, step_size_max=1, etaminus=1, etaplus=1)  # type: ignore[list-item]
    with pytest.raises(AssertionError, match="Expected grad_scale and found_inf to be None"):
        _functional.adagrad([x], [x], [x], [x], found_inf=x, lr=1, weight_decay=0, lr_decay=0, eps=1, maximize=False)
