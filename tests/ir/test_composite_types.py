"""Composites keep the type they promise when they are spelled out, and refuse what does not fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites import softmax as sm
from lazygrad.ir.composites.attention import attention
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.composites.loss import cross_entropy
from lazygrad.ir.composites.random import dropout, philox_dropout, philox_uniform
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import bfloat16, float16, float32, float64, int64
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.op import Kind, registry
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives.leaf import buffer, leaf_node, runtime_number
from lazygrad.ir.verify import verify
from lazygrad.passes.decompose import decompose
from tests.autodiff.test_gradcheck import CASES
from tests.reference import buffer_node, numpy_dtype, run

PRIMITIVE_KINDS = frozenset(Kind) - {Kind.COMPOSITE, Kind.IDENTITY, Kind.GRADIENT}
COMPOSITES = [name for name, op in registry.items() if op.kind is Kind.COMPOSITE and name in CASES]


def _floats(*shape: int) -> Node:
    return buffer_node(np.zeros(shape, np.float32))


def _moved_to_null(root: Node) -> Node:
    """The same single-op graph with every leaf on the null device."""
    inputs = tuple(
        leaf_node(source.op, source.attrs, tensor_type(source.shape, source.dtype, Device("null")))
        for source in root.inputs
    )
    return root.op(*inputs, **dict(root.named_attrs()))


@pytest.mark.parametrize("name", COMPOSITES)
def test_the_decomposition_has_the_promised_type_on_every_device(name: str) -> None:
    for case in CASES[name]:
        root = case.build(*[buffer_node(np.asarray(array)) for array in case.arrays])
        if any(source.op.kind is not Kind.LEAF for source in root.inputs):
            continue
        for composite in (root, _moved_to_null(root)):
            graph = decompose(Graph([composite]))
            verify(graph, PRIMITIVE_KINDS)
            assert graph.roots[0].type is composite.type


def test_the_body_inherits_the_composites_origin() -> None:
    output = sm.softmax(_floats(2, 3), axis=1)
    output.origin = Origin(None, 0, "Net.head")
    graph = decompose(Graph([output]))
    assert {str(node.origin) for node in graph.nodes if node.op is not buffer} == {"Net.head (softmax)"}


@pytest.mark.parametrize("dtype", [float16, bfloat16, float32, float64], ids=lambda dtype: dtype.name)
def test_uniform_numbers_stay_below_one(dtype: object) -> None:
    numbers = philox_uniform(runtime_number(1, int64), runtime_number(0, int64), shape=(20_000,), dtype=dtype.name)
    (drawn,) = run([numbers], {})
    assert drawn.dtype == numpy_dtype(dtype)
    assert float(drawn.min()) >= 0 and float(drawn.max()) < 1
    assert abs(float(drawn.astype(np.float64).mean()) - 0.5) < 0.02


@pytest.mark.parametrize(("p", "expected"), [(0.0, 1.0), (1.0, 0.0)])
def test_dropout_of_nothing_and_of_all(p: float, expected: float) -> None:
    x = buffer_node(np.ones(50))
    (dropped,) = run([philox_dropout(x, runtime_number(1, int64), runtime_number(0, int64), p=p)], {x: np.ones(50)})
    assert set(dropped) == {expected}


def test_rows_without_elements() -> None:
    values = np.zeros((2, 0))
    x = buffer_node(values)
    computed = run([sm.softmax(x, axis=1), sm.log_softmax(x, axis=1), sm.logsumexp(x, axes=(1,))], {x: values})
    assert [array.shape for array in computed] == [(2, 0), (2, 0), (2, 1)]
    assert np.all(computed[2] == -np.inf)


def test_infinite_rows() -> None:
    values = np.array([[-np.inf, -np.inf], [np.inf, 1.0]])
    x = buffer_node(values)
    (sums,) = run([sm.logsumexp(x, axes=(1,))], {x: values})
    np.testing.assert_array_equal(sums[:, 0], [-np.inf, np.inf])


_INDICES = buffer_node(np.zeros(4, np.int64))
_SEED = runtime_number(1, int64)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: sm.softmax(_INDICES, axis=0), RuntimeError, "softmax not implemented for 'Long'"),
        (lambda: act.sigmoid(_INDICES), RuntimeError, "sigmoid not implemented for 'Long'"),
        (lambda: linear(_floats(2, 3), _floats(4, 5)), RuntimeError, r"\(out_features, 3\)"),
        (lambda: linear(_floats(2, 3), _floats(4, 3), _floats(3)), RuntimeError, "bias of shape .4,."),
        (lambda: linear(_floats(2, 3), buffer_node(np.zeros((4, 3)))), RuntimeError, "same dtype"),
        (
            lambda: nm.layer_norm(_floats(2, 3), _floats(2), axes=(1,), eps=0.1, has_weight=True, has_bias=False),
            RuntimeError,
            "layer_norm",
        ),
        (
            lambda: cross_entropy(_floats(3, 2), _INDICES, axis=1, ignore_index=0, label_smoothing=0.0),
            ValueError,
            r"batch_size \(3\) to match target batch_size \(4\)",
        ),
        (
            lambda: cross_entropy(_floats(4, 2), _floats(4), axis=1, ignore_index=0, label_smoothing=0.0),
            RuntimeError,
            "must be int64",
        ),
        (
            lambda: cross_entropy(_floats(4, 2), _INDICES, _floats(3), axis=1, ignore_index=0, label_smoothing=0.0),
            RuntimeError,
            "all 2 classes",
        ),
        (
            lambda: attention(_floats(2, 3), _floats(2, 4), _floats(2, 3), is_causal=False, scale=1.0),
            RuntimeError,
            "do not fit together",
        ),
        (
            lambda: attention(_floats(2, 3), _floats(2, 3), _floats(2, 3), _INDICES, is_causal=False, scale=1.0),
            RuntimeError,
            "mask of bool or float32",
        ),
        (lambda: philox_dropout(_floats(2), _SEED, _SEED, p=1.5), ValueError, "between 0 and 1, but got 1.5"),
        (lambda: dropout(_floats(2), _SEED, p=0.5), RuntimeError, "said by bools"),
        (lambda: philox_uniform(_SEED, _SEED, shape=(2,), dtype="int64"), RuntimeError, "floating-point"),
    ],
)
def test_what_does_not_fit_is_refused(build: Callable[[], Node], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build()
