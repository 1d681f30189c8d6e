"""Modules as functions of their parameters; per-sample gradients and ensembles."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

from .numbers import floats

CASES: list[Case] = []
scenario = scenarios(CASES)


def _network(t: Any, seed: int = 0) -> Any:
    network = t.nn.Sequential(t.nn.Linear(4, 5), t.nn.Tanh(), t.nn.Linear(5, 3)).double()
    with t.no_grad():
        for i, parameter in enumerate(network.parameters()):
            parameter.copy_(floats(t, *parameter.shape, seed=seed + i))
    return network


@scenario
def per_sample_gradients(t: Any) -> list[Any]:
    network, x, target = _network(t), floats(t, 6, 4, seed=9), t.tensor([0, 2, 1, 1, 0, 2])
    parameters = {name: parameter.detach() for name, parameter in network.named_parameters()}

    def loss(p: Any, a: Any, b: Any) -> Any:
        return t.nn.functional.cross_entropy(t.func.functional_call(network, p, (a.unsqueeze(0),)), b.unsqueeze(0))

    return [t.func.vmap(t.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, target)]


@scenario
def ensembles(t: Any) -> list[Any]:
    networks, x = [_network(t, seed) for seed in (0, 10, 20)], floats(t, 6, 4, seed=9)
    parameters, buffers = t.func.stack_module_state(networks)

    def call(p: Any, b: Any, a: Any) -> Any:
        return t.func.functional_call(networks[0], (p, b), (a,))

    refused = [
        raised(lambda: t.func.stack_module_state([])),
        raised(lambda: t.func.stack_module_state([networks[0], networks[1].eval()])),
        raised(lambda: t.func.stack_module_state([networks[0], t.nn.Linear(2, 2)])),
    ]
    flags = [(parameter.requires_grad, parameter.is_leaf) for parameter in parameters.values()]
    return [t.func.vmap(call, in_dims=(0, 0, None))(parameters, buffers, x), list(parameters), flags, refused]


@scenario
def functional_call_forms(t: Any) -> list[Any]:
    network, x = _network(t), floats(t, 2, 4)
    call = t.func.functional_call
    zeros = {name: t.zeros_like(parameter) for name, parameter in network.named_parameters()}
    some = {"0.weight": zeros["0.weight"]}
    norm = t.nn.BatchNorm1d(3)
    state = {name: buffer.clone() for name, buffer in norm.named_buffers()}
    before = state["running_mean"].clone()
    out = call(norm, state, (t.ones(4, 3) * t.arange(4.0).unsqueeze(1),))
    return [
        call(network, zeros, (x,)),
        call(network, some, x),
        call(network, (some, {"0.bias": zeros["0.bias"]}), (x,)),
        network(x),
        raised(lambda: call(network, (some, some), (x,))),
        raised(lambda: call(network, some, (x,), strict=True)),
        raised(lambda: call(network, {**zeros, "other": x}, (x,), strict=True)),
        out, before, state["running_mean"], norm.running_mean, int(norm.num_batches_tracked),
    ]  # fmt: skip


@scenario
def tied_weights(t: Any) -> list[Any]:
    class Tied(t.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = t.nn.Linear(3, 3, bias=False)
            self.b = t.nn.Linear(3, 3, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x))

    module, x = Tied().double(), floats(t, 2, 3)
    ones, twos = t.ones(3, 3, dtype=t.float64), t.full((3, 3), 2.0, dtype=t.float64)
    call = t.func.functional_call
    untied = call(module, {"a.weight": ones, "b.weight": twos}, (x,), tie_weights=False)
    refused = raised(lambda: call(module, {"a.weight": ones, "b.weight": twos}, (x,)))
    return [call(module, {"a.weight": ones}, (x,)), untied, refused, module.a.weight is module.b.weight]


@scenario
def functionalized(t: Any) -> list[Any]:
    x = floats(t, 3)
    return [t.func.functionalize(lambda a: (a * 1).add_(1))(x)]
