"""The text form: deterministic, and it reads back to an equal graph."""

from __future__ import annotations

from math import copysign, inf, nan

import numpy as np
import pytest

from lazygrad.ir.composites.attention import attention
from lazygrad.ir.composites.loss import cross_entropy
from lazygrad.ir.device import device_of
from lazygrad.ir.dtype import bfloat16, bool_, float32, int64, uint8
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.text import parse, same_graph
from lazygrad.ir.verify import verify
from tests.autodiff.test_gradcheck import CASES
from tests.reference import buffer_node


def _leaf(*shape: int, dtype: object = float32, device: object = None, slot: int | None = 0) -> Node:
    return leaf.leaf_node(leaf.buffer, (slot,), tensor_type(shape, dtype, device_of(device)))


def _assert_round_trip(graph: Graph) -> Graph:
    text = str(graph)
    read = parse(text)
    verify(read)
    assert same_graph(read, graph), text
    assert str(read) == text
    return read


@pytest.mark.parametrize("name", CASES)
def test_every_op_round_trips(name: str) -> None:
    for case in CASES[name]:
        _assert_round_trip(Graph([case.build(*[buffer_node(np.asarray(array)) for array in case.arrays])]))


def test_the_form_itself() -> None:
    x, weight = _leaf(128, 784), _leaf(784, 512, slot=1)
    product = ct.matmul(x, weight)
    product.origin = Origin(None, 0, "Sequential.0")
    graph = Graph([rd.reduce_sum(product, axes=(1,)), product], {weight: "0.weight"})
    lines = [line.split() for line in str(graph).splitlines()]
    assert lines == [
        "%0: f32[128,784] = buffer slot=0".split(),
        '%1: f32[784,512] = buffer slot=1 "0.weight"'.split(),
        "%2: f32[128,512] = matmul %0 %1 # Sequential.0".split(),
        "%3: f32[128,1] = reduce_sum %2 axes=(1,)".split(),
        "return %3 %2".split(),
    ]


@pytest.mark.parametrize("value", [inf, -inf, nan, -0.0, 0.0, 0.1, 1e-300, 3.0])
def test_floating_point_constants(value: float) -> None:
    node = Node(leaf.constant, (), (value,), tensor_type((), float32))
    (read,) = _assert_round_trip(Graph([node])).roots
    assert repr(read["value"]) == repr(value)
    assert copysign(1, read["value"]) == copysign(1, value)


@pytest.mark.parametrize(("value", "dtype"), [(True, bool_), (-7, int64), (255, uint8), (1.5, bfloat16)])
def test_constants_keep_their_python_type(value: object, dtype: object) -> None:
    (read,) = _assert_round_trip(Graph([Node(leaf.constant, (), (value,), tensor_type((), dtype))])).roots
    assert type(read["value"]) is type(value) and read["value"] == value


@pytest.mark.parametrize(
    "name", ["0.weight", 'say "hi"', "back\\slash", "a # b", "tab\tnew\nline", "größe", "%1 = x", ""]
)
def test_names(name: str) -> None:
    x = _leaf(2)
    read = _assert_round_trip(Graph([ew.sin(x)], {x: name}))
    assert list(read.names.values()) == [name]


@pytest.mark.parametrize("device", ["cpu", "cuda", "cuda:1", "null"])
def test_devices(device: str) -> None:
    (read,) = _assert_round_trip(Graph([ew.sin(_leaf(2, device=device))])).roots
    assert read.device is device_of(device)


def test_shapes_and_attributes() -> None:
    scalar, empty, image = _leaf(), _leaf(0, 3), _leaf(1, 2, 5, 5)
    kernel = _leaf(2, 1, 3, 3)
    window = ct.conv(image, kernel, stride=(1, 2), padding=((0, 1), (2, 0)), dilation=(1, 1), groups=2)
    target = _leaf(1, 5, 5, dtype=int64)
    loss = cross_entropy(image, target, axis=1, ignore_index=-100, label_smoothing=0.1)
    attended = attention(image, image, image, is_causal=True, scale=0.5)
    moved = mv.permute(mv.expand(scalar, shape=(2, 3)), axes=(1, 0))
    derivative = grad(scalar, ew.exp(scalar), image)
    _assert_round_trip(Graph([window, loss, attended, moved, ew.cast(empty, dtype="bfloat16"), derivative, moved]))


def test_provenance_survives_as_words() -> None:
    node = ew.sin(_leaf(2))
    node.origin = Origin(test_provenance_survives_as_words.__code__, 0, "Net.0", "grad of sin")
    (read,) = parse(str(Graph([node]))).roots
    assert str(read.origin) == str(node.origin)
    assert str(read.origin).startswith("test_text.py:")


def test_comments_and_blank_lines_are_skipped() -> None:
    graph = Graph([ew.sin(_leaf(2))])
    assert same_graph(parse("# a note\n\n" + str(graph)), graph)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%0: f32[2] = buffer slot=0\n%1: f32[3] = sin %0\nreturn %1", "line 2 .*the text says f32.3."),
        ("%0: f32[2] = nonsense\nreturn %0", "line 1 .*nonsense"),
        ("%0: f33[2] = buffer slot=0", "line 1"),
        ("%1: f32[2] = sin %0", "line 1"),
        ("hello", "line 1"),
        ("%0: f32[2] = buffer slot=(1", "line 1"),
        ("return %0", "line 1"),
    ],
)
def test_what_is_not_a_graph_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)
