"""Programs that run on both frameworks, and what is compared of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from tests.oracle.comparing import outcome_of

Program = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Error:
    """What a program raised; messages are each framework's own."""

    name: str


def containers(value: Any) -> Any:
    """The classes of a result's containers, which `outcome_of` does not tell apart."""
    if isinstance(value, dict):
        return type(value).__name__, [containers(item) for item in value.values()]
    if isinstance(value, list | tuple):
        return type(value).__name__, [containers(item) for item in value]
    return None


def outcome(program: Program, framework: ModuleType, utilities: Any) -> tuple[Any, dict[str, Any]]:
    """What a program gave, and all of it that is compared."""
    framework.manual_seed(1234)
    try:
        result = program(framework, utilities)
        return result, {**outcome_of(result), "containers": containers(result)}
    except Exception as error:
        raised = Error(type(error).__name__)
        return raised, outcome_of(raised)


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
