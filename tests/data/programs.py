"""Programs that run on both frameworks, and what is compared of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

Program = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Error:
    """What a program raised; messages are each framework's own."""

    name: str


def plain(value: Any) -> Any:
    """Replaces tensors by their dtype's name, shape and values, so that outcomes of both frameworks compare."""
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return str(value.dtype).split(".")[-1], tuple(value.shape), value.tolist()
    if isinstance(value, dict):
        return type(value).__name__, {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value).__name__, [plain(item) for item in value]
    return value


def outcome(program: Program, framework: ModuleType, utilities: Any) -> Any:
    framework.manual_seed(1234)
    try:
        return plain(program(framework, utilities))
    except Exception as error:
        return Error(type(error).__name__)


def rows(framework: Any, count: int) -> tuple[Any, Any]:
    """``count`` images of shape [2, 3] and their labels."""
    images = framework.tensor(np.arange(count * 6, dtype=np.float32).reshape(count, 2, 3))
    return images, framework.tensor(np.arange(count) % 3)


class Squares:
    """A map-style dataset of plain Python numbers."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[int, float]:
        if not 0 <= index < self.length:
            raise IndexError(index)
        return index, index**2 / 2


def stream_of(utilities: Any, length: int, reported: int | None = None) -> Any:
    """An iterable dataset of ``0 ... length - 1`` that says it has ``reported`` samples."""

    class Stream(utilities.IterableDataset):
        def __iter__(self) -> Iterator[int]:
            return iter(range(length))

        def __len__(self) -> int:
            if reported is None:
                raise TypeError("no length")
            return reported

    return Stream()
