"""Composites against torch: values and gradients in float64, and the rounding of 16-bit floats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import mean, ones_like, reshape
from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites import softmax as sm
from lazygrad.ir.composites.attention import attention
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.composites.loss import cross_entropy
from lazygrad.ir.dtype import DType, bfloat16, float16, float32, float64
from lazygrad.ir.node import Node
from tests.reference import buffer_node, numpy_dtype, run

torch = pytest.importorskip("torch", reason="torch is the oracle of the composites, and is not installed")
functional = torch.nn.functional
RANDOM = np.random.default_rng(4)
SHAPE = (3, 4, 5)


@dataclass(frozen=True)
class Twin:
    """One composite call and torch's, over the same floating inputs; ``fixed`` are integer or bool inputs."""

    ours: Callable[..., Node]
    theirs: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...] = (SHAPE,)
    fixed: tuple[np.ndarray, ...] = ()
    low: float = -3.0


TARGET = np.array([1, 0, -100])
DENSE = RANDOM.integers(0, 4, (3, 5))
MASK = np.array([[True, False, True], [False, False, False]])
_LOSS = {"axis": 1, "ignore_index": -100, "label_smoothing": 0.0}

TWINS: dict[str, Twin] = {
    "relu": Twin(act.relu, torch.relu),
    "square": Twin(act.square, torch.square),
    "sigmoid": Twin(act.sigmoid, torch.sigmoid),
    "silu": Twin(act.silu, functional.silu),
    "gelu": Twin(lambda x: act.gelu(x, approximate="none"), functional.gelu),
    "gelu_tanh": Twin(lambda x: act.gelu(x, approximate="tanh"), lambda x: functional.gelu(x, approximate="tanh")),
    "softplus": Twin(lambda x: act.softplus(x, beta=2.0, threshold=3.0), lambda x: functional.softplus(x, 2.0, 3.0)),
    "elu": Twin(lambda x: act.elu(x, alpha=0.7), lambda x: functional.elu(x, 0.7)),
    "leaky_relu": Twin(lambda x: act.leaky_relu(x, slope=0.1), lambda x: functional.leaky_relu(x, 0.1)),
    "logsigmoid": Twin(act.logsigmoid, functional.logsigmoid),
    "reciprocal": Twin(act.reciprocal, torch.reciprocal, low=0.5),
    "rsqrt": Twin(act.rsqrt, torch.rsqrt, low=0.5),
    "softmax": Twin(lambda x: sm.softmax(x, axis=1), lambda x: torch.softmax(x, 1)),
    "log_softmax": Twin(lambda x: sm.log_softmax(x, axis=2), lambda x: torch.log_softmax(x, 2)),
    "logsumexp": Twin(lambda x: sm.logsumexp(x, axes=(0, 2)), lambda x: torch.logsumexp(x, (0, 2), keepdim=True)),
    "average": Twin(lambda x: nm.average(x, axes=(0, 2)), lambda x: torch.mean(x, (0, 2), keepdim=True)),
    "variance": Twin(
        lambda x: nm.variance(x, axes=(0, 2), correction=1), lambda x: torch.var(x, (0, 2), correction=1, keepdim=True)
    ),
    "layer_norm": Twin(
        lambda x, w, b: nm.layer_norm(x, w, b, axes=(1, 2), eps=1e-5, has_weight=True, has_bias=True),
        lambda x, w, b: functional.layer_norm(x, (4, 5), w, b),
        (SHAPE, (4, 5), (4, 5)),
    ),
    "rms_norm": Twin(
        lambda x, w: nm.rms_norm(x, w, axes=(2,), eps=1e-5, has_weight=True),
        lambda x, w: functional.rms_norm(x, (5,), w, 1e-5),
        (SHAPE, (5,)),
    ),
    "batch_norm": Twin(
        lambda x, w, b: nm.batch_norm(
            x,
            mean(x, (0, 2)),
            nm.variance(x, axes=(0, 2), correction=0),
            reshape(w, (1, 4, 1)),
            reshape(b, (1, 4, 1)),
            eps=1e-5,
            has_weight=True,
            has_bias=True,
        ),
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, training=True, eps=1e-5),
        (SHAPE, (4,), (4,)),
    ),
    "linear": Twin(linear, functional.linear, (SHAPE, (2, 5), (2,))),
    "cross_entropy": Twin(
        lambda x, t: cross_entropy(x, t, **_LOSS),
        lambda x, t: functional.cross_entropy(x, t, reduction="none").unsqueeze(1),
        ((3, 4),),
        (TARGET,),
    ),
    "cross_entropy_smoothed": Twin(
        lambda x, t: cross_entropy(x, t, **{**_LOSS, "label_smoothing": 0.1}),
        lambda x, t: functional.cross_entropy(x, t, reduction="none", label_smoothing=0.1).unsqueeze(1),
        (SHAPE,),
        (DENSE,),
    ),
    "attention": Twin(
        lambda q, k, v: attention(q, k, v, is_causal=True, scale=0.5),
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5),
        ((2, 3, 4), (2, 3, 4), (2, 3, 4)),
    ),
    "attention_masked": Twin(
        lambda q, k, v, m: attention(q, k, v, m, is_causal=False, scale=0.5),
        lambda q, k, v, m: functional.scaled_dot_product_attention(q, k, v, m, scale=0.5),
        ((2, 2, 4), (2, 3, 4), (2, 3, 4)),
        (MASK,),
    ),
}


def _ours(twin: Twin, inputs: list[np.ndarray]) -> list[np.ndarray]:
    nodes = [buffer_node(array) for array in inputs]
    fixed = [buffer_node(array) for array in twin.fixed]
    output = twin.ours(*nodes, *fixed)
    found = reverse_sweep(output, ones_like(output), nodes)
    values = dict(zip([*nodes, *fixed], [*inputs, *twin.fixed], strict=True))
    return run([output, *[found[node] for node in nodes]], values)


def _theirs(twin: Twin, inputs: list[np.ndarray], dtype: DType) -> list[np.ndarray]:
    tensors = [torch.tensor(a.astype(np.float64), dtype=getattr(torch, dtype.name), requires_grad=True) for a in inputs]
    output = twin.theirs(*tensors, *map(torch.tensor, twin.fixed))
    output.sum().backward()
    return [output.detach().double().numpy(), *[tensor.grad.double().numpy() for tensor in tensors]]


def _inputs(twin: Twin, dtype: DType) -> list[np.ndarray]:
    return [RANDOM.uniform(twin.low, 3.0, shape).astype(numpy_dtype(dtype)) for shape in twin.shapes]


@pytest.mark.parametrize("name", TWINS)
def test_values_and_gradients_are_torchs(name: str) -> None:
    twin = TWINS[name]
    inputs = _inputs(twin, float64)
    for ours, theirs in zip(_ours(twin, inputs), _theirs(twin, inputs, float64), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dtype", [float16, bfloat16], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize(
    "name", [n for n in TWINS if n not in ("linear", "attention", "attention_masked", "batch_norm")]
)
def test_16_bit_floats_are_rounded_once(name: str, dtype: DType) -> None:
    """Values agree with torch's to one unit in the last place; gradients, sums of several roundings, to a few."""
    twin = TWINS[name]
    inputs = _inputs(twin, dtype)
    unit = float(ml_dtypes.finfo(numpy_dtype(dtype)).eps)
    results = zip(_ours(twin, inputs), _theirs(twin, inputs, dtype), strict=True)
    for position, (ours, theirs) in enumerate(results):
        is_statistic = position == 0 and name in ("average", "variance")
        assert ours.dtype == (np.float64 if is_statistic else numpy_dtype(dtype))
        tolerance = unit if position == 0 else 4 * unit
        np.testing.assert_allclose(ours.astype(np.float64), theirs, rtol=tolerance, atol=tolerance)


def test_layer_norm_of_a_16_bit_input_takes_a_float32_weight() -> None:
    x, weight = buffer_node(np.ones((2, 3), np.float16)), buffer_node(np.ones(3, np.float32))
    output = nm.layer_norm(x, weight, axes=(1,), eps=1e-5, has_weight=True, has_bias=False)
    found = reverse_sweep(output, ones_like(output), [x, weight])
    assert (output.dtype, found[x].dtype, found[weight].dtype) == (float16, float16, float32)
