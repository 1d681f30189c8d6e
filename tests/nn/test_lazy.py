"""Layers whose sizes come from their first input: before it, at it, and what becomes of them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_alike, raised

from .cases_layers import LAZY
from .layers import Layer, computed

CASES = [pytest.param(case, id=case.source) for case in LAZY]


@pytest.mark.parametrize("case", CASES)
def test_before_the_first_input(case: Layer, torch: Any) -> None:
    def facts(t: Any) -> Any:
        module = case.made(t)
        kinds = {name: type(value).__name__ for name, value in module.state_dict().items()}
        return repr(module), kinds, [repr(each) for each in module.parameters()], module.has_uninitialized_params()

    assert_alike(facts, torch, lg)


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("case", CASES)
def test_from_the_first_input_on(case: Layer, training: bool, torch: Any) -> None:
    assert_alike(lambda t: computed(case, t, training), torch, lg, slack=4)


@pytest.mark.parametrize("case", CASES)
def test_the_class_and_what_is_shown_afterwards(case: Layer, torch: Any) -> None:
    def after(t: Any) -> Any:
        module = case.made(t)
        shape = case.inputs[0].draw(np.random.default_rng(0)).shape
        module(t.ones(shape))
        kinds = [type(each).__name__ for each in module.parameters()]
        return type(module).__name__, repr(module), kinds, list(module.state_dict())

    assert_alike(after, torch, lg)


def _network(t: Any) -> Any:
    return t.nn.Sequential(t.nn.LazyConv2d(4, 3), t.nn.LazyBatchNorm2d(), t.nn.Flatten(), t.nn.LazyLinear(2))


def test_a_state_gives_shapes(torch: Any) -> None:
    def loaded(t: Any) -> Any:
        t.manual_seed(0)
        trained, fresh = _network(t), _network(t)
        trained(t.ones(2, 3, 5, 5))
        fresh.load_state_dict(trained.state_dict())
        same = all((have == want).all() for have, want in zip(fresh.parameters(), trained.parameters(), strict=True))
        trained.eval(), fresh.eval()
        return same, [type(each).__name__ for each in fresh], (fresh(t.ones(1, 3, 5, 5)) - trained(t.ones(1, 3, 5, 5)))

    assert_alike(loaded, torch, lg)


def test_a_state_without_shapes_changes_nothing(torch: Any) -> None:
    def loaded(t: Any) -> Any:
        module = _network(t)
        module.load_state_dict(_network(t).state_dict())
        return [repr(each) for each in module.parameters()]

    assert_alike(loaded, torch, lg)


def test_a_state_without_shapes_does_not_fit_a_module_that_has_them(torch: Any) -> None:
    def load(t: Any) -> None:
        t.nn.Linear(3, 2).load_state_dict(t.nn.LazyLinear(2).state_dict())

    assert raised(lambda: load(lg)) == raised(lambda: load(torch)) == "RuntimeError"


@pytest.mark.parametrize("convert", [
    lambda module, t: module.double(),
    lambda module, t: module.to(t.float64),
    pytest.param(
        lambda module, t: module.to("cpu").to("cpu", t.float64),
        marks=pytest.mark.host_memory("it moves the module to the CPU"),
    ),
], ids=["double", "to", "device"])  # fmt: skip
def test_a_dtype_before_the_shape(convert: Any, torch: Any) -> None:
    def converted(t: Any) -> Any:
        module = convert(_network(t), t)
        kinds = [type(each).__name__ for each in module.parameters()]
        dtypes = [str(each.dtype).rpartition(".")[2] for each in (*module.parameters(), *module.buffers())]
        return kinds, dtypes, module(t.ones(2, 3, 5, 5, dtype=t.float64)).dtype

    assert_alike(converted, torch, lg)


def test_copies_are_initialized_alone() -> None:
    module = _network(lg)
    copies = [copy.deepcopy(module), pickle.loads(pickle.dumps(module))]
    module(lg.ones(2, 3, 5, 5))
    for each in copies:
        assert each[0].has_uninitialized_params()
        each(lg.ones(2, 6, 5, 5))
        assert each[0].weight.shape == (4, 6, 3, 3) and type(each[0]) is nn.Conv2d
    assert module[0].weight.shape == (4, 3, 3, 3)


@pytest.mark.parametrize("use", [
    lambda p, t: p.shape,
    lambda p, t: p + 1,
    lambda p, t: p.sum(),
], ids=["shape", "add", "method"])  # fmt: skip
@pytest.mark.parametrize("kind", ["UninitializedParameter", "UninitializedBuffer"])
def test_nothing_can_be_computed_without_a_shape(kind: str, use: Any, torch: Any) -> None:
    def outcome(t: Any) -> str:
        return raised(lambda: use(getattr(t.nn, kind)(), t))

    assert outcome(lg) == outcome(torch) != "nothing raised"


def test_materialize(torch: Any) -> None:
    def made(t: Any) -> Any:
        parameter = t.nn.UninitializedParameter(dtype=t.float64, requires_grad=False)
        parameter.materialize((2, 3))
        again = t.nn.UninitializedParameter()
        again.materialize((4,), dtype=t.float16)
        return type(parameter).__name__, parameter * 0, again.dtype, again.requires_grad, again.is_leaf

    assert_alike(made, torch, lg)


class _Scale(nn.modules.lazy.LazyModuleMixin):
    """A lazy module that keeps its class."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.UninitializedParameter()

    def initialize_parameters(self, input: lg.Tensor) -> None:
        self.scale.materialize((input.shape[-1],))
        nn.init.ones_(self.scale)

    def forward(self, input: lg.Tensor) -> lg.Tensor:
        return input * self.scale


def test_a_lazy_module_of_ones_own() -> None:
    module = _Scale()
    assert module(lg.ones(2, 3)).tolist() == [[1.0] * 3] * 2
    module(lg.ones(1, 3)).sum().backward()
    assert type(module) is _Scale and module.scale.grad.tolist() == [1.0, 1.0, 1.0]


def test_a_lazy_module_that_leaves_something_uninitialized() -> None:
    class Careless(_Scale):
        def initialize_parameters(self, input: lg.Tensor) -> None:
            pass

    with pytest.raises(RuntimeError, match="module Careless has not been fully initialized"):
        Careless()(lg.ones(2))


WRONG = [
    ("t.nn.LazyConv2d(4, 3, groups=2)(t.ones(1, 3, 5, 5))", "in_channels must be divisible by groups"),
    ("t.nn.LazyConv2d(4, 3)(t.ones(3, 5))", r"Expected 3D \(unbatched\) or 4D \(batched\) input to LazyConv2d"),
    ("t.nn.LazyBatchNorm2d()(t.ones(3, 5))", r"expected 4D input \(got 2D input\)"),
]


@pytest.mark.parametrize(("source", "message"), WRONG)
def test_wrong_inputs(source: str, message: str, torch: Any) -> None:
    for t in (lg, torch):
        with pytest.raises((RuntimeError, ValueError), match=message):
            eval(source, {"t": t})
