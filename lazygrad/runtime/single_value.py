"""One value that somebody looks at now: the short way to it where it is little work, else a realization."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lazygrad.host.forks import waiting
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node
from lazygrad.runtime.at_once import compute, small_program
from lazygrad.runtime.listening import listening
from lazygrad.runtime.profiling import profiling
from lazygrad.runtime.realize import cache, fusion_enabled, is_observed, realize, realize_lock
from lazygrad.runtime.tiers import runs_to_interpret
from lazygrad.targets.devices import device_evaluator

if TYPE_CHECKING:
    from lazygrad.targets.evaluator import Evaluator


def realize_one(node: Node) -> None:
    """`realize` of one node.

    What reads a computed value through views shares its memory, which `realize` sees to. Of all else, what is little
    work needs nothing that `realize` prepares for a program.
    """
    if profiling.recorder is None and not _is_view_of_computed(node) and not is_observed() and not waiting.forks:
        with realize_lock:
            _compute_if_small(node)
    if node.value is None:
        realize([node])


def _compute_if_small(node: Node) -> None:
    """As `realize_if_small` does, where nobody watches."""
    evaluator = _known.evaluator
    if evaluator is None:
        evaluator = _known.evaluator = cast("Evaluator", device_evaluator(CPU))
    program = small_program(node, evaluator)
    if program is None or listening.listener is not None or not fusion_enabled() or runs_to_interpret() is not None:
        return
    cache.interpreted += 1
    compute(program, evaluator)


class _Known:
    """What computes single operations on the host, once it was asked for."""

    evaluator: Evaluator | None = None


_known = _Known()


def _is_view_of_computed(node: Node) -> bool:
    while node.value is None and node.op.is_alias:
        node = node.inputs[0]
    return node.value is not None
