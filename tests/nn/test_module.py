"""Calling, switching, converting and printing modules."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.ir.origin import capture

from .compare import values


class ScopeProbe(nn.Module):
    """Remembers the module path that nodes recorded in it would get."""

    def forward(self, fail: bool = False) -> str:
        if fail:
            raise ValueError("broken")
        return capture().scope


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.ModuleDict({"probe": ScopeProbe()})
        self.layers = nn.ModuleList([ScopeProbe(), ScopeProbe()])

    def forward(self) -> list[str]:
        return [capture().scope, self.inner["probe"](), *(layer() for layer in self.layers)]


def test_provenance_is_the_path_from_the_called_module() -> None:
    assert Outer()() == ["Outer", "Outer.probe", "Outer.0", "Outer.1"]
    assert ScopeProbe()() == "ScopeProbe"
    assert capture().scope == ""


def test_provenance_after_changing_a_sequence() -> None:
    layers = nn.Sequential(nn.Identity(), ScopeProbe())
    assert layers[1]() == "1"
    layers.insert(0, nn.Identity())
    assert layers[2]() == "2"
    del layers[0]
    assert layers[1]() == "1"


def test_provenance_after_an_error() -> None:
    with pytest.raises(ValueError, match="broken"):
        ScopeProbe()(fail=True)
    assert capture().scope == ""


def test_missing_forward() -> None:
    class Empty(nn.Module):
        pass

    with pytest.raises(NotImplementedError, match=r'Module \[Empty\] is missing the required "forward" function'):
        Empty()(1)


def test_train_and_eval_reach_all() -> None:
    module = nn.Sequential(nn.Dropout(), nn.Sequential(nn.BatchNorm1d(2)))
    assert module.eval() is module
    assert [each.training for each in module.modules()] == [False] * 4
    module.train()
    assert [each.training for each in module.modules()] == [True] * 4
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        module.train(1)


def test_apply_runs_children_first() -> None:
    seen: list[str] = []
    module = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU()))
    assert module.apply(lambda each: seen.append(type(each).__name__)) is module
    assert seen == ["Linear", "ReLU", "Sequential", "Sequential"]


def test_requires_grad() -> None:
    module = nn.Linear(2, 2).requires_grad_(False)
    assert not any(parameter.requires_grad for parameter in module.parameters())
    assert not module(lg.ones(1, 2)).requires_grad


def test_zero_grad() -> None:
    module = nn.Linear(2, 1)
    module(lg.ones(1, 2)).sum().backward()
    module.zero_grad(set_to_none=False)
    assert values(module.weight.grad).tolist() == [[0.0, 0.0]]
    module.zero_grad()
    assert module.weight.grad is None


def test_conversion_keeps_parameters_and_leaves_integers() -> None:
    module = nn.BatchNorm1d(3)
    weight = module.weight
    module(lg.rand(2, 3)).sum().backward()
    assert module.double() is module
    assert module.weight is weight
    assert weight.dtype == weight.grad.dtype == module.running_mean.dtype == lg.float64
    assert module.num_batches_tracked.dtype == lg.int64
    assert module.half().bias.dtype == lg.float16
    assert module.bfloat16().bias.dtype == lg.bfloat16
    assert module.float().bias.dtype == lg.float32
    assert module.type(lg.float64).num_batches_tracked.dtype == lg.float64


def test_to() -> None:
    module = nn.Linear(2, 2)
    assert module.to(lg.float64).weight.dtype == lg.float64
    assert module.to("cpu", lg.float32).weight.dtype == lg.float32
    assert module.to(dtype=lg.float64, device="cpu").weight.dtype == lg.float64
    assert module.to(lg.zeros(1)).weight.dtype == lg.float32
    assert module.cpu().weight.device.type == "cpu"
    assert module.weight.requires_grad
    assert module.weight.is_leaf
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        module.to(lg.int64)


def test_converted_module_computes() -> None:
    module = nn.Linear(2, 1).double()
    result = module(lg.ones(1, 2, dtype=lg.float64))
    assert result.dtype == lg.float64
    result.sum().backward()
    assert module.weight.grad.dtype == lg.float64


def nested(nn: Any) -> Any:
    class Note(nn.Module):
        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

        def extra_repr(self) -> str:
            return self.text

    root = Note("one\ntwo")
    root.body = nn.Sequential(nn.Linear(1, 2), nn.ModuleList([nn.ReLU(), nn.ReLU()]))
    root.note = Note("single")
    root.lines = Note("first\nsecond")
    root.add_module("nothing", None)
    root.empty = nn.ModuleDict()
    return root


def test_representation(torch: Any) -> None:
    assert repr(nested(nn)) == repr(nested(torch.nn))


def test_parameter() -> None:
    parameter = nn.Parameter(lg.ones(2))
    assert isinstance(parameter, lg.Tensor)
    assert parameter.requires_grad
    assert parameter.is_leaf
    assert not nn.Parameter(lg.ones(2), requires_grad=False).requires_grad
    assert nn.Parameter().shape == (0,)
    parameter = nn.Parameter(lg.ones(2, device="cpu"))
    assert str(parameter) == repr(parameter) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    with lg.no_grad():
        assert nn.Parameter(lg.ones(2)).requires_grad


def test_parameter_shares_its_data() -> None:
    data = lg.zeros(3)
    parameter = nn.Parameter(data)
    with lg.no_grad():
        parameter.fill_(2.0)
    assert values(data).tolist() == [2.0, 2.0, 2.0]


def test_results_of_parameters_are_plain_tensors() -> None:
    assert not isinstance(nn.Parameter(lg.ones(2)) * 2, nn.Parameter)
