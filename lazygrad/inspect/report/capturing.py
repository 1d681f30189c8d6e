"""What is to be explained: the programs behind tensors, or those that a call computes and leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.inspect.programs import tensors_in
from lazygrad.inspect.report.building import Asked, built
from lazygrad.inspect.report.model import Program
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.runtime.realize import cache, fusion_enabled, is_computed_at_once, observing_realizations
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.siblings import pending_siblings


def programs_of(nodes: Sequence[Node], title: str, timed: bool) -> list[Program]:
    """The program that computes some nodes, with the gradients that `backward` has recorded of them."""
    return [explained(Recording([*nodes, *_gradients_of(nodes)]), title, timed)]


def programs_of_call(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], title: str, timed: bool
) -> list[Program]:
    """What a call computes, in order, and what it leaves pending."""
    programs: list[Program] = []

    def see(recording: Recording) -> None:
        programs.append(explained(recording, f"{title}, program {len(programs) + 1}", timed))

    with observing_realizations(see):
        result = function(*args, **kwargs)
    pending = [node for tensor in tensors_in(result) if (node := tensor.node()).value is None]
    return [*programs, *(programs_of(pending, title, timed) if pending else [])]


def explained(recording: Recording, title: str, timed: bool = False) -> Program:
    """All that is known of a program that is about to be computed."""
    return built(asked_of(recording, title, timed))


def asked_of(recording: Recording, title: str, timed: bool = False) -> Asked:
    """The same before it is explained, which may then be done when the program is over, unless it is to be timed."""
    state, timing = _state(recording), recording if timed else None
    return Asked(title, recording.program(), fusion_enabled(), recording.slots_of_parts(), state, timing)


def _state(recording: Recording) -> str:
    if len(recording.roots) == 1 and is_computed_at_once(recording.roots[0]):
        return "none is made: so little is computed at once"
    if (recording.key, fusion_enabled()) in cache:
        return "there is a plan for it in the cache"
    return cache.last_misses.explain_new(recording.key, [node.origin for node in recording.order])


def _gradients_of(nodes: Sequence[Node]) -> list[Node]:
    """Pending gradients that are computed from one of ``nodes``."""
    wanted = set(nodes)
    return [node for node in pending_siblings() if wanted.intersection(topological_order([node], _pending_inputs))]


def _pending_inputs(node: Node) -> tuple[Node, ...]:
    return node.inputs if node.value is None else ()
