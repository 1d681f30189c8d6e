"""Library calls, run as CUDA source, against numpy."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.op import registry
from lazygrad.targets.cuda import library
from tests.cuda_emulator.driver import Order
from tests.targets.cuda.comparing import Case, Program, check, gradients, values
from tests.targets.cuda.emulating import emulating

F = lg.nn.functional
_rng = np.random.default_rng(1)


def normal(*shape: int) -> np.ndarray:
    return _rng.standard_normal(shape).astype(np.float32)


ROWS = _rng.integers(-30, 30, 9)
PLACES = _rng.integers(0, 30, (10, 7))
IMAGES = normal(2, 4, 11, 12)

ATTENDED = (normal(2, 1, 100, 16), normal(2, 1, 110, 16), normal(2, 1, 110, 24))
MASK = normal(100, 110) > 0
MASK_OF_BLIND = MASK & (np.arange(100) % 7 != 3)[:, None]


def recurrent(kind: Any, lengths: Sequence[int] = (), **options: Any) -> Program:
    """A recurrent layer on sequences, and the gradients in them and in its parameters."""

    def run(x: Any) -> list[Any]:
        lg.manual_seed(0)
        layer, given = kind(6, 8, **options), x.detach().requires_grad_()
        pack, pad = lg.nn.utils.rnn.pack_padded_sequence, lg.nn.utils.rnn.pad_packed_sequence
        out = pad(layer(pack(given, lg.tensor(lengths)))[0])[0] if lengths else layer(given)[0]
        return [out.detach(), *lg.autograd.grad((out * out).sum(), [given, *layer.parameters()])]

    return run


CASES = {
    "matmul": Case(lambda x, y: x @ y.T, (normal(30, 96), normal(50, 96))),
    "matmul of integers": Case(lambda x, y: x @ y, (_rng.integers(-9, 9, (5, 6)), _rng.integers(-9, 9, (6, 7)))),
    "matmul of batches": Case(lambda x, y: x @ y.mT, (normal(4, 3, 20), normal(5, 20))),
    "matmul of broadcast batches": Case(lambda x, y: x[:, None] @ y, (normal(2, 5, 6), normal(3, 6, 7))),
    "matmul of strided views": Case(lambda x: x[::2, ::3] @ x[1:4, ::2], (normal(6, 9),)),
    "matmul of columns": Case(lambda x: (x[:, :1] @ x[:1], x[:1] @ x.T, x.T[2:3] @ x), (normal(6, 6),)),
    "concat": Case(lambda x, y: lg.cat([x, y, x.flip(1)], 1) * 1, (normal(30, 6), normal(30, 5))),
    "moves": Case(lambda x: (x.roll(3, 1), x.roll(-2, 0), x.repeat(2, 3), x.view(lg.int32) + 0), (normal(10, 13),)),
    "counting": Case(lambda x: x + lg.arange(13) + lg.arange(10)[:, None], (normal(10, 13),)),
    "writes in views": Case(lambda x: x.select_scatter(x[0] * 2, 0, 3).diagonal_scatter(x[0]), (normal(10, 10),)),
    "rows": Case(lambda x, i: (x[i] * 2, x[i, i] * 2, x[:, i] * 2), (normal(30, 30), ROWS)),
    "rows in packets": Case(lambda x, i: x[i] * 2, (normal(30, 64), ROWS)),
    "embedding": Case(gradients(lambda x, i: F.embedding(i % 30, x)), (normal(30, 64), ROWS)),
    "narrow rows": Case(gradients(lambda x, i: x[i]), (normal(30, 3), ROWS)),
    "put": Case(lambda x, i, v: x.index_put((i,), v), (normal(30, 6), ROWS, normal(9, 6))),
    "rows of complex numbers": Case(
        lambda x, i, v: lg.complex(x, x).index_add(0, i % 30, lg.complex(v, -v)), (normal(30, 40), ROWS, normal(9, 40))
    ),
    "put and add": Case(lambda x, i, v: x.index_put((i,), v, accumulate=True), (normal(30, 8), ROWS, normal(9, 8))),
    "gather": Case(gradients(lambda x, i: x.gather(1, i)), (normal(10, 30), PLACES)),
    "scatter": Case(
        lambda x, i, s: (x.scatter(1, i, s), x.scatter_add(1, i, s), x.scatter_reduce(1, i, s, "prod")),
        (normal(10, 30), PLACES, normal(10, 7)),
    ),
    "scatter extremes": Case(
        lambda x, i, s: (x.scatter_reduce(1, i, s, "amax"), x.scatter_reduce(1, i, s, "amin", include_self=False)),
        (normal(10, 30), PLACES, normal(10, 7)),
    ),
    "positions of extremes": Case(lambda x: (x.argmax(1), x.argmin(0), x.argmax()), (normal(30, 97).round(),)),
    "sorting": Case(
        lambda x: (x.argsort(1, stable=True), x.sort(0, descending=True)[0], x.topk(3)[0]), (normal(10, 37).round(),)
    ),
    "sorting long lines": Case(lambda x: x.sort(1, stable=True), (normal(2, 3000).round(1),)),
    "scans": Case(lambda x: (x.cumsum(1), x.cumsum(0), x.cumprod(1), x.logcumsumexp(1)), (normal(10, 397),), 1e-4),
    "scans of complex numbers": Case(
        lambda x, y: (lg.complex(x, y).cumsum(0), lg.complex(x, y).logcumsumexp(1), lg.complex(x, y).cumprod(0)),
        (normal(10, 97), normal(10, 97)),
        1e-4,
    ),
    "running extremes": Case(lambda x: (*x.cummax(1), *x.cummin(0)), (normal(10, 37).round(),)),
    "convolution": Case(
        gradients(lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1)), (IMAGES, normal(6, 4, 3, 3), normal(6)), 1e-4
    ),
    "convolution in groups": Case(
        gradients(lambda x, w: F.conv2d(x, w, padding=1, groups=2)), (IMAGES, normal(6, 2, 3, 3)), 1e-4
    ),
    "depthwise convolution": Case(
        gradients(lambda x, w: F.conv2d(x, w, padding=1, groups=4)), (IMAGES, normal(8, 1, 3, 3)), 1e-4
    ),
    "depthwise convolution with steps": Case(
        gradients(lambda x, w: F.conv2d(x, w, stride=(2, 1), padding=(2, 0), dilation=(1, 3), groups=4)),
        (IMAGES, normal(4, 1, 4, 2)),
        1e-4,
    ),
    "depthwise convolution of one axis": Case(
        gradients(lambda x, w: F.conv1d(x.half(), w.half(), groups=4).float()),
        (normal(2, 4, 11), normal(8, 1, 3)),
        1e-2,
    ),
    "pointwise convolution": Case(gradients(lambda x, w: F.conv2d(x, w)), (IMAGES, normal(8, 4, 1, 1)), 1e-4),
    "convolution of one axis": Case(gradients(F.conv1d), (normal(2, 4, 11), normal(8, 4, 3)), 1e-4),
    "dilated convolution of three axes": Case(
        gradients(lambda x, w: F.conv3d(x, w, dilation=2)), (normal(1, 2, 6, 7, 8), normal(2, 2, 2, 2, 3)), 1e-4
    ),
    "max pooling": Case(gradients(lambda x: F.max_pool2d(x, 3, 2, 1)), (IMAGES,)),
    "winners of pooling": Case(lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), (IMAGES.round(),)),
    "average pooling": Case(gradients(lambda x: F.avg_pool2d(x, 3, 2, 1)), (IMAGES,)),
    "attention": Case(gradients(lambda q, k, v: F.scaled_dot_product_attention(q, k, v)), ATTENDED, 1e-4),
    "causal attention": Case(
        gradients(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)), ATTENDED, 1e-4
    ),
    "masked attention": Case(
        gradients(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=lg.tensor(MASK))), ATTENDED, 1e-4
    ),
    "attention with a bias": Case(
        gradients(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=lg.tensor(MASK).float())),
        ATTENDED,
        1e-4,
    ),
    "attention that sees nothing": Case(
        gradients(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=lg.tensor(MASK_OF_BLIND))),
        ATTENDED,
        1e-4,
    ),
    "attention of items that share keys": Case(
        gradients(lambda q, k, v: F.scaled_dot_product_attention(q.transpose(1, 2), k[:, None], v[:, None], scale=0.3)),
        (normal(1, 100, 2, 6), normal(1, 90, 6), normal(1, 90, 40)),
        1e-4,
    ),
    "attention of long rows": Case(
        gradients(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
        (normal(70, 160), normal(120, 160), normal(120, 130)),
        1e-4,
    ),
    "attention of rows too long for tiles": Case(
        gradients(lambda q, k, v: F.scaled_dot_product_attention(q, k, v)),
        (normal(70, 20), normal(120, 20), normal(120, 400)),
        1e-4,
    ),
    "attention of doubles": Case(
        gradients(lambda q, k, v: F.scaled_dot_product_attention(q.double(), k.double(), v.double())), ATTENDED, 1e-4
    ),
    "attention that is spelled out, with a fill": Case(
        gradients(lambda q, k, v: (q @ k.mT * 0.2).masked_fill(lg.tensor(MASK), -1e4).softmax(-1) @ v), ATTENDED, 1e-4
    ),
    "attention that is spelled out, and sees nothing": Case(
        gradients(
            lambda q, k, v: (q @ k.mT / math.sqrt(16)).masked_fill(lg.tensor(~MASK_OF_BLIND), -math.inf).softmax(-1) @ v
        ),
        ATTENDED,
        1e-4,
    ),
    "attention that is spelled out, with a computed fill": Case(
        gradients(lambda q, k, v: (q @ k.mT).masked_fill(lg.tensor(MASK), q.detach().amin()).softmax(-1) @ v),
        ATTENDED,
        1e-4,
    ),
    "lstm": Case(recurrent(lg.nn.LSTM), (normal(7, 3, 6),), 1e-4),
    "gru": Case(recurrent(lg.nn.GRU, bidirectional=True), (normal(7, 3, 6),), 1e-4),
    "rnn": Case(recurrent(lg.nn.RNN, nonlinearity="relu"), (normal(7, 3, 6),), 1e-4),
    "lstm of lengths": Case(recurrent(lg.nn.LSTM, [7, 4, 2]), (normal(7, 3, 6),), 1e-4),
    "gru of lengths": Case(recurrent(lg.nn.GRU, [7, 4, 2]), (normal(7, 3, 6),), 1e-4),
    "projected lstm": Case(recurrent(lg.nn.LSTM, proj_size=5), (normal(7, 3, 6),), 1e-4),
    "projected lstm of lengths": Case(
        recurrent(lg.nn.LSTM, [7, 4, 2], proj_size=5, bidirectional=True), (normal(7, 3, 6),), 1e-4
    ),
    "ctc": Case(
        gradients(lambda x, y: F.ctc_loss(x.log_softmax(2), y, lg.tensor([9, 7]), lg.tensor([3, 2]), reduction="none")),
        (normal(9, 2, 6), _rng.integers(1, 6, (2, 3))),
        1e-4,
    ),
    "unfold": Case(gradients(lambda x: F.unfold(x, 3, padding=1, stride=2)), (IMAGES,)),
}


@pytest.mark.parametrize("name", CASES)
def test_call(name: str) -> None:
    check(CASES[name], Order.DESCENDING if len(name) % 2 else Order.ASCENDING)


def test_no_order_of_threads_changes_a_bit_of_attention() -> None:
    case = CASES["causal attention"]
    found = []
    for order in (Order.ASCENDING, Order.SHUFFLED):
        with emulating(order):
            found.append(values(case.program, [array[:1] for array in case.inputs]))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_attention_in_tiles_stores_no_scores() -> None:
    def step() -> Any:
        q, k, v = (lg.zeros(2, 1024, 64).requires_grad_() for _ in range(3))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return out, *lg.autograd.grad(out.sum(), [q, k, v])

    source = str(lg.compile_for(step, target="cuda"))
    assert re.findall(r": (attention\w*)<", source) == [
        "attention_tiles", "attention_query_tiles", "attention_key_tiles"
    ] and "multiply" not in source  # fmt: skip
    offsets = [int(offset.replace(",", "")) for offset in re.findall(r"arena \+ ([\d,]+)", source)]
    assert max(offsets) < 8 * 2 * 1024 * 64 * 4, "an array of 1024 x 1024 scores takes as much as 16 operands"


def test_a_depthwise_convolution_and_its_gradients_gather_no_columns() -> None:
    def step() -> Any:
        x, w = lg.zeros(2, 4, 8, 8).requires_grad_(), lg.zeros(8, 1, 3, 3).requires_grad_()
        out = F.conv2d(x, w, padding=1, groups=4)
        return out, *lg.autograd.grad(out.sum(), [x, w])

    source = str(lg.compile_for(step, target="cuda"))
    assert re.findall(r": (\w*(?:depthwise|columns)\w*)<", source) == [
        "depthwise", "depthwise_input", "depthwise_weight"
    ] and "multiply" not in source  # fmt: skip


def test_random_words_are_those_of_the_host() -> None:
    def drawn() -> np.ndarray:
        lg.manual_seed(3)
        lg.random.draw_inside_graphs(True)
        try:
            return F.dropout(lg.ones(1003), 0.4).numpy()
        finally:
            lg.random.draw_inside_graphs(False)

    with lg.backend("numpy"):
        expected = drawn()
    with emulating():
        np.testing.assert_array_equal(drawn(), expected)


def test_a_refused_index_is_named_as_on_the_host() -> None:
    x, index = lg.arange(12.0).reshape(3, 4), lg.tensor([0, 2, 1]) + lg.tensor([0, 3, 0])
    with emulating(), pytest.raises(IndexError, match="index 5 is out of bounds for dimension 0 with size 3"):
        (x[index] * 2).numpy()


def test_an_operation_without_a_cuda_form_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(library._CALLS, registry["roll"])
    with emulating(), pytest.raises(NotImplementedError, match="roll has no CUDA form yet"):
        lg.arange(4.0).roll(1).numpy()
