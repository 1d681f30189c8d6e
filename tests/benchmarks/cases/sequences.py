"""Training steps of layers for sequences, each alone, with SGD: the layers are what is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.benchmarks.case import LAZYGRAD, Case, Contender, Prepare, Program, Scale, Work, at, compiled
from tests.benchmarks.cases import work
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import initial, normal

STEPS, BATCH, WIDTH = 128, 32, 256
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
        model = layer(framework, width)
        shapes = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
        model.load_state_dict({name: framework.tensor(initial(name, shape)) for name, shape in shapes.items()})
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


def _case(name: str, title: str, program: Prepare, least: Work) -> Case:
    field = (Contender(LAZYGRAD, program), Contender("eager", program), Contender("compile", compiled(program)))
    return Case(name, title, field, least, target=1.2, against=("eager",), checked_calls=4)


def _recurrent_work(gates: int) -> Work:
    product = work.linear(STEPS * BATCH, WIDTH, gates * WIDTH)
    return work.total([product, product]).training(work.SGD_ARRAYS)


def _attention_products() -> work.Products:
    projections = [work.linear(ITEMS * LENGTH, WIDTH, columns) for columns in (3 * WIDTH, WIDTH)]
    return work.total([*projections, work.Products(0, 4.0 * ITEMS * LENGTH * LENGTH * WIDTH)])


def _encoder_products() -> work.Products:
    layers = [work.linear(ITEMS * LENGTH, *sizes) for sizes in ((WIDTH, HIDDEN), (HIDDEN, WIDTH))]
    return work.total([_attention_products(), *layers])


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
]  # fmt: skip
