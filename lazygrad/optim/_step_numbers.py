"""Numbers that change from step to step: step counts, learning rates and what is made of them.

They are computed in Python and enter plans as arguments. A compiled training step records them together with how they
are computed, so that each of its replays computes them again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lazygrad.ir.node import tensor_type
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
) -> tuple[float, ...] | tuple[Tensor, ...]:
    """``compute(group, state)``; inside a compiled function as 0-dim tensors that replays compute again.

    Args:
        compute: must depend on ``group["lr"]``, ``state["step"]`` and options that are guarded, and on nothing else.
        group: the options.
        state: the parameter's state; parameters with equal step counts share their numbers.
        like: whose dtype and device the tensors get.
    """
    listener = listening.listener
    if listener is None:
        return compute(group, state)
    shared = (compute, id(group), state.get("step"))
    type = tensor_type((), like.dtype, like.device)
    nodes = listener.numbers(shared, state, partial(compute, group, state), type)
    return tuple([Tensor.from_node(node) for node in nodes])
