"""Operands on different devices: refused, but for numbers on the CPU; and programs that have parts on several."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")

Program = Callable[[Any], Any]


def operands(t: Any) -> tuple[Any, Any, Any, Any]:
    """A vector and a number on the meta device, and on the CPU."""
    return t.ones(2, device="meta"), t.ones((), device="meta"), t.ones(2), t.ones(())


def outcome(program: Program, t: Any) -> str:
    """The device of the result, or that it was refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return str(program(t).device)
        except RuntimeError:
            return "refused"


MIXED: dict[str, Callable[[Any, Any, Any, Any, Any], Any]] = {
    "vector, vector": lambda t, m, m0, c, c0: m + c,
    "vector, number of the CPU": lambda t, m, m0, c, c0: m + c0,
    "number of the CPU first": lambda t, m, m0, c, c0: c0 * m,
    "vector of the CPU, number of meta": lambda t, m, m0, c, c0: c + m0,
    "number of meta, vector of the CPU": lambda t, m, m0, c, c0: m0 + c,
    "two numbers": lambda t, m, m0, c, c0: m0 + c0,
    "two numbers, that of the CPU first": lambda t, m, m0, c, c0: c0 + m0,
    "where: condition of the CPU, number, meta": lambda t, m, m0, c, c0: t.where(c > 0, 1.0, m),
    "where: condition of the CPU": lambda t, m, m0, c, c0: t.where(c > 0, m, m),
    "where: number as condition": lambda t, m, m0, c, c0: t.where(c0 > 0, m, m),
    "where: condition of meta": lambda t, m, m0, c, c0: t.where(m > 0, c, c0),
    "where: numbers of both": lambda t, m, m0, c, c0: t.where(c > 0, c0, m0),
    "where: python numbers": lambda t, m, m0, c, c0: t.where(m > 0, 1.0, 2.0),
    "cat": lambda t, m, m0, c, c0: t.cat([m, c]),
    "stack": lambda t, m, m0, c, c0: t.stack([m, c]),
    "matmul": lambda t, m, m0, c, c0: m @ c,
    "addcmul": lambda t, m, m0, c, c0: t.addcmul(m, c0, m),
    "addcmul: vector": lambda t, m, m0, c, c0: t.addcmul(m, c0, c),
    "addcmul: numbers between": lambda t, m, m0, c, c0: t.addcmul(c, c0, m),
    "clamp": lambda t, m, m0, c, c0: t.clamp(m, c0, c0),
    "clamp: vector": lambda t, m, m0, c, c0: t.clamp(c, c0, m),
    "lerp": lambda t, m, m0, c, c0: t.lerp(m, m, c0),
    "add_: number of the CPU": lambda t, m, m0, c, c0: m.add_(c0),
    "masked_fill": lambda t, m, m0, c, c0: m.masked_fill(c > 0, 1.0),
    "fill_": lambda t, m, m0, c, c0: m.fill_(c0),
    "copy_ to meta": lambda t, m, m0, c, c0: m.copy_(c),
    "indices of the CPU": lambda t, m, m0, c, c0: m[t.tensor([0])],
    "linear": lambda t, m, m0, c, c0: t.nn.functional.linear(m[None], m[None], c[:1]),
    "cross_entropy": lambda t, m, m0, c, c0: t.nn.functional.cross_entropy(m[None], t.tensor([0])),
    "softplus": lambda t, m, m0, c, c0: t.nn.functional.softplus(m + c0),
    "index_put: number": lambda t, m, m0, c, c0: m.index_put((t.tensor([0], device="meta"),), c0),
}


@pytest.mark.parametrize("name", MIXED)
def test_devices_mix_as_in_torch(name: str) -> None:
    program = MIXED[name]
    found, expected = (outcome(lambda t: program(t, *operands(t)), t) for t in (lg, torch))
    assert found == expected


@pytest.mark.parametrize("write", ["c.add_(m)", "m.add_(c)", "c.add_(m0)", "c.fill_(m0)", "c[0] = m0", "c[:1] = m[:1]"])
def test_writes_across_devices_are_refused(write: str) -> None:
    """PyTorch refuses them on devices that compute; its meta device lets them pass."""
    m, m0, c, _ = operands(lg)
    with pytest.raises((RuntimeError, NotImplementedError), match=r"device|written to|no data"):
        exec(write, {"m": m, "m0": m0, "c": c})


def test_a_number_of_the_cpu_is_copied_in_the_graph() -> None:
    graph = (lg.ones(2, device="meta") * lg.tensor(3.0)).graph()
    assert [node.op.name for node in graph.nodes if node.op.kind.value == "transfer"] == ["copy"]
    assert {str(node.device) for node in graph.nodes} == {"cpu", "meta"}


def test_a_python_number_needs_no_copy() -> None:
    graph = (lg.ones(2, device="meta") * 3.7 + 2).graph()
    assert {str(node.device) for node in graph.nodes} == {"meta"}


def test_what_has_no_values_leaves_the_others_theirs() -> None:
    a, b = lg.zeros(2, device="meta") + 1, lg.arange(3.0) * 2
    lg.realize_all([a, b])
    assert b.node().value is not None and b.tolist() == [0, 2, 4]
    assert a.is_meta


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_parts_on_two_devices_are_computed_in_any_order(order: tuple[int, int]) -> None:
    parts = [lg.ones(2, device="meta") * 3, lg.ones(2).exp()]
    lg.realize_all([parts[i] for i in order])
    assert parts[1].tolist() == pytest.approx([2.718281828] * 2)


def test_numbers_of_the_cpu_keep_their_gradients_places() -> None:
    scale = lg.tensor(3.0, requires_grad=True)
    (lg.ones(2, device="meta") * scale).graph()
    assert scale.device == lg.device("cpu") and (lg.ones(2) * scale).sum().device == lg.device("cpu")


def test_ordinals_name_places_as_in_torch() -> None:
    for name in ("cpu:0", "cpu", "meta:0", "meta"):
        assert str(lg.ones(1, device=name).device) == str(torch.ones(1, device=name).device)
    x = lg.ones(1)
    assert x.to("cpu:0") is x
