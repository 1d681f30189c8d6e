"""How many kernels and library calls well-known programs become. Every number here is exact and meant."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn, optim
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor
from tests.passes.programs import calls, calls_together, calls_with_gradients, realized

ROWS, COLUMNS = 64, 128
FORWARD: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, int]]] = {
    "softmax": (lambda x: lg.softmax(x, -1), (1, 0)),
    "softmax over the first axis": (lambda x: lg.softmax(x, 0), (1, 0)),
    "log_softmax": (lambda x: lg.log_softmax(x, -1), (1, 0)),
    "logsumexp": (lambda x: lg.logsumexp(x, 1), (1, 0)),
    "layer_norm": (lambda x: F.layer_norm(x, (COLUMNS,), realized(COLUMNS), realized(COLUMNS)), (1, 0)),
    "rms_norm": (lambda x: F.rms_norm(x, (COLUMNS,), realized(COLUMNS)), (1, 0)),
    "standardized by hand": (lambda x: (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True), (1, 0)),
    "gelu": (F.gelu, (1, 0)),
    "gelu with tanh": (lambda x: F.gelu(x, approximate="tanh"), (1, 0)),
    "sum with prologue and epilogue": (lambda x: lg.sqrt((x * x + 1).sum(1)) * 2, (1, 0)),
    "total with prologue and epilogue": (lambda x: lg.sqrt((x * x + 1).sum()) * 2, (1, 0)),
    "column sum with prologue and epilogue": (lambda x: lg.sqrt((x * x + 1).sum(0)) * 2, (1, 0)),
    "two softmaxes in a row": (lambda x: lg.softmax(lg.softmax(x, -1) * 3, -1), (1, 0)),
    "softmax over one axis, then the other": (lambda x: lg.softmax(lg.softmax(x, 1), 0), (2, 0)),
    "through views that only broadcast": (lambda x: x.unsqueeze(0).expand(3, ROWS, COLUMNS) + 1, (1, 0)),
    "a transpose as input": (lambda x: x.T * 2 + 1, (1, 0)),
    "a slice of a computed value": (lambda x: (x * 2)[1:] + 1, (2, 0)),
    "bias and relu after a product": (lambda x: F.relu(x @ realized(COLUMNS, 32) + realized(32)), (1, 1)),
    "linear and relu": (lambda x: F.relu(F.linear(x, realized(32, COLUMNS), realized(32))), (1, 1)),
}


@pytest.mark.parametrize("name", FORWARD)
def test_forward(name: str) -> None:
    function, expected = FORWARD[name]
    assert calls(function(realized(ROWS, COLUMNS))) == expected


def gelu_by_hand(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + lg.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def test_written_out_gelu_is_one_kernel_forwards_and_with_its_gradient() -> None:
    assert calls(gelu_by_hand(realized(ROWS, COLUMNS))) == (1, 0)
    x = realized(ROWS, COLUMNS, requires_grad=True)
    assert calls_with_gradients(gelu_by_hand(x), [x]) == (1, 0)


BOTH_WAYS: dict[str, Callable[[Tensor], Tensor]] = {
    "softmax": lambda x: lg.softmax(x, -1),
    "log_softmax": lambda x: lg.log_softmax(x, -1),
    "gelu": F.gelu,
    "silu": F.silu,
}


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_forward_and_backward_are_one_kernel(name: str) -> None:
    x = realized(ROWS, COLUMNS, requires_grad=True)
    assert calls_with_gradients(BOTH_WAYS[name](x), [x]) == (1, 0)


def test_a_mean_and_its_gradient_have_nothing_to_share() -> None:
    x = realized(ROWS, COLUMNS, requires_grad=True)
    assert calls_with_gradients(x.mean(), [x]) == (2, 0)


def test_layer_norm_with_all_its_gradients_is_one_kernel() -> None:
    x, weight, bias = (realized(*shape, requires_grad=True) for shape in ((ROWS, COLUMNS), (COLUMNS,), (COLUMNS,)))
    assert calls_with_gradients(F.layer_norm(x, (COLUMNS,), weight, bias), [x, weight, bias]) == (1, 0)


def test_cross_entropy() -> None:
    target = lg.tensor(np.arange(ROWS) % 10)
    assert calls(F.cross_entropy(realized(ROWS, 10), target)) == (2, 1)
    x = realized(ROWS, 10, requires_grad=True)
    assert calls_with_gradients(F.cross_entropy(x, target), [x]) == (3, 1)


def test_linear_and_relu_with_gradients() -> None:
    x, weight, bias = (realized(*shape, requires_grad=True) for shape in ((ROWS, COLUMNS), (32, COLUMNS), (32,)))
    assert calls_with_gradients(F.relu(F.linear(x, weight, bias)), [x, weight, bias]) == (1, 3)


def test_several_outputs_of_one_chain_share_a_kernel() -> None:
    first = realized(ROWS, COLUMNS) * 2 + 1
    second = lg.exp(first)
    assert calls_together(first, second, first - second) == (1, 0)


def test_siblings_that_read_the_same_input_share_a_kernel() -> None:
    x = realized(ROWS, COLUMNS)
    assert calls_together(lg.exp(x), lg.sin(x), x.sum(1)) == (1, 0)


def test_sums_over_both_axes_share_a_kernel() -> None:
    x = realized(ROWS, COLUMNS)
    assert calls_together(x.sum(0), x.sum(1)) == (1, 0)


def test_unrelated_programs_do_not_share_a_kernel() -> None:
    assert calls_together(realized(ROWS, COLUMNS) + 1, realized(COLUMNS, 3) + 1) == (2, 0)


def train_calls(model: nn.Module, inputs: Tensor, classes: int) -> tuple[int, int]:
    """Calls of the third step of training ``model`` with Adam: for the loss and its gradients."""
    targets = lg.tensor(np.arange(len(inputs)) % classes)
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(3):
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
    plan = lg.last_step().plan_object
    return plan.kernel_calls, plan.library_calls


def test_mlp_training_step() -> None:
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 10))
    assert train_calls(model, realized(32, 64), 10) == (6, 9)


def test_cnn_training_step() -> None:
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10)
    )
    assert train_calls(model, realized(32, 1, 8, 8), 10) == (9, 8)


class Attention(nn.Module):
    """Multi-head self-attention as tutorials write it."""

    def __init__(self, features: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(features, 3 * features)
        self.output = nn.Linear(features, features)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, features = x.shape
        query, key, value = (
            part.view(batch, length, self.heads, features // self.heads).transpose(1, 2)
            for part in self.project(x).split(features, -1)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, features))


def test_attention_block() -> None:
    with lg.no_grad():
        assert calls(Attention(32, 4)(realized(2, 16, 32))) == (5, 5)


def test_attention_block_of_many_scores() -> None:
    with lg.no_grad():
        assert calls(Attention(32, 4)(realized(2, 96, 32))) == (3, 3)


def test_attention_block_of_many_scores_with_gradients() -> None:
    attention = Attention(32, 4)
    y = attention(realized(2, 96, 32))
    assert calls_with_gradients(y, list(attention.parameters())) == (8, 7)


def test_attention_block_with_gradients() -> None:
    attention = Attention(32, 4)
    y = attention(realized(2, 16, 32))
    assert calls_with_gradients(y, list(attention.parameters())) == (9, 13)
