"""How a network of the zoo is made and run with either framework."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.programs.loading import load_file
from tests.zoo.catalogue import ENTRIES, TINY_OUTPUTS, Entry

RUNNING = Path(__file__).parent / "running.py"


def train(
    name: str, framework: str, batch: int, size: int | None = None, *, tiny: bool = False, compiled: bool = False
) -> Iterator[float]:
    """Losses, step by step; before the first one a zero, when the network is made.

    Args:
        name: in `ENTRIES`.
        framework: ``torch`` or ``lazygrad``.
        batch: images or sequences of a step.
        size: of an image's side, or of a sequence; None for the published one, or the smallest for a tiny network.
        tiny: few layers of few channels.
        compiled: the network is given to the framework's ``compile``.
    """
    entry = ENTRIES[name]
    run = load_file(RUNNING, framework).train
    steps: Iterator[float] = run(
        task=entry.task, optimizer=entry.optimizer, rate=entry.rate, batch=batch, compiled=compiled,
        **_made(entry, framework, size, tiny),
    )  # fmt: skip
    return steps


def infer(
    name: str, framework: str, batch: int, size: int | None = None, *, tiny: bool = False, compiled: bool = False
) -> Iterator[float]:
    """Means of the outputs, step by step, and a zero before; see `train`."""
    entry = ENTRIES[name]
    run = load_file(RUNNING, framework).infer
    steps: Iterator[float] = run(
        task=entry.task, batch=batch, compiled=compiled, **_made(entry, framework, size, tiny)
    )  # fmt: skip
    return steps


def _made(entry: Entry, framework: str, size: int | None, tiny: bool) -> dict[str, Any]:
    size = size or (entry.tiny_size if tiny else entry.size)
    make: Callable[..., Any] = getattr(load_file(entry.path, framework), entry.function)
    sizes = (size,) if entry.takes_size else ()
    outputs = TINY_OUTPUTS[entry.task] if tiny else entry.outputs
    return {"make": partial(make, *sizes, tiny=tiny), "size": size, "outputs": outputs}
