"""`functorch`: the transforms by their former names, and modules as functions."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
import lazygrad.functorch
import lazygrad.functorch.experimental


@pytest.fixture
def both() -> list[tuple[Any, Any]]:
    """lazygrad and PyTorch, each with its functorch."""
    torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    functorch: ModuleType = pytest.importorskip("functorch", reason="it comes with torch")
    importlib.import_module("functorch.experimental")

    return [(lg, lazygrad.functorch), (torch, functorch)]


def _model(t: Any, seed: int = 0, buffers: bool = True) -> Any:
    model = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.BatchNorm1d(4) if buffers else t.nn.Tanh(), t.nn.Linear(4, 2))
    numbers = np.random.default_rng(seed)
    with t.no_grad():
        for parameter in model.parameters():
            parameter.copy_(t.tensor(numbers.standard_normal(tuple(parameter.shape)), dtype=t.float32))
    return model


def _x(t: Any) -> Any:
    return t.tensor(np.random.default_rng(9).standard_normal((5, 3)), dtype=t.float32)


def _a_function(t: Any, functorch: Any) -> Any:
    model = _model(t, buffers=False)
    function, params = functorch.make_functional(model)
    grads = functorch.grad(lambda params: function(params, _x(t)).square().mean())(params)
    kinds = [parameter.requires_grad for parameter in params], params[0] is model[0].weight
    _, frozen = functorch.make_functional(model, disable_autograd_tracking=True)
    frozen_kinds = [parameter.requires_grad for parameter in frozen], model[0].weight.requires_grad
    own = [str(parameter.device) for parameter in function.parameters()]
    return kinds, frozen_kinds, own, function.param_names, [grad.tolist() for grad in grads], function(params, _x(t))


def _buffers(t: Any, functorch: Any) -> Any:
    function, params, buffers = functorch.make_functional_with_buffers(_model(t))
    out = function(params, buffers, _x(t))
    function.eval()
    return out, function(params, buffers, _x(t)), list(buffers), function.buffer_names


def _training(t: Any, functorch: Any) -> Any:
    function, params = functorch.make_functional(_model(t, buffers=False))
    function(params, _x(t)).sum().backward()
    return [parameter.grad for parameter in params]


def _shared(t: Any, functorch: Any) -> Any:
    layer = t.nn.Linear(3, 3)
    with t.no_grad():
        layer.weight.fill_(0.5)
        layer.bias.fill_(0.25)
    function, params = functorch.make_functional(t.nn.Sequential(layer, t.nn.Tanh(), layer))
    return len(params), function.param_names, function([param * 2 for param in params], _x(t))


def _ensemble(t: Any, functorch: Any) -> Any:
    function, params, buffers = functorch.combine_state_for_ensemble([_model(t, seed).eval() for seed in range(3)])
    out = functorch.vmap(function, (0, 0, None))(params, buffers, _x(t))
    return [tuple(param.shape) for param in params], [param.requires_grad for param in params], out


def _transforms(t: Any, functorch: Any) -> Any:
    x = _x(t)[0]
    value, pull = functorch.vjp(t.sin, x)
    chunked = functorch.experimental.chunk_vmap(t.sin, chunks=2)(_x(t))
    return (
        functorch.vmap(t.sin)(x), functorch.jacrev(t.sin)(x), functorch.jacfwd(t.sin)(x), value, pull(x)[0], chunked,
        functorch.hessian(lambda x: x.sin().sum())(x), functorch.grad_and_value(lambda x: x.sin().sum())(x),
        functorch.jvp(t.sin, (x,), (x,)), functorch.functionalize(t.sin)(x),
    )  # fmt: skip


PROGRAMS = [_a_function, _buffers, _training, _shared, _ensemble, _transforms]


def _numbers(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_numbers(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _close(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            _close(one, other)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-5)
    else:
        assert ours == theirs


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_functorchs(both: list[tuple[Any, Any]], program: Callable[[Any, Any], Any]) -> None:
    ours, theirs = (_numbers(program(*each)) for each in both)
    _close(ours, theirs)


def _mixed(t: Any) -> list[Any]:
    return [t.nn.Linear(1, 1), t.nn.Linear(1, 1).eval()]


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("program", [
    lambda t, functorch: functorch.make_functional(_model(t)),
    lambda t, functorch: functorch.combine_state_for_ensemble([]),
    lambda t, functorch: functorch.combine_state_for_ensemble(_mixed(t)),
    lambda t, functorch: functorch.combine_state_for_ensemble([t.nn.Linear(1, 1), t.nn.Tanh()]),
])  # fmt: skip
def test_errors_are_functorchs(both: list[tuple[Any, Any]], program: Callable[[Any, Any], Any]) -> None:
    messages = []
    for each in both:
        with pytest.raises(RuntimeError) as caught:
            program(*each)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_names_warn(both: list[tuple[Any, Any]]) -> None:
    for t, functorch in both:
        for name in lazygrad.functorch.__all__:
            assert hasattr(functorch, name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            functorch.vmap(t.sin)
            functorch.make_functional(t.nn.Linear(1, 1))
        assert [warning.category for warning in caught] == [FutureWarning] * 2
        assert "Please use `torch.vmap` instead" in str(caught[0].message)
        assert "`torch.func.functional_call`" in str(caught[1].message)


def test_it_is_imported_where_torch_is_lazygrad() -> None:
    program = """
import lazygrad
lazygrad.as_torch()
import functorch, torch
from functorch import make_functional, vmap
from functorch.experimental import replace_all_batch_norm_modules_
assert functorch is lazygrad.functorch
assert vmap(torch.sin)(torch.zeros(2)).tolist() == [0, 0]
try:
    from functorch.compile import aot_function
except ModuleNotFoundError as error:
    assert "lazygrad has no functorch.compile: there is no ahead-of-time" in str(error)
else:
    raise AssertionError("it is refused")
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60)
