"""One value that somebody looks at now: the short way to it where it is little work, else a realization."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

from lazygrad.host.forks import waiting
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node
from lazygrad.ir.settings import changes
from lazygrad.runtime.at_once import compute, is_computed_as_before, small_program
from lazygrad.runtime.listening import listening
from lazygrad.runtime.profiling import profiling
from lazygrad.runtime.realize import cache, fusion_enabled, is_observed, realize, realize_lock
from lazygrad.runtime.recording import forward_mode_is_open
from lazygrad.runtime.small_forms import is_view_of_computed
from lazygrad.runtime.tiers import runs_to_interpret
from lazygrad.targets.devices import device_evaluator

if TYPE_CHECKING:
    from lazygrad.targets.evaluator import Evaluator


def realize_one(node: Node) -> None:
    """`realize` of one node.

    What reads a computed value through views shares its memory, which `realize` sees to. Of all else, what is little
    work needs nothing that `realize` prepares for a program.
    """
    may_be_small = True
    if profiling.recorder is None and not is_observed() and not waiting.forks and _is_computed_where_asked():
        with realize_lock:
            if forward_mode_is_open() or not is_computed_as_before(node):
                may_be_small = _compute_if_small(node)
            else:
                cache.interpreted += 1
    if node.value is None:
        realize([node], may_be_small)


class _Latest(threading.local):
    """Whether this thread plans as usual, with nobody told, and the latest change of settings by then."""

    known: tuple[object, bool] = (None, False)


_latest = _Latest()


def _is_computed_where_asked() -> bool:
    change = changes.latest
    known = _latest.known
    if known[0] is not change:
        known = _latest.known = (change, listening.listener is None and fusion_enabled())
    return known[1] and runs_to_interpret() is None


def _compute_if_small(node: Node) -> bool:
    """As `realize_if_small` does, where nobody watches. False if it is more work than that."""
    if is_view_of_computed(node):
        return True
    evaluator = _known.evaluator
    if evaluator is None:
        evaluator = _known.evaluator = cast("Evaluator", device_evaluator(CPU))
    program = small_program(node, evaluator)
    if program is None:
        return False
    cache.interpreted += 1
    compute(program, evaluator)
    return True


class _Known:
    """What computes single operations on the host, once it was asked for."""

    evaluator: Evaluator | None = None


_known = _Known()
