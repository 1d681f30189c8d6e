"""Numbers that change from step to step: step counts, learning rates and what is made of them.

They are computed in Python and enter plans as arguments. A compiled training step records them together with how they
are computed, so that each of its replays computes them again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from typing import Any

from lazygrad.ir.node import TensorType, tensor_type
from lazygrad.ir.primitives.leaf import runtime_number
from lazygrad.runtime.listening import listening
from lazygrad.tensor import Tensor

Group = dict[str, Any]
State = dict[str, Any]


def count_step(state: State) -> None:
    """Adds one to ``state["step"]``."""
    state["step"] += 1
    if listening.listener is not None:
        listening.listener.on_count(state)


def step_numbers(
    compute: Callable[[Group, State], tuple[float, ...]], group: Group, state: State, like: Tensor
) -> tuple[Tensor, ...]:
    """``compute(group, state)`` as 0-dim tensors; inside a compiled function replays compute them again.

    Args:
        compute: must depend on ``group["lr"]``, ``state["step"]`` and options that are guarded, and on nothing else.
        group: the options.
        state: the parameter's state; parameters with equal step counts share their numbers.
        like: whose dtype and device the tensors get.
    """
    listener = listening.listener
    type = tensor_type((), like.dtype, like.device)
    shared = (compute, id(group), state.get("step"))
    if listener is None:
        return _runtime_numbers(shared, compute(group, state), type)
    nodes = listener.numbers(shared, state, partial(compute, group, state), type)
    return tuple([Tensor.from_node(node) for node in nodes])


@lru_cache(maxsize=64)
def _runtime_numbers(shared: Hashable, values: tuple[float, ...], type: TensorType) -> tuple[Tensor, ...]:
    """The same tensors for all parameters with equal ``shared``: equal numbers of others must not make another plan."""
    return tuple([Tensor.from_node(runtime_number(value, type.dtype, type.device)) for value in values])
