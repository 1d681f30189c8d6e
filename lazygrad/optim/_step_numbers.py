"""Numbers that change from step to step: step counts, learning rates and what is made of them.

They are computed in Python and enter plans as arguments. A compiled training step records them together with how they
are computed, so that each of its replays computes them again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ir.node import TensorType, next_serial, tensor_type
from lazygrad.ir.primitives.leaf import runtime_number
from lazygrad.runtime.listening import listening
from lazygrad.tensor import Tensor

Group = dict[str, Any]
State = dict[str, Any]


class StepNumbers:
    """What one step counted and computed.

    Attributes:
        counted: states whose ``"step"`` grew by one.
        made: functions that compute numbers, with the tensors that these became.
        since: a serial below those of the nodes that the step records.
    """

    __slots__ = ("counted", "made", "since")

    def __init__(self) -> None:
        self.counted: list[State] = []
        self.made: list[tuple[Callable[[], Sequence[float]], tuple[Tensor, ...]]] = []
        self.since = next_serial()


class _Noting(threading.local):
    """Where this thread's step notes its numbers, if it does."""

    numbers: StepNumbers | None = None


_noting = _Noting()


@contextmanager
def noting_numbers() -> Iterator[StepNumbers]:
    """Within this context what this thread counts and computes is noted."""
    _noting.numbers = numbers = StepNumbers()
    try:
        yield numbers
    finally:
        _noting.numbers = None


def step_begins() -> int | None:
    """`StepNumbers.since` of the step that this thread records."""
    return _noting.numbers.since if _noting.numbers is not None else None


def count_step(state: State) -> None:
    """Adds one to ``state["step"]``."""
    state["step"] += 1
    if _noting.numbers is not None:
        _noting.numbers.counted.append(state)
    if listening.listener is not None:
        listening.listener.on_count(state)


def step_numbers(
    compute: Callable[[Group, State], tuple[float, ...]],
    group: Group,
    state: State,
    like: Tensor,
    dtype: DType | None = None,
) -> tuple[Tensor, ...]:
    """``compute(group, state)`` as 0-dim tensors; inside a compiled function replays compute them again.

    Args:
        compute: must depend on ``group["lr"]``, ``state["step"]`` and options that are guarded, and on nothing else.
        group: the options.
        state: the parameter's state; parameters with equal step counts share their numbers.
        like: whose dtype and device the tensors get.
        dtype: instead of that of ``like``.
    """
    listener = listening.listener
    type = tensor_type((), dtype or like.dtype, like.device)
    shared = (compute, id(group), state.get("step"))
    if listener is None:
        made = _runtime_numbers(shared, compute(group, state), type)
        if _noting.numbers is not None:
            _noting.numbers.made.append((partial(compute, group, state), made))
        return made
    nodes = listener.numbers(shared, state, partial(compute, group, state), type)
    return tuple([Tensor.from_node(node) for node in nodes])


@lru_cache(maxsize=64)
def _runtime_numbers(shared: Hashable, values: tuple[float, ...], type: TensorType) -> tuple[Tensor, ...]:
    """The same tensors for all parameters with equal ``shared``: equal numbers of others must not make another plan."""
    return tuple([Tensor.from_node(runtime_number(value, type.dtype, type.device)) for value in values])
