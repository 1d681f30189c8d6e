"""Layers for sequences: each alone in a training step with SGD, a language model, inference, and the CTC loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.benchmarks.case import LAZYGRAD, Case, Contender, Prepare, Program, Scale, Work, at, compiled
from tests.benchmarks.cases import work
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import initial, integers, normal

STEPS, BATCH, WIDTH = 128, 32, 256
INFERENCE_STEPS, INFERENCE_WIDTH = 32, 128
WORDS, WORD_STEPS, WORD_BATCH, WORD_WIDTH = 2000, 35, 20, 200
CTC_STEPS, CTC_BATCH, CTC_CLASSES, CTC_LABELS = 150, 16, 40, 30
LENGTH, ITEMS, HEADS, HIDDEN = 256, 16, 8, 1024

Layer = Callable[[Framework, int], Any]


def _recurrent(name: str) -> Layer:
    return lambda framework, width: getattr(framework.nn, name)(width, width)


def _attention(framework: Framework, width: int) -> Any:
    return framework.nn.MultiheadAttention(width, 2 if width < 8 else HEADS, batch_first=True)


def _encoder(framework: Framework, width: int) -> Any:
    heads, hidden = (2, 2 * width) if width < 8 else (HEADS, HIDDEN)
    return framework.nn.TransformerEncoderLayer(width, heads, hidden, dropout=0.0, batch_first=True)


def _program(layer: Layer, first: int, second: int, call: Callable[[Any, Any], Any]) -> Prepare:
    """Forward, backward and an update of a layer on (first, second, width)."""

    def prepare(framework: Framework, scale: Scale) -> Program:
        width = at(scale, WIDTH, 4)
        model = _initialized(framework, layer(framework, width))
        optimizer = framework.optim.SGD(model.parameters(), lr=at(scale, 1e-4, 1e-2))

        def step(x: Any) -> Sequence[Any]:
            optimizer.zero_grad()
            loss = call(model, x).square().mean()
            loss.backward()
            optimizer.step()
            return (loss.detach(),)

        x = normal(at(scale, first, 5), at(scale, second, 3), width)
        return Program(step, [framework.tensor(x)])

    return prepare


def _initialized(framework: Framework, model: Any) -> Any:
    shapes = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    model.load_state_dict({name: framework.tensor(initial(name, shape)) for name, shape in shapes.items()})
    return model


def _inference(framework: Framework, scale: Scale) -> Program:
    """A recurrent layer on one sequence."""
    width = at(scale, INFERENCE_WIDTH, 4)
    model = _initialized(framework, framework.nn.LSTM(width, width)).eval()

    def run(x: Any) -> Sequence[Any]:
        with framework.lib.no_grad():
            return (model(x)[0],)

    return Program(run, [framework.tensor(normal(at(scale, INFERENCE_STEPS, 5), 1, width))])


def _language_model(framework: Framework, scale: Scale) -> Program:
    """Two recurrent layers between words and the words that follow, in PyTorch's sizes of its word language model."""
    nn, (words, width) = framework.nn, at(scale, (WORDS, WORD_WIDTH), (7, 4))
    steps, batch = at(scale, (WORD_STEPS, WORD_BATCH), (5, 3))
    parts = nn.ModuleList([nn.Embedding(words, width), nn.LSTM(width, width, 2), nn.Linear(width, words)])
    embedding, lstm, decoder = _initialized(framework, parts)
    optimizer, cross_entropy = framework.optim.SGD(parts.parameters(), lr=0.1), nn.CrossEntropyLoss()

    def step(x: Any, following: Any) -> Sequence[Any]:
        optimizer.zero_grad()
        scores = decoder(lstm(embedding(x))[0])
        loss = cross_entropy(scores.view(-1, words), following)
        loss.backward()
        optimizer.step()
        return (loss.detach(),)

    inputs = integers(words, steps, batch), integers(words, steps * batch, seed=1)
    return Program(step, [framework.tensor(array) for array in inputs])


def _ctc(framework: Framework, scale: Scale) -> Program:
    """The loss of scores with other lengths in every batch, and the gradient in the scores."""
    steps, batch, classes, labels = at(scale, (CTC_STEPS, CTC_BATCH, CTC_CLASSES, CTC_LABELS), (6, 3, 5, 2))
    functional, targets = framework.nn.functional, framework.tensor(1 + integers(classes - 1, batch, labels))
    draws, scores = np.random.default_rng(0), framework.variable(normal(steps, batch, classes))

    def run() -> Sequence[Any]:
        inputs = framework.lib.tensor(draws.integers(3 * steps // 4, steps + 1, batch))
        lengths = framework.lib.tensor(draws.integers(labels // 2, labels + 1, batch))
        loss = functional.ctc_loss(functional.log_softmax(scores, 2), targets, inputs, lengths)
        return loss.detach(), *framework.lib.autograd.grad(loss, [scores])

    return Program(run)


def _case(name: str, title: str, program: Prepare, least: Work) -> Case:
    field = (Contender(LAZYGRAD, program), Contender("eager", program), Contender("compile", compiled(program)))
    return Case(name, title, field, least, target=1.2, against=("eager",), checked_calls=4)


def _uncompiled(program: Prepare) -> tuple[Contender, Contender]:
    return Contender(LAZYGRAD, program), Contender("eager", program)


def _recurrent_work(gates: int) -> Work:
    product = work.linear(STEPS * BATCH, WIDTH, gates * WIDTH)
    return work.total([product, product]).training(work.SGD_ARRAYS)


def _attention_products() -> work.Products:
    projections = [work.linear(ITEMS * LENGTH, WIDTH, columns) for columns in (3 * WIDTH, WIDTH)]
    return work.total([*projections, work.Products(0, 4.0 * ITEMS * LENGTH * LENGTH * WIDTH)])


def _encoder_products() -> work.Products:
    layers = [work.linear(ITEMS * LENGTH, *sizes) for sizes in ((WIDTH, HIDDEN), (HIDDEN, WIDTH))]
    return work.total([_attention_products(), *layers])


def _language_model_work() -> Work:
    rows = WORD_STEPS * WORD_BATCH
    layers = [work.linear(rows, WORD_WIDTH, 4 * WORD_WIDTH)] * 4
    return work.total([*layers, work.linear(rows, WORD_WIDTH, WORDS)]).training(work.SGD_ARRAYS)


CASES = [
    *[
        _case(f"nn_{name.lower()}", f"nn.{name} of {WIDTH}, {STEPS} steps, batch {BATCH}, SGD step",
              _program(_recurrent(name), STEPS, BATCH, lambda model, x: model(x)[0]), _recurrent_work(gates))
        for name, gates in (("LSTM", 4), ("GRU", 3))
    ],
    _case("nn_multihead_attention", f"nn.MultiheadAttention of {WIDTH}, batch {ITEMS} of {LENGTH}, SGD step",
          _program(_attention, ITEMS, LENGTH, lambda model, x: model(x, x, x, need_weights=False)[0]),
          _attention_products().training(work.SGD_ARRAYS)),
    _case("nn_transformer_encoder", f"nn.TransformerEncoderLayer of {WIDTH}, batch {ITEMS} of {LENGTH}, SGD step",
          _program(_encoder, ITEMS, LENGTH, lambda model, x: model(x)),
          _encoder_products().training(work.SGD_ARRAYS)),
    _case("lstm_language_model", f"language model of 2 LSTM layers of {WORD_WIDTH}, {WORD_STEPS} steps, batch "
          f"{WORD_BATCH}, {WORDS} words, SGD step", _language_model, _language_model_work()),
    Case("nn_lstm_inference", f"nn.LSTM of {INFERENCE_WIDTH}, {INFERENCE_STEPS} steps, forward, batch 1",
         (*_uncompiled(_inference), Contender(LAZYGRAD, compiled(_inference), "compiled")), target=1.0),
    Case("ctc", f"ctc_loss of {CTC_STEPS} steps, batch {CTC_BATCH}, {CTC_CLASSES} classes, up to {CTC_LABELS} labels, "
         "and its gradient", _uncompiled(_ctc), target=1.0, checked_calls=3),
]  # fmt: skip
