"""``lazygrad.random``: the default generator's seed and state, and blocks of code that leave them as they were."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from lazygrad.ir.device import Device, device_of
from lazygrad.ops.arguments.drawing import draw_inside_graphs, draws_inside_graphs
from lazygrad.ops.random.generator import (
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from lazygrad.runtime.device_streams import counted_of, counted_states

__all__ = ["default_generator", "draw_inside_graphs", "draws_inside_graphs", "fork_rng", "get_rng_state",
           "initial_seed", "manual_seed", "seed", "set_rng_state"]  # fmt: skip


@contextlib.contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    device_type: str = "cuda",
) -> Iterator[None]:
    """Inside a ``with`` block, draw random numbers that leave no trace in the states of the default generators.

    Args:
        devices: whose states are kept beside that of the CPU; by default all that drew any.
        enabled: False lets the block change the states after all.
        device_type: what an ordinal in ``devices`` means.
    """
    if not enabled:
        yield
        return
    named = None if devices is None else {_device(each, device_type) for each in devices}
    state = get_rng_state()
    counted = {device: at for device, at in counted_states().items() if named is None or device in named}
    try:
        yield
    finally:
        for device, (seed, offset) in counted.items():
            counted_of(device).set(seed, offset)
        set_rng_state(state)


def _device(named: Any, device_type: str) -> Device:
    return (Device(device_type, named) if isinstance(named, int) else device_of(named)).place
