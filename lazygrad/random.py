"""``lazygrad.random``: the default generator's seed and state, and blocks of code that leave them as they were."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from lazygrad.ops.arguments.drawing import draw_inside_graphs, draws_inside_graphs
from lazygrad.ops.random.generator import (
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = ["default_generator", "draw_inside_graphs", "draws_inside_graphs", "fork_rng", "get_rng_state",
           "initial_seed", "manual_seed", "seed", "set_rng_state"]  # fmt: skip


@contextlib.contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    device_type: str = "cuda",
) -> Iterator[None]:
    """Inside a ``with`` block, draw random numbers that leave no trace in the state of the default generator.

    Args:
        devices: further devices whose generators are to be kept; there are none.
        enabled: False lets the block change the state after all.
        device_type: accepted; the CPU's is the only generator.
    """
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
