"""What transformed functions cost: kernels and library calls of their programs, never a Python loop's worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.func import functional_call, grad, jacfwd, jacrev, jvp, vjp, vmap
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import placeholder
from lazygrad.nn import functional as F
from lazygrad.passes.pipeline import run_passes
from lazygrad.runtime.recording import Recording

from .numbers import floats, integers


def calls(tensors: Sequence[lg.Tensor]) -> Counter[str]:
    """How many kernels, and library calls by name, one program for ``tensors`` takes."""
    fused = run_passes(Recording([tensor.node() for tensor in tensors]).program()).fused
    assert fused is not None
    assert not any(node.op is placeholder for node in fused.graph.nodes)
    return Counter(group.nodes[0].op.name if group.is_library else "kernel" for group in fused.groups)


def network() -> tuple[lg.nn.Module, dict[str, lg.Tensor]]:
    model = lg.nn.Sequential(lg.nn.Linear(8, 16), lg.nn.ReLU(), lg.nn.Linear(16, 16), lg.nn.GELU(), lg.nn.Linear(16, 4))
    return model, {name: parameter.detach() for name, parameter in model.named_parameters()}


def test_per_sample_gradients_cost_what_the_batch_does() -> None:
    model, parameters = network()

    def loss(p: dict[str, lg.Tensor], x: lg.Tensor, target: lg.Tensor) -> lg.Tensor:
        return F.cross_entropy(functional_call(model, p, (x.unsqueeze(0),)), target.unsqueeze(0))

    def whole(p: dict[str, lg.Tensor], x: lg.Tensor, target: lg.Tensor) -> lg.Tensor:
        return F.cross_entropy(functional_call(model, p, (x,)), target)

    for size in (4, 32):
        x, target = floats(lg, size, 8, dtype="float32"), integers(lg, size, high=4)
        each = calls(list(vmap(grad(loss), in_dims=(None, 0, 0))(parameters, x, target).values()))
        together = calls(list(grad(whole)(parameters, x, target).values()))
        assert each["matmul"] == together["matmul"] == 8
        assert each.total() <= together.total()


def test_per_sample_gradients_of_a_convolution_are_one_grouped_call() -> None:
    image, kernel = floats(lg, 5, 1, 2, 6, 6), floats(lg, 3, 2, 3, 3)
    gradients = vmap(grad(lambda k, a: F.conv2d(a, k).relu().sum()), in_dims=(None, 0))(kernel, image)
    counted = calls([gradients])
    assert counted["conv"] == counted["conv_weight_grad"] == 1
    assert counted["concat"] == 0


def test_forward_mode_costs_two_products_for_one() -> None:
    model, parameters = network()
    x = floats(lg, 32, 8, dtype="float32")
    tangents = {name: floats(lg, *p.shape, seed=1, dtype="float32") for name, p in parameters.items()}
    forward = calls([functional_call(model, parameters, (x,))])
    value, pushed = jvp(lambda p: functional_call(model, p, (x,)), (parameters,), (tangents,))
    both = calls([value, pushed])
    # One product forward; per layer after the first, the tangent of the input and that of the weight.
    assert forward["matmul"] == 3
    assert both["matmul"] == 3 + 1 + 2 + 2
    assert both["kernel"] <= 2 * forward["kernel"] + 1
    by_input = jvp(lambda a: functional_call(model, parameters, (a,)), (x,), (x.sin(),))
    assert calls(by_input)["matmul"] == 2 * forward["matmul"]


def test_a_forward_sweep_writes_down_no_reverse_pass() -> None:
    """The tangent alone, of a chain of n multiplications, is a graph that grows by a constant for each of them."""

    def nodes(n: int) -> int:
        def chain(a: lg.Tensor) -> lg.Tensor:
            for _ in range(n):
                a = a.sin()
            return a

        return len(Graph([jvp(chain, (lg.ones(3),), (lg.ones(3),))[1].node()]))

    assert nodes(40) - nodes(20) == 2 * (nodes(20) - nodes(10)) == 20 * 3  # sin, cos, their product with the tangent


def test_a_jacobian_is_one_pass() -> None:
    weight, x = floats(lg, 6, 6), floats(lg, 6)
    for transform in (jacrev, jacfwd):
        counted = calls([transform(lambda a: (weight @ (weight @ a).tanh()).tanh())(x)])
        assert counted["matmul"] <= 4


def test_gradients_asked_for_one_after_another_find_their_history() -> None:
    """Reading one gradient must not reuse memory that the next one still needs."""
    model, parameters = network()
    x = floats(lg, 3, 8, dtype="float32")
    gradients = grad(lambda p: functional_call(model, p, (x,)).square().sum())(parameters)
    first = [gradient.numpy().copy() for gradient in gradients.values()]
    _, pull = vjp(lambda p: functional_call(model, p, (x,)).square().sum(), parameters)
    for _ in range(2):
        (again,) = pull(lg.tensor(1.0))
        for gradient, expected in zip(again.values(), first, strict=True):
            assert gradient.numpy() == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_compiled_functions_may_transform() -> None:
    x = floats(lg, 4, 3)

    @lg.compile
    def step(a: lg.Tensor) -> Any:
        return vmap(grad(lambda b: (b**3).sum()))(a)

    for factor in (1.0, 2.0, 3.0, 4.0):
        assert step(x * factor).numpy() == pytest.approx((3 * (x * factor) ** 2).numpy())


def test_a_value_printed_inside_vmap_shows_all_examples() -> None:
    seen: list[str] = []

    def shown(a: lg.Tensor) -> lg.Tensor:
        seen.append(repr(a * 2))
        return a

    vmap(shown)(lg.tensor([1.0, 2.0], device="cpu"))
    assert seen == ["BatchedTensor(bdim=0, value=tensor([2., 4.]))"]


def placeholders(node: Node) -> int:
    return sum(other.op is placeholder for other in Graph([node]).nodes)


def test_no_placeholder_is_left() -> None:
    x = floats(lg, 3, 4)
    nested = vmap(jacfwd(jacrev(lambda a: a.sin().prod())))(x)
    _, pushed = jvp(vmap(grad(lambda a: a.exp().sum())), (x,), (x,))
    assert [placeholders(result.node()) for result in (nested, pushed)] == [0, 0]
