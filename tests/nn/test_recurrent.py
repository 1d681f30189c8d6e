"""Recurrent layers, cells and packed sequences, compared with PyTorch's."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_alike, assert_close

from .compare import values

LAYERS = [
    "nn.LSTM(3, 4)",
    "nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True)",
    "nn.LSTM(3, 4, 2, False, False, 0.5, True, 2)",
    "nn.LSTM(3, 4, dtype=t.float64)",
    "nn.GRU(3, 4)",
    "nn.GRU(3, 4, 2, bias=False, bidirectional=True, dropout=0.5)",
    "nn.GRU(3, 4, batch_first=True)",
    "nn.RNN(3, 4)",
    "nn.RNN(3, 4, 2, 'relu', dropout=0.25)",
    "nn.RNN(3, 4, nonlinearity='relu', bias=False, bidirectional=True)",
]
CELLS = [
    "nn.LSTMCell(3, 4)",
    "nn.LSTMCell(3, 4, False)",
    "nn.GRUCell(3, 4)",
    "nn.GRUCell(3, 4, bias=False)",
    "nn.RNNCell(3, 4)",
    "nn.RNNCell(3, 4, nonlinearity='relu')",
]


def made(framework: Any, source: str) -> Any:
    framework.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(source, {"nn": framework.nn, "t": framework})


def drawn(framework: Any, module: Any, *shape: int, seed: int = 0) -> Any:
    array = np.random.default_rng([seed, *shape]).standard_normal(shape)
    dtype = next(module.parameters()).dtype
    return framework.tensor(array, dtype=dtype).requires_grad_()


def leaves(value: Any) -> list[Any]:
    """The tensors of nested tuples that take part in gradients."""
    if isinstance(value, (tuple, list)):
        return [leaf for each in value for leaf in leaves(each)]
    return [value] if value is not None and value.is_floating_point() else []


def results(framework: Any, module: Any, inputs: list[Any], *arguments: Any) -> list[Any]:
    """Outputs of a call, and the gradients of inputs and parameters."""
    framework.manual_seed(2)  # for dropout
    outputs = leaves(module(*arguments))
    loss = sum([(x * x * (x + i + 1)).sum() for i, x in enumerate(outputs)])
    loss.backward()
    return [*outputs, *[x.grad for x in inputs], *[x.grad for x in module.parameters()]]


def states(framework: Any, module: Any, batch: int | None, seed: int = 1) -> tuple[Any, list[Any]]:
    """First states for a layer, as it takes them, and as a list."""
    lead = (module.num_layers * (2 if module.bidirectional else 1), *([] if batch is None else [batch]))
    hidden = drawn(framework, module, *lead, module.proj_size or module.hidden_size, seed=seed)
    if module.mode != "LSTM":
        return hidden, [hidden]
    memory = drawn(framework, module, *lead, module.hidden_size, seed=seed + 1)
    return (hidden, memory), [hidden, memory]


@pytest.mark.parametrize("source", [*LAYERS, *CELLS])
def test_repr_parameters_and_state(torch: Any, source: str) -> None:
    ours, theirs = made(lg, source), made(torch, source)
    assert repr(ours) == repr(theirs)
    assert_close(ours.state_dict(), theirs.state_dict())
    for change in (copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))):
        assert_close(change(ours).state_dict(), theirs.state_dict())
    theirs.load_state_dict({name: torch.tensor(values(x)) for name, x in ours.state_dict().items()})


@pytest.mark.usefixtures("numbers_of_the_cpu")
@pytest.mark.parametrize("has_states", [False, True], ids=["from_zeros", "from_states"])
@pytest.mark.parametrize("source", LAYERS)
def test_layers(torch: Any, source: str, has_states: bool) -> None:
    def compute(framework: Any) -> list[Any]:
        module = made(framework, source)
        x = drawn(framework, module, *((2, 5, 3) if module.batch_first else (5, 2, 3)))
        given, listed = states(framework, module, 2) if has_states else (None, [])
        return results(framework, module, [x, *listed], x, given)

    assert_alike(compute, torch, lg)


@pytest.mark.parametrize("source", LAYERS[:6])
def test_without_a_batch_and_in_eval(torch: Any, source: str) -> None:
    def compute(framework: Any) -> list[Any]:
        module = made(framework, source).eval()
        x = drawn(framework, module, 5, 3)
        given, listed = states(framework, module, None)
        return results(framework, module, [x, *listed], x, given)

    assert_alike(compute, torch, lg)


@pytest.mark.usefixtures("numbers_of_the_cpu")
@pytest.mark.parametrize("lengths", [[5, 3, 3, 1], [2, 5, 1, 4]], ids=["sorted", "unsorted"])
@pytest.mark.parametrize("source", LAYERS)
def test_packed_sequences(torch: Any, source: str, lengths: list[int]) -> None:
    """Padding may hold anything. Dropout draws for what is no padding only."""

    def compute(framework: Any) -> list[Any]:
        module = made(framework, source)
        rnn = framework.nn.utils.rnn
        first = module.batch_first
        x = drawn(framework, module, *((4, 6, 3) if first else (6, 4, 3)))
        nothing = framework.tensor(np.arange(6)[:, None] >= np.array(lengths))
        filled = framework.where((nothing.T if first else nothing)[..., None], float("nan"), x)
        packed = rnn.pack_padded_sequence(filled, lengths, first, enforce_sorted=lengths[0] == 5)
        given, listed = states(framework, module, 4)
        framework.manual_seed(2)
        output, after = module(packed, given)
        padded, found = rnn.pad_packed_sequence(output, first, -1.5, total_length=6)
        assert found.tolist() == lengths
        outputs = [padded, output.data, *leaves(after)]
        sum([(x * x * (x + i + 1)).sum() for i, x in enumerate(outputs)]).backward()
        return [*outputs, x.grad, *[x.grad for x in listed], *[x.grad for x in module.parameters()]]

    assert_alike(compute, torch, lg)


def test_packed_data_may_be_replaced_or_changed(torch: Any) -> None:
    """A layer reads the data that a packed sequence has, not what it was packed from."""

    def compute(framework: Any) -> list[Any]:
        module = made(framework, "nn.GRU(3, 4)")
        rnn = framework.nn.utils.rnn
        packed = rnn.pack_padded_sequence(drawn(framework, module, 4, 3, 3).detach(), [4, 2, 1])
        own = rnn.PackedSequence(packed.data * 2, packed.batch_sizes)
        first = module(own)[0].data
        packed.data.mul_(3)
        return [first, module(packed)[0].data, packed._replace(data=packed.data + 1).data]

    assert_alike(compute, torch, lg)


@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize("source", CELLS)
def test_cells(torch: Any, source: str, batch: int | None) -> None:
    def compute(framework: Any) -> list[Any]:
        module = made(framework, source)
        lead = [] if batch is None else [batch]
        x, hidden, memory = (drawn(framework, module, *lead, size, seed=size) for size in (3, 4, 4))
        if "LSTM" in source:
            return results(framework, module, [x, hidden, memory], x, (hidden, memory))
        return results(framework, module, [x, hidden], x, hidden)

    assert_alike(compute, torch, lg)
    assert_alike(lambda framework: leaves(made(framework, source)(framework.ones(2, 3))), torch, lg)


def test_second_derivatives(torch: Any) -> None:
    def compute(framework: Any) -> list[Any]:
        found = []
        for source in ("nn.LSTM(3, 4)", "nn.GRU(3, 4)", "nn.RNN(3, 4)"):
            module = made(framework, source)
            x = drawn(framework, module, 3, 2, 3)
            output = module(x)[0]
            (gradient,) = framework.autograd.grad(output.square().sum(), [x], create_graph=True)
            found += framework.autograd.grad(gradient.square().sum(), [x, module.weight_hh_l0])
        return found

    assert_alike(compute, torch, lg, 4)


def test_16_bits() -> None:
    """What is stored in 16 bits is computed in 32; with autocast, the inputs' product is what has 16."""
    module, x = made(lg, "nn.LSTM(3, 4)"), lg.rand(3, 2, 3)
    exact = module(x)[0]
    with lg.autocast("cpu", dtype=lg.bfloat16):
        near = module(x)[0]
    assert near.dtype is lg.float32
    assert 0 < (near - exact).abs().max().item() < 1e-2
    stored, _ = module.bfloat16()(x.bfloat16())
    assert stored.dtype is lg.bfloat16
    assert (stored.float() - exact).abs().max().item() < 2e-2


def test_transforms() -> None:
    module, xs = made(lg, "nn.GRU(3, 4)"), lg.rand(3, 5, 2, 3)
    parameters = dict(module.named_parameters())

    def loss(parameters: Any, x: Any) -> Any:
        return lg.func.functional_call(module, parameters, (x,))[0].square().sum()

    assert_close(lg.func.vmap(lambda x: module(x)[0])(xs), lg.stack([module(x)[0] for x in xs]))
    found = lg.func.vmap(lg.func.grad(loss), in_dims=(None, 0))(parameters, xs)
    for i, x in enumerate(xs):
        assert_close({name: part[i] for name, part in found.items()}, lg.func.grad(loss)(parameters, x))


COMPILED = [
    "nn.LSTM(4, 4)",
    "nn.GRU(4, 4, 2, batch_first=True, bidirectional=True)",
    "nn.RNN(4, 4, 2, dropout=0.5)",
    "nn.LSTMCell(4, 4)",
    "nn.MultiheadAttention(4, 2)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 4, batch_first=True), 2)",
    "nn.Transformer(4, 2, 1, 1, 4)",
]


@pytest.mark.parametrize("source", COMPILED)
def test_compiled_steps_are_replayed(source: str) -> None:
    module = made(lg, source)
    optimizer = lg.optim.SGD(module.parameters(), lr=0.1)
    operands = 3 if "Multihead" in source else 2 if "Transformer(" in source else 1

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        output = module(*[x] * operands)
        loss = (output if isinstance(output, lg.Tensor) else output[0]).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    compiled = lg.compile(step)
    for _ in range(4):
        compiled(lg.rand(*((2, 4) if "Cell" in source else (5, 2, 4)))).item()
    assert compiled.explain() == "the last call was replayed"


def test_functions(torch: Any) -> None:
    def compute(framework: Any) -> list[Any]:
        found: list[Any] = []
        for source, name in (("nn.LSTM(3, 4)", "lstm"), ("nn.GRU(3, 4)", "gru"), ("nn.RNN(3, 4)", "rnn_tanh"),
                             ("nn.RNN(3, 4, 1, 'relu')", "rnn_relu")):  # fmt: skip
            module = made(framework, source)
            x, (given, _) = drawn(framework, module, 5, 2, 3), states(framework, module, 2)
            function, weights = getattr(framework, name), list(module.parameters())
            found += function(x, given, weights, True, 1, 0.0, False, False, False)
            sizes = framework.tensor([2, 2, 1])
            found += function(drawn(framework, module, 5, 3), sizes, given, weights, True, 1, 0.0, False, False)
        return found

    assert_alike(compute, torch, lg)


TEXT = "the quick brown fox jumps over the lazy dog and runs away from the pack of the five boxing wizards. "


@pytest.mark.usefixtures("numbers_of_the_cpu")
def test_a_character_model_trains_as_with_torch(torch: Any) -> None:
    def losses(framework: Any) -> list[float]:
        framework.manual_seed(0)
        alphabet = sorted(set(TEXT))
        text = framework.tensor([alphabet.index(letter) for letter in TEXT])
        embedding = framework.nn.Embedding(len(alphabet), 8)
        layers = framework.nn.LSTM(8, 16, 2, batch_first=True, dropout=0.1)
        decoder = framework.nn.Linear(16, len(alphabet))
        parameters = [x for module in (embedding, layers, decoder) for x in module.parameters()]
        optimizer = framework.optim.Adam(parameters, lr=0.01)
        found = []
        for step in range(20):
            rows = [text[start : start + 21] for start in range(step, step + 60, 20)]
            batch = framework.stack(rows)
            states, _ = layers(embedding(batch[:, :-1]))
            scores = decoder(states).flatten(0, 1)
            loss = framework.nn.functional.cross_entropy(scores, batch[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    ours, theirs = losses(lg), losses(torch)
    assert_close(ours, theirs, numbers=1e-5, floor=0.0)
    assert ours[-1] < 0.9 * ours[0]


# Sequences of several lengths.

SEQUENCES = [np.arange(6.0).reshape(3, 2), np.ones((1, 2)), np.arange(4.0).reshape(2, 2)]


KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "computed": lambda framework, x: framework.tensor(x),
    "whole numbers": lambda framework, x: framework.tensor(x).long(),
    "half": lambda framework, x: framework.tensor(x).half(),
    "bool": lambda framework, x: framework.tensor(x) > 1,
    "not computed": lambda framework, x: framework.tensor(x) * 2,
    "views": lambda framework, x: framework.arange(20.0)[: len(x) * 2].view(-1, 2)[:, 1:],
    "with gradients": lambda framework, x: framework.tensor(x).requires_grad_(),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_padded_sequences_of_each_kind(torch: Any, kind: Callable[[Any, Any], Any]) -> None:
    def compute(framework: Any) -> list[Any]:
        listed = [kind(framework, x) for x in SEQUENCES]
        pad = framework.nn.utils.rnn.pad_sequence
        padded = [pad(listed, first, value, side) for first, value, side in ((True, 0, "right"), (False, 2.5, "left"))]
        if padded[0].requires_grad:
            (padded[0] * 2 + padded[1].transpose(0, 1)).sum().backward()
            return [*[x.detach() for x in padded], *[x.grad for x in listed]]
        listed[0][0] = 1
        return padded

    assert_alike(compute, torch, lg)


def test_sequences(torch: Any) -> None:
    def compute(framework: Any) -> list[Any]:
        rnn = framework.nn.utils.rnn
        listed = [framework.tensor(x) for x in SEQUENCES]
        packed = rnn.pack_sequence(listed, enforce_sorted=False)
        padded = rnn.pad_sequence(listed, batch_first=True)
        return [
            *packed,
            *rnn.unpack_sequence(packed),
            *rnn.unpad_sequence(padded, framework.tensor([3, 1, 2]), batch_first=True),
            rnn.pad_sequence(listed, padding_value=7),
            rnn.pad_sequence(listed, True, -1, "left"),
            rnn.invert_permutation(framework.tensor([2, 0, 1])),
            *rnn.pad_packed_sequence(packed),
            *rnn.pack_padded_sequence(padded, framework.tensor([3, 1, 2]), True, False).to(framework.float32)[:2],
            packed.double().data,
        ]

    assert_alike(compute, torch, lg)
    assert lg.nn.utils.rnn.invert_permutation(None) is None


@pytest.mark.host_memory("the CPU is not named in what is printed, other devices are")
def test_packed_sequences_are_printed_as_in_torch(torch: Any) -> None:
    assert repr(nn.utils.rnn.pack_sequence([lg.ones(2), lg.ones(1)])) == repr(
        torch.nn.utils.rnn.pack_sequence([torch.ones(2), torch.ones(1)])
    )


ERRORS = [
    "nn.LSTM(3, 4)(t.zeros(0, 2, 3))",
    "nn.LSTM(3, 4)(t.zeros(2, 2, 3, dtype=t.float64))",
    "nn.LSTM(3, 4)(t.zeros(2, 2, 2))",
    "nn.LSTM(3, 4)(t.zeros(2))",
    "nn.RNN(3, 4)(t.zeros(2))",
    "nn.LSTM(3, 4)(t.zeros(2, 2, 3), (t.zeros(1, 2, 5), t.zeros(1, 2, 4)))",
    "nn.LSTM(3, 4)(t.zeros(2, 2, 3), (t.zeros(1, 2, 4), t.zeros(1, 2, 5)))",
    "nn.LSTM(3, 4)(t.zeros(2, 2, 3), (t.zeros(1, 4), t.zeros(1, 4)))",
    "nn.LSTM(3, 4)(t.zeros(2, 3), (t.zeros(1, 1, 4), t.zeros(1, 1, 4)))",
    "nn.GRU(3, 4)(t.zeros(2, 2, 3), t.zeros(1, 2, 5))",
    "nn.GRU(3, 4)(t.zeros(2, 3), t.zeros(1, 2, 5))",
    "nn.GRU(3, 4)(t.zeros(2, 2, 3), t.zeros(1, 5))",
    "nn.GRU(3, 4, proj_size=2)",
    "nn.RNN(3, 4, 1, 'gelu')",
    "nn.LSTM(3, 4, proj_size=4)",
    "nn.LSTM(3, 4, proj_size=-1)",
    "nn.LSTM(3, 4, dropout=2)",
    "nn.LSTM(3, 0)",
    "nn.LSTM(3.0, 4)",
    "nn.LSTM(3, 4, bias=1)",
    "nn.LSTM(3, 4, num_layers=0)",
    "nn.RNNBase('x', 3, 4)",
    "nn.LSTMCell(3, 4)(t.zeros(2))",
    "nn.LSTMCell(3, 4)(t.zeros(2, 2))",
    "nn.LSTMCell(3, 4)(t.zeros(2, 3), (t.zeros(2, 5), t.zeros(2, 4)))",
    "nn.LSTMCell(3, 4)(t.zeros(2, 3, 4))",
    "nn.RNNCell(3, 4)(t.zeros(2, 3), t.zeros(2, 2, 2))",
    "nn.RNNCell(3, 4, nonlinearity='x')(t.zeros(2, 3))",
    "nn.RNNCell(3, 4)(t.zeros(2, 3), t.zeros(3, 4))",
    "nn.utils.rnn.pack_padded_sequence(t.zeros(3, 2), [1, 2])",
    "nn.utils.rnn.pack_padded_sequence(t.zeros(3, 2), [2, 0])",
    "nn.utils.rnn.pack_padded_sequence(t.zeros(3, 2), [3])",
    "nn.utils.rnn.pad_sequence([])",
    "nn.utils.rnn.pad_sequence(5)",
    "nn.utils.rnn.pad_sequence([t.zeros(2), t.ones(3)], padding_side='up')",
    "nn.utils.rnn.pad_packed_sequence(nn.utils.rnn.pack_sequence([t.ones(3)]), total_length=2)",
]


@pytest.mark.parametrize("source", ERRORS)
def test_errors(torch: Any, source: str) -> None:
    with pytest.raises(Exception) as theirs:
        made(torch, source)
    with pytest.raises(type(theirs.value)) as ours:
        made(lg, source)
    beginning = str(theirs.value).replace("torch.", "lazygrad.")[:50]
    assert str(ours.value).startswith(beginning)


def test_dropout_of_one_layer_warns() -> None:
    with pytest.warns(UserWarning, match="num_layers greater than 1"):
        nn.LSTM(3, 4, dropout=0.5)


def weights_of_a_library(t: Any) -> list[Any]:
    """A layer that computes with tensors which somebody has put in the places of its parameters."""
    layer = t.nn.GRU(3, 4)
    layer._flat_weights = list(layer.parameters())
    weights = [t.full_like(weight, 0.1 * i).requires_grad_() for i, weight in enumerate(layer.parameters())]
    weights[0] = t.linspace(-1, 1, 36).reshape(12, 3).requires_grad_()
    for name, weight in zip(layer._flat_weights_names, weights, strict=True):
        layer._parameters.pop(name)
        setattr(layer, name, weight)
    layer._flat_weights = [getattr(layer, name) for name in layer._flat_weights_names]
    result = layer(t.linspace(0, 1, 12).reshape(2, 2, 3))[0]
    result.square().sum().backward()
    return [result, *[weight.grad for weight in weights], [name for name, _ in layer.named_parameters()]]


def test_weights_that_are_no_parameters(torch: Any, candidate: Any) -> None:
    assert_close(weights_of_a_library(candidate), weights_of_a_library(torch), floor=1e-6)
