"""Whole training steps of small models."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.case import LAZYGRAD, Case, Contender, Scale, Work, at, compiled, contenders
from tests.benchmarks.cases import jax_models, models, work
from tests.benchmarks.cases.training_step import Training
from tests.benchmarks.inputs import integers, normal, uniform

TINY_WIDTHS, TINY_BATCH = (2, 16, 1), 32
MLP_WIDTHS, MLP_BATCH = (784, 512, 256, 10), 128
CNN_CHANNELS, CNN_PIXELS, CNN_BATCH = (16, 32), 28, 64
GPT_BATCH = 16
LSTM_FEATURES, LSTM_HIDDEN, LSTM_TIME, LSTM_BATCH = 64, 128, 64, 32
UNET_WIDTH, UNET_PIXELS, UNET_BATCH = 16, 64, 4
RESNET_WIDTH, RESNET_PIXELS, RESNET_BATCH = 16, 32, 32
CLASSES = 10


def mlp_widths(scale: Scale) -> tuple[int, ...]:
    return at(scale, MLP_WIDTHS, (12, 8, 6, 5))


def gpt_sizes(scale: Scale) -> dict[str, int]:
    sizes = (80, 64, 128, 4, 4) if scale == "full" else (11, 6, 8, 2, 2)
    return dict(zip(("vocabulary", "context", "width", "heads", "blocks"), sizes, strict=True))


def gpt_characters(scale: Scale, batch: int, seed: int = 0) -> np.ndarray:
    sizes = gpt_sizes(scale)
    return integers(sizes["vocabulary"], batch, sizes["context"], seed=seed)


def _tiny_batch(scale: Scale) -> tuple[np.ndarray, np.ndarray]:
    inputs = normal(TINY_BATCH, TINY_WIDTHS[0])
    return inputs, inputs.sum(1, keepdims=True)


def _mlp_batch(scale: Scale) -> tuple[np.ndarray, np.ndarray]:
    batch, widths = at(scale, MLP_BATCH, 7), mlp_widths(scale)
    return uniform(batch, widths[0]), integers(widths[-1], batch)


def _gpt_batch(scale: Scale) -> tuple[np.ndarray, np.ndarray]:
    batch = at(scale, GPT_BATCH, 3)
    return gpt_characters(scale, batch), gpt_characters(scale, batch, seed=1)


def _cnn_sizes(scale: Scale) -> tuple[tuple[int, int], int, int]:
    return at(scale, (CNN_CHANNELS, CNN_PIXELS, CLASSES), ((2, 3), 8, CLASSES))


def _cnn_batch(scale: Scale) -> tuple[np.ndarray, np.ndarray]:
    batch, (_, pixels, classes) = at(scale, CNN_BATCH, 4), _cnn_sizes(scale)
    return uniform(batch, 1, pixels, pixels), integers(classes, batch)


def _lstm_sizes(scale: Scale) -> tuple[int, int, int]:
    return at(scale, (LSTM_FEATURES, LSTM_HIDDEN, CLASSES), (4, 6, CLASSES))


def _lstm_batch(scale: Scale) -> tuple[np.ndarray, np.ndarray]:
    batch, time = at(scale, (LSTM_BATCH, LSTM_TIME), (3, 5))
    features, _, classes = _lstm_sizes(scale)
    return normal(batch, time, features), integers(classes, batch)


def _unet_batch(scale: Scale) -> tuple[np.ndarray, np.ndarray]:
    batch, pixels = at(scale, (UNET_BATCH, UNET_PIXELS), (2, 8))
    masks = uniform(batch, 1, pixels, pixels, seed=1) > 0.5
    return uniform(batch, 3, pixels, pixels), masks.astype(np.float32)


def _resnet_batch(scale: Scale) -> tuple[np.ndarray, np.ndarray]:
    batch, pixels = at(scale, (RESNET_BATCH, RESNET_PIXELS), (3, 8))
    return uniform(batch, 3, pixels, pixels), integers(CLASSES, batch)


def _unet_width(scale: Scale) -> int:
    return at(scale, UNET_WIDTH, 2)


def _resnet_width(scale: Scale) -> int:
    return at(scale, RESNET_WIDTH, 2)


TINY_STEP = Training(
    lambda framework, scale: models.mlp(framework, TINY_WIDTHS),
    lambda framework, scale: jax_models.MLP(framework, TINY_WIDTHS),
    _tiny_batch,
    loss="squared_error",
    optimizer="SGD",
)
MLP_STEP = Training(
    lambda framework, scale: models.mlp(framework, mlp_widths(scale)),
    lambda framework, scale: jax_models.MLP(framework, mlp_widths(scale)),
    _mlp_batch,
)
CNN_STEP = Training(
    lambda framework, scale: models.cnn(framework, *_cnn_sizes(scale)),
    lambda framework, scale: jax_models.CNN(framework, *_cnn_sizes(scale)),
    _cnn_batch,
    images=True,
)
GPT_STEP = Training(
    lambda framework, scale: models.gpt(framework, **gpt_sizes(scale)),
    lambda framework, scale: jax_models.GPT(framework, **gpt_sizes(scale)),
    _gpt_batch,
    optimizer="AdamW",
)
LSTM_STEP = Training(
    lambda framework, scale: models.lstm(framework, *_lstm_sizes(scale)),
    lambda framework, scale: jax_models.LSTM(framework, *_lstm_sizes(scale)),
    _lstm_batch,
)
LIBRARY_LSTM_STEP = LSTM_STEP._replace(
    model=lambda framework, scale: models.library_lstm(framework, *_lstm_sizes(scale))
)
UNET_STEP = Training(
    lambda framework, scale: models.unet(framework, _unet_width(scale)),
    lambda framework, scale: jax_models.UNet(framework, _unet_width(scale)),
    _unet_batch,
    loss="binary_cross_entropy",
    images=True,
)
RESNET_STEP = Training(
    lambda framework, scale: models.resnet(framework, _resnet_width(scale), CLASSES),
    lambda framework, scale: jax_models.ResNet(framework, _resnet_width(scale), CLASSES),
    _resnet_batch,
    optimizer="SGD",
    images=True,
)


def _cnn_work() -> Work:
    first, second = CNN_CHANNELS
    half, quarter = CNN_PIXELS // 2, CNN_PIXELS // 4
    convolutions = [(CNN_PIXELS, 1, first), (half, first, second)]
    layers = [work.convolution(CNN_BATCH, *layer) for layer in convolutions]
    return work.total([*layers, work.linear(CNN_BATCH, second * quarter**2, CLASSES)]).training()


def _lstm_work() -> Work:
    inputs = work.linear(LSTM_BATCH * LSTM_TIME, LSTM_FEATURES, 4 * LSTM_HIDDEN)
    states = work.linear(LSTM_BATCH * LSTM_TIME, LSTM_HIDDEN, 4 * LSTM_HIDDEN)
    return work.total([inputs, states, work.linear(LSTM_BATCH, LSTM_HIDDEN, CLASSES)]).training()


def _unet_work() -> Work:
    full, half, quarter, width = UNET_PIXELS, UNET_PIXELS // 2, UNET_PIXELS // 4, UNET_WIDTH
    convolutions = [
        *[(full, 3, width), (full, width, width), (half, width, 2 * width), (half, 2 * width, 2 * width)],
        *[(quarter, 2 * width, 4 * width), (quarter, 4 * width, 4 * width)],
        *[(half, 4 * width, 2 * width), (half, 2 * width, 2 * width), (full, 2 * width, width), (full, width, width)],
    ]
    transposed = [work.convolution(UNET_BATCH, quarter, 4 * width, 2 * width, 2),
                  work.convolution(UNET_BATCH, half, 2 * width, width, 2)]  # fmt: skip
    layers = [work.convolution(UNET_BATCH, *layer) for layer in convolutions]
    return work.total([*layers, *transposed, work.convolution(UNET_BATCH, full, width, 1, 1)]).training()


def _resnet_work() -> Work:
    full, half, quarter, width = RESNET_PIXELS, RESNET_PIXELS // 2, RESNET_PIXELS // 4, RESNET_WIDTH
    convolutions = [
        *[(full, 3, width, 3), (full, width, width, 3), (full, width, width, 3)],
        *[(half, width, 2 * width, 3), (half, 2 * width, 2 * width, 3), (half, width, 2 * width, 1)],
        *[(quarter, 2 * width, 4 * width, 3), (quarter, 4 * width, 4 * width, 3), (quarter, 2 * width, 4 * width, 1)],
    ]
    layers = [work.convolution(RESNET_BATCH, *layer) for layer in convolutions]
    return work.total([*layers, work.linear(RESNET_BATCH, 4 * width, CLASSES)]).training(work.SGD_ARRAYS)


def gpt_work(batch: int) -> work.Products:
    sizes = gpt_sizes("full")
    return work.gpt(batch, sizes["vocabulary"], sizes["context"], sizes["width"], sizes["blocks"])


def _case(name: str, title: str, field: tuple[Contender, ...], work: Work | None = None, **options: Any) -> Case:
    return Case(name, title, field, work, checked_calls=4, **options)


_TINY_FIELD = contenders(TINY_STEP.program(), TINY_STEP.jax_program)
_TINY_COMPILED_FIELD = (Contender(LAZYGRAD, compiled(TINY_STEP.program())), *_TINY_FIELD[1:])

CASES = [
    _case("tiny_mlp", "MLP 2-16-1, batch 32, SGD step, recorded anew", _TINY_FIELD, target=0.8,
          against=("eager",)),
    _case("tiny_mlp_compiled", "MLP 2-16-1, batch 32, SGD step, compiled", _TINY_COMPILED_FIELD, target=1.0),
    _case("mlp", "MLP 784-512-256-10, batch 128, Adam step", MLP_STEP.contenders(),
          work.mlp(MLP_BATCH, MLP_WIDTHS).training(), target=1.1),
    _case("cnn", "CNN of 2 (conv, batch norm, pool), batch 64 of 28×28, Adam step", CNN_STEP.contenders(),
          _cnn_work(), target=1.3),
    _case("gpt", "GPT of 4 blocks, width 128, batch 16 of 64 characters, AdamW step", GPT_STEP.contenders(),
          gpt_work(GPT_BATCH).training(), target=1.3),
    _case("lstm", "LSTM of 128 written by hand, 64 steps, batch 32, Adam step",
          LSTM_STEP.contenders(Contender("eager", LIBRARY_LSTM_STEP.program(fused=True), "nn.LSTM, fused optimizer")),
          _lstm_work(), target=1.2),
    _case("unet", "U-Net of 2 levels, batch 4 of 64×64, Adam step", UNET_STEP.contenders(), _unet_work(),
          target=0.95),
    _case("resnet", "ResNet of 3 blocks, batch 32 of 32×32, SGD step", RESNET_STEP.contenders(), _resnet_work(),
          target=0.95),
]  # fmt: skip
