"""Composites that the interpreter computes in one go have the bits of what they are spelled out as."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from lazygrad.ir.callable_op import Composite
from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites import gradients as gr
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites import optimizer as opt
from lazygrad.ir.composites import random, requirement
from lazygrad.ir.composites import softmax as sm
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.composites.loss import cross_entropy
from lazygrad.ir.dtype import float32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.op import Kind, registry
from lazygrad.ir.primitives.leaf import runtime_number
from lazygrad.passes.decompose import decompose
from lazygrad.targets.numpy.evaluate import NumpyEvaluator
from tests.autodiff.cases_structural import FIXED
from tests.autodiff.test_gradcheck import CASES
from tests.reference import buffer_node

evaluator = NumpyEvaluator()
Values = dict[Node, Any]


def value_of(node: Node, values: Values) -> Any:
    """Every node computed into new memory, composites as their parts unless the evaluator computes them."""
    if node in values:
        return values[node]
    if not node.inputs and node.op.kind is Kind.LEAF:
        return evaluator.number(node)
    operands = [value_of(source, values) for source in node.inputs]
    if node.op.kind is Kind.MOVEMENT:
        return evaluator.moved(node, operands[0])
    if node.op.kind is Kind.IDENTITY:
        return operands[0]
    computation = evaluator.computation(node)
    assert computation is not None
    out = np.full(node.shape, 77).astype(node.dtype.name)
    computation.compute(node, out, operands)
    return out


def spelled_out(node: Node, values: Values) -> Any:
    with np.errstate(all="ignore"):
        return value_of(decompose(Graph([node])).roots[0], values)


def computed(node: Node, values: Values) -> Any:
    assert isinstance(node.op, Composite)
    with np.errstate(all="ignore"):
        return value_of(node, values)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


def same_bits(node: Node, values: Values) -> None:
    found, wanted = computed(node, values), spelled_out(node, values)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    assert found.tobytes() == np.ascontiguousarray(wanted).tobytes()


@pytest.mark.parametrize("name", [name for name in CASES if registry[name].kind is Kind.COMPOSITE])
def test_every_composite_has_the_bits_of_its_parts(name: str) -> None:
    for case in CASES[name]:
        arrays = [np.asarray(array) for array in case.arrays]
        inputs = [buffer_node(array) for array in arrays]
        values = {**FIXED.values, **dict(zip(inputs, arrays, strict=True))}
        node = case.build(*inputs)
        if node.op is registry[name] and evaluator.computation(node) is not None:
            same_bits(node, {**values, **{s: spelled_out(s, values) for s in node.inputs if s.inputs}})


def _norm(x: Node, w: Node, b: Node) -> Node:
    return nm.layer_norm(x, w, b, axes=(2,), eps=1e-5, has_weight=True, has_bias=True)


IN_ONE_GO = {
    "softmax": (lambda x: sm.softmax(x, axis=2), [(3, 5, 40)]),
    "log_softmax": (lambda x: sm.log_softmax(x, axis=1), [(3, 5, 40)]),
    "softmax_gradient": (lambda g, y: gr.softmax_gradient(g, y, axis=2), [(3, 5, 40)] * 2),
    "log_softmax_gradient": (lambda g, y: gr.log_softmax_gradient(g, y, axis=2), [(3, 5, 40)] * 2),
    "average": (lambda x: nm.average(x, axes=(0, 2)), [(3, 5, 40)]),
    "variance": (lambda x: nm.variance(x, axes=(0, 2), correction=1), [(3, 5, 40)]),
    "variance_gradient": (
        lambda g, x: gr.variance_gradient(g, x, axes=(0, 2), correction=1), [(1, 5, 1), (3, 5, 40)]),
    "layer_norm": (_norm, [(3, 5, 40), (40,), (40,)]),
    "layer_norm_gradient": (
        lambda g, x, w: gr.layer_norm_gradient(g, x, w, axes=(2,), eps=1e-5), [(3, 5, 40), (3, 5, 40), (40,)]),
    "layer_norm_weight_gradient": (
        lambda g, x: gr.layer_norm_weight_gradient(g, x, axes=(2,), eps=1e-5, shape=(40,)), [(3, 5, 40)] * 2),
    "linear": (linear, [(3, 5, 40), (7, 40), (7,)]),
    "linear_input_gradient": (gr.linear_input_gradient, [(3, 5, 7), (7, 40)]),
    "linear_weight_gradient": (gr.linear_weight_gradient, [(3, 5, 7), (3, 5, 40)]),
    "summed_to": (lambda x: gr.summed_to(x, shape=(1, 40)), [(3, 5, 40)]),
    "summed_to_a_vector": (lambda x: gr.summed_to(x, shape=(40,)), [(3, 5, 40)]),
    "batch_norm_gradient": (
        lambda g, v: gr.batch_norm_gradient(g, v, eps=1e-5), [(3, 5, 40), (1, 5, 1)]),
    "batch_norm_variance_gradient": (
        lambda *inputs: gr.batch_norm_variance_gradient(*inputs, eps=1e-5),
        [(1, 5, 1), (1, 5, 1), (1, 5, 1)]),
    "relu": (act.relu, [(3, 40)]),
    "gelu": (lambda x: act.gelu(x, approximate="none"), [(3, 40)]),
    "gelu_tanh": (lambda x: act.gelu(x, approximate="tanh"), [(3, 40)]),
    "gelu_gradient": (lambda g, x: gr.gelu_gradient(g, x, approximate="none"), [(3, 40)] * 2),
    "silu": (act.silu, [(3, 40)]),
    "silu_gradient": (gr.silu_gradient, [(3, 40)] * 2),
    "sigmoid": (act.sigmoid, [(3, 40)]),
    "square": (act.square, [()]),
    "relu_gradient": (gr.relu_gradient, [(3, 40)] * 2),
    "relu_gradient_of_a_number": (gr.relu_gradient, [()] * 2),
    "batch_norm": (
        lambda x, m, v: nm.batch_norm(x, m, v, eps=1e-5, has_weight=False, has_bias=False),
        [(3, 5, 40), (1, 5, 1), (1, 5, 1)]),
    "adam_update": (opt.adam_update, [(3, 40), (3, 40), (3, 40), (), (), ()]),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_ONE_GO)
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_common_composites_are_computed_in_one_go(name: str, layout: str) -> None:
    build, shapes = IN_ONE_GO[name]
    for extra in (0, 1):  # a function that was made for other extents serves these, too
        arrays = [np.abs(numbers(*shape, seed=i + extra)) - 0.25 for i, shape in enumerate(shapes)]
        if extra and name in ("relu", "gelu", "silu", "softmax"):
            arrays = [numbers(2, 9, 40) for _ in arrays]
        if layout == "columns":
            arrays = [np.asfortranarray(array) for array in arrays]
        inputs = [buffer_node(array) for array in arrays]
        node = build(*inputs)
        assert evaluator.computation(node) is not None
        same_bits(node, dict(zip(inputs, arrays, strict=True)))


@pytest.mark.parametrize("target", [[1, 0, 2, 1], [1, -100, 2, -100], [-100] * 4])
def test_cross_entropy_and_its_gradient(target: list[int]) -> None:
    attrs = {"axis": 1, "ignore_index": -100, "label_smoothing": 0.0}
    for shape in ((4, 3), (2, 3, 2), (4, 30)):
        logits = numbers(*shape)
        logits.flat[0], logits.flat[-1] = np.inf, -np.inf
        classes = np.array(target).reshape((shape[0], *shape[2:]))
        g = numbers(shape[0], 1, *shape[2:])
        nodes = [buffer_node(a) for a in (g, logits, classes)]
        values = dict(zip(nodes, (g, logits, classes), strict=True))
        for node in (cross_entropy(*nodes[1:], **attrs), gr.cross_entropy_gradient(*nodes, **attrs)):
            assert evaluator.computation(node) is not None
            same_bits(node, values)


def test_a_limit_that_is_a_number_is_told_from_one_that_is_a_tensor() -> None:
    x, zero = np.array([0.0, -0.0, 1.0], np.float32), np.array(-0.0, np.float32)
    nodes = [buffer_node(x), buffer_node(zero)]
    for bound in (nodes[1], nodes[0].like(-0.0), runtime_number(-0.0, float32), nodes[0]):
        same_bits(act.clamp_min(nodes[0], bound), dict(zip(nodes, (x, zero), strict=True)))


def test_one_value_at_two_inputs_is_told_from_two() -> None:
    x, y = numbers(3, 4), numbers(3, 4, seed=1)
    nodes = [buffer_node(x), buffer_node(y)]
    for pair in ((0, 0), (0, 1)):
        same_bits(gr.silu_gradient(*[nodes[i] for i in pair]), dict(zip(nodes, (x, y), strict=True)))


def test_a_mask_drops() -> None:
    x, kept = numbers(4, 6), np.arange(24).reshape(4, 6) % 3 > 0
    nodes = [buffer_node(x), buffer_node(kept)]
    same_bits(random.dropout(*nodes, p=0.3), dict(zip(nodes, (x, kept), strict=True)))


def test_a_class_that_does_not_exist_is_refused() -> None:
    target = np.array([0, 5, -100])
    node = buffer_node(target)
    for classes in (6, 5):
        checked = requirement.class_index(node, name="loss", axis=1, classes=classes, ignore_index=-100)
        if classes == 6:
            same_bits(checked, {node: target})
            continue
        with pytest.raises(IndexError, match="Target 5 is out of bounds"):
            computed(checked, {node: target})


@pytest.mark.parametrize("index", [np.array([0, 4, -5]), np.array(3), np.zeros((2, 0), np.int64)], ids=str)
def test_what_lies_in_a_range_is_handed_on(index: np.ndarray) -> None:
    node = buffer_node(index)
    same_bits(requirement.in_range(node, low=-5, high=4, error="IndexError", message="index {}"), {node: index})


@pytest.mark.parametrize("bad", [5, -6, 2**62, -(2**63)])
def test_what_lies_outside_a_range_is_refused_and_named(bad: int) -> None:
    index = np.array([0, bad])
    node = buffer_node(index)
    checked = requirement.in_range(node, low=-5, high=4, error="IndexError", message="index {}")
    with pytest.raises(IndexError, match=f"^index {bad}$"):
        computed(checked, {node: index})


@pytest.mark.parametrize("bad", [np.nan, -0.25, 1.5, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_in_a_range_are_handed_on_and_others_refused_and_named(dtype: type, bad: float) -> None:
    x = np.array([[0.0, -0.0, 1.0, 0.5]], dtype)
    node = buffer_node(x)
    for low, high in ((0, 1), (-0.125, 1.25)):
        same_bits(requirement.in_range(node, low=low, high=high, error="ValueError", message="{}?"), {node: x})
        wrong = x.copy()
        wrong[0, 2] = bad
        place = buffer_node(wrong)
        checked = requirement.in_range(place, low=low, high=high, error="ValueError", message="{}?")
        with pytest.raises(ValueError, match=f"^{re.escape(str(dtype(bad)))}"):
            computed(checked, {place: wrong})


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64"])
def test_few_elements_are_folded_in_one_call_and_many_rows_side_by_side(dtype: str) -> None:
    for rows in (1, 3, 200):
        x = (np.arange(rows * 4).reshape(rows, 4) % 3).astype(dtype)
        node = buffer_node(x)
        for op, fold in ((registry["reduce_max"], np.maximum), (registry["reduce_min"], np.minimum)):
            out = value_of(make_node(op, (node,), ((1,),), None), {node: x})
            assert out.tobytes() == fold.reduce(x, axis=1, keepdims=True).tobytes()
