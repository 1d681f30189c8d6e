"""Models that are exported, each with arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lazygrad as lg
from examples.char_gpt import CONTEXT, GPT
from examples.char_lstm import CharacterLSTM
from examples.digits_cnn import network
from examples.unet import UNet
from lazygrad import nn


def mlp() -> tuple[nn.Module, tuple[Any, ...]]:
    layers = nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Dropout(0.5), nn.Linear(16, 4), nn.Softmax(-1)
    return nn.Sequential(*layers), (lg.randn(5, 8),)


def cnn() -> tuple[nn.Module, tuple[Any, ...]]:
    model = network()
    model(lg.randn(8, 1, 8, 8))  # running statistics that are not those it began with
    return model, (lg.randn(6, 1, 8, 8),)


def gpt() -> tuple[nn.Module, tuple[Any, ...]]:
    return GPT(30, width=32, heads=2, layers=2), (lg.randint(0, 30, (2, CONTEXT)),)


def lstm() -> tuple[nn.Module, tuple[Any, ...]]:
    state = lg.randn(1, 3, 16), lg.randn(1, 3, 16)
    return CharacterLSTM(20, 16), (lg.randint(0, 20, (3, 7)), state)


def unet() -> tuple[nn.Module, tuple[Any, ...]]:
    return UNet(4), (lg.randn(2, 1, 32, 32),)


def wide() -> tuple[nn.Module, tuple[Any, ...]]:
    """Products whose bits depend on the number of threads over which OpenBLAS splits them."""
    return nn.Sequential(nn.Linear(1000, 100), nn.Tanh(), nn.Linear(100, 10)), (lg.randn(100, 1000),)


MODELS: tuple[Callable[[], tuple[nn.Module, tuple[Any, ...]]], ...] = (mlp, cnn, gpt, lstm, unet, wide)
