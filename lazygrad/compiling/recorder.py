"""Records one call of a function: runs it, computes its results with one plan, and finds out what a replay must do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lazygrad.autograd_meta import consumed_history, is_tracked
from lazygrad.compiling.arguments import Signature
from lazygrad.compiling.binder import Binder
from lazygrad.compiling.bindings import Bindings
from lazygrad.compiling.call_state import CallState
from lazygrad.compiling.capture import Capture
from lazygrad.compiling.hooks import Hooks
from lazygrad.compiling.reads import Reads
from lazygrad.compiling.results import builder
from lazygrad.compiling.state import promise
from lazygrad.compiling.unguardable import Unguardable
from lazygrad.compiling.watch import watching
from lazygrad.exposure import land_writes
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer, detach
from lazygrad.ops.arguments.settings import settings
from lazygrad.runtime.listening import listening
from lazygrad.runtime.recording import keeps_its_history
from lazygrad.storage import take_pending_writes
from lazygrad.tensor import Tensor


class AwaitsBackward(Unguardable):
    """A returned tensor still needs its history, for a backward outside the call."""


@dataclass
class Recorded:
    """What came of recording one call.

    Attributes:
        result: what the function returned.
        reads: what it read from outside.
        bindings: what a replay must do, or None.
        reason: why there is no bindings.
        is_final: whether trying again is of little use.
        awaits_backward: whether the returned tensors need a backward outside the call.
    """

    result: Any
    reads: Reads
    bindings: Bindings | None = None
    reason: str | None = None
    is_final: bool = False
    awaits_backward: bool = False


def record(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    signature: Signature,
    expected: Reads | None,
    unwrap: Callable[[Any], Any | None],
    fullgraph: bool,
    state: Sequence[Any] | None = None,
) -> Recorded:
    """Run ``function(*args, **kwargs)`` as it would run uncompiled, and learn how to replay it.

    Args:
        signature: of the arguments.
        expected: what an earlier call read, or None.
        unwrap: see `Reads`.
        fullgraph: see `Capture`.
        state: see `promise`; None where nothing is promised.

    Raises:
        Whatever the function raises. What it had done by then is done.
    """
    call_state = CallState(signature.tensors, expected.tensors if expected else ())
    capture = Capture(fullgraph)
    given = [*signature.tensors, *signature.containers]
    reads = Reads(given, signature.objects, capture.first_serial, unwrap)
    if state is not None:
        promise(state, reads)
    before = settings()
    result = _run(function, args, kwargs, capture, reads)
    recorded = Recorded(result, reads)
    if reads.refusal is None and settings() != before:
        reads.refusal = "it changes a setting of lazygrad"
    recorded.is_final, recorded.reason = reads.refusal is not None, reads.refusal
    try:
        bindings = _finish(result, capture, call_state)
        recorded.reason = recorded.reason or _effects(reads, expected, call_state, signature, args, kwargs)
        if recorded.reason is None:
            for follower, leader in capture.equal_steps:
                reads.guards.equal_steps(follower, leader)
            recorded.bindings = bindings
    except Unguardable as refusal:
        recorded.reason = str(refusal) if isinstance(refusal, AwaitsBackward) else recorded.reason or str(refusal)
        recorded.awaits_backward = isinstance(refusal, AwaitsBackward)
    return recorded


def _run(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], capture: Capture, reads: Reads
) -> Any:
    listening.listener = capture
    try:
        with watching(reads):
            return Hooks(reads).run(function, args, kwargs)
    except BaseException:
        listening.listener = None
        capture.realize_rest()  # optimizer steps that were made count, as they do uncompiled
        land_writes()
        raise
    finally:
        listening.listener = None


def _effects(
    reads: Reads,
    expected: Reads | None,
    call_state: CallState,
    signature: Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> str | None:
    """What the call changed beside tensors' values, or what else keeps this recording from being the typical one."""
    if expected is None:
        return "the first call only shows what it reads"
    new = reads.tensors.keys() - expected.tensors.keys()
    if new:
        return f"it reads {reads.tensors[new.pop()]}, which the call before did not"
    change = reads.guards.first_change()
    if change is not None:
        return f"it changes {change}"
    if Signature(args, kwargs).key != signature.key or call_state.arguments_are_relaid():
        return "it changes its arguments"
    return None


def _finish(result: Any, capture: Capture, call_state: CallState) -> Bindings:
    """Compute everything the call leaves behind, and describe it.

    Raises:
        Unguardable: it cannot be replayed. Everything is computed that has to be, nevertheless.
    """
    returned: list[Tensor] = []
    try:
        build = builder(result, returned)
        if any(_awaits_backward(tensor) for tensor in returned):
            raise AwaitsBackward("a returned tensor still needs a backward; detach it, or call it under no_grad")
        if capture.read_at is not None:
            raise Unguardable(f"{capture.read_at} reads a computed value")
        if call_state.aliased:
            raise Unguardable("an argument shares its storage with another tensor")
    except Unguardable:
        capture.realize_rest()
        land_writes()
        raise
    gradients = {tensor: tensor._grad for tensor in call_state.reachable if tensor._grad is not None}
    pending = [
        *[tensor._storage.value for tensor in returned],
        *[storage.value for storage in call_state.changed()],
        *[gradient._storage.value for gradient in gradients.values()],
        *take_pending_writes(),
    ]
    capture.realize_rest(pending)
    del pending
    land_writes()
    capture.check_random_state()
    if capture.final is None:
        raise Unguardable("it computes nothing")
    binder = Binder(capture, call_state, gradients)
    bindings = binder.bindings(result, returned, build)
    unowned, with_history = binder.unowned, binder.with_history
    del binder
    capture.final = None  # with the recording goes what only it refers to
    _seal(with_history)
    if any(reference() is not None for reference in unowned):
        raise Unguardable("a tensor that it computes is kept where it cannot be found")
    return bindings


def _seal(nodes: list[Node]) -> None:
    while nodes:
        node = nodes.pop()
        if keeps_its_history(node, ()):
            raise Unguardable("a result keeps its history for a later backward")
        node.seal(buffer)


def _awaits_backward(tensor: Tensor) -> bool:
    node = tensor._storage.value
    return is_tracked(node) and node.op is not detach and node.op is not buffer and consumed_history(node) is None
