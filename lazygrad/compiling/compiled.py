"""Compiled functions: which recordings there are, which of them fits a call, and when a call is not worth recording."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any
from weakref import ref

from lazygrad.codegen.escaping import Words
from lazygrad.compiling.arguments import Signature
from lazygrad.compiling.recorded_call import Stale
from lazygrad.compiling.recorder import Recorded, record
from lazygrad.compiling.replay import Replay
from lazygrad.compiling.settled import MISS
from lazygrad.compiling.stance import stance
from lazygrad.grad_mode import _mode
from lazygrad.host.forks import let_forks_go_first, unlocked_in_child, waiting
from lazygrad.ops.arguments.settings import settings
from lazygrad.runtime.dynamic.marks import expecting_sizes, mark
from lazygrad.runtime.listening import listening
from lazygrad.runtime.realize import realize_lock

RECORDING_LIMIT = 8  # as PyTorch's recompile limit
DYNAMIC_RECORDING_LIMIT = 64
NEW_SIZES = 2  # calls of new sizes that are not recorded, where sizes are expected to differ
_REPLAYED = "the last call was replayed"
ATTEMPTS = 5  # two steady calls are needed, after one that shows the code and one that makes an optimizer's state


class _Kind:
    """Calls of one signature.

    Attributes:
        replays: recorded calls, the one used last in front.
        plain: why such calls are not recorded any more, or None.
        attempts: recordings since the last that could be used.
        last: the last recording, to be confirmed by the next.
        objects: references to the objects among the arguments.
        calls: that ran by plans for many sizes.
    """

    def __init__(self, objects: list[Any]) -> None:
        self.replays: list[Replay] = []
        self.plain: str | None = None
        self.attempts = 0
        self.last: Recorded | None = None
        self.objects = objects
        self.calls = 0


class CompiledFunction:
    """A function whose calls are recorded until they are understood, and replayed from then on; see `compile`.

    Attributes:
        options: ``fullgraph`` and ``dynamic``.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        fullgraph: bool,
        dynamic: bool | None,
        state: Sequence[Any] | None = None,
    ) -> None:
        self._function, self._fullgraph, self._state = function, fullgraph, state
        self.options = fullgraph, dynamic
        self._limit = DYNAMIC_RECORDING_LIMIT if dynamic else RECORDING_LIMIT
        self._kinds: dict[tuple[Any, ...], _Kind] = {}
        self._recording_lock = unlocked_in_child(threading.Lock())
        self._story = "it was not called yet"
        self._replay: Replay | None = None  # the one used last, and its function
        self._settled: Callable[[tuple[Any, ...], dict[str, Any]], Any] | None = None
        self._has_warned = False
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if stance.name == "force_eager":
            self._story = "the stance was force_eager, so that the function ran uncompiled"
            return self._function(*args, **kwargs)
        if self._settled is not None:
            result = self._settled(args, kwargs)
            if result is not MISS:
                self._story = _REPLAYED
                return result
        if listening.listener is not None:
            return self._function(*args, **kwargs)  # a part of what another compiled function records
        signature = Signature(args, kwargs)
        key = signature.key, settings()
        kind = self._kinds.get(key)
        if kind is None:
            if stance.name is not None and self._kinds:
                return self._run_of_new_kind(args, kwargs, ["the arguments' structure, shapes or plain values"])
            kind = self._new_kind(key, signature)
        if kind.plain is not None:
            self._story = kind.plain
            return self._function(*args, **kwargs)
        if not kind.replays and self._expects_sizes(kind):
            return self._run_at_its_size(kind, signature, args, kwargs)
        changes: list[str] = []
        for position, replay in enumerate(kind.replays):
            try:
                result = self._replayed(replay, signature, args, kwargs)
            except Stale as change:
                changes.append(str(change))
                continue
            except Exception:
                break  # uncompiled, it says where in the function it fails
            if position:
                kind.replays.insert(0, kind.replays.pop(position))
            self._story, self._replay, self._settled = _REPLAYED, replay, replay.settled.function
            return result
        else:
            if stance.name is not None and kind.replays:
                return self._run_of_new_kind(args, kwargs, changes)
            return self._record(kind, signature, args, kwargs, changes)
        self._story = "the last replay failed, so that the function ran uncompiled"
        return self._function(*args, **kwargs)

    def _run_of_new_kind(self, args: tuple[Any, ...], kwargs: dict[str, Any], changes: Sequence[str]) -> Any:
        """A call that would be recorded, under a stance that does not want that."""
        changed = f"{', '.join(dict.fromkeys(changes))} changed"
        if stance.name == "fail_on_recompile":
            raise RuntimeError(
                f"Detected recompile when torch.compile stance is 'fail_on_recompile'. function name: "
                f"'{self._name()}': {changed}"
            )
        self._story = f"the stance was {stance.name}, so that the function ran uncompiled: {changed}"
        return self._function(*args, **kwargs)

    def _replayed(self, replay: Replay, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a replay; raises what `Replay.run` raises."""
        settled = replay.settled.function
        if settled is not None and settled is not self._settled:
            result = settled(args, kwargs)
            if result is not MISS:
                return result
        if waiting.forks:
            let_forks_go_first()
        with realize_lock:
            if not replay.guards.hold():
                raise Stale(replay.guards.first_change())
            return replay.run(signature)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<compiled {self._function!r}>"

    def explain(self) -> str:
        """Why the last call was recorded, or ran uncompiled; or that it was replayed."""
        return self._story

    def replay_source(self) -> str | None:
        """The Python function that does the last call's kind of call again, as text.

        It is made after some replays; None while there is none.
        """
        return self._replay.settled.source if self._replay is not None else None

    # Many sizes.

    def _expects_sizes(self, kind: _Kind) -> bool:
        """Whether a call's sizes are too new to record it, where others have been recorded."""
        return bool(self.options[1]) and not self._fullgraph and len(self._kinds) > 1 and kind.calls < NEW_SIZES

    def _run_at_its_size(self, kind: _Kind, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kind.calls += 1
        self._story = "the last call has new sizes: it ran by a plan for many sizes, if it has one"
        for tensor in signature.tensors:
            mark(tensor.node(), 0)
        with expecting_sizes():
            return self._function(*args, **kwargs)

    # Recording.

    def _new_kind(self, key: Any, signature: Signature) -> _Kind:
        """Objects are identified by their addresses in the key, so it must not outlive them."""
        if sum(not each.replays for each in self._kinds.values()) >= 2 * self._limit:
            if self.options[1]:
                self._kinds = {key: each for key, each in self._kinds.items() if each.replays}
                return self._new_kind(key, signature)
            kind = _Kind([])
            self._give_up(kind, "its arguments' shapes or plain values are new in almost every call")
            return kind
        function = ref(self)

        def forget(_: object) -> None:
            compiled = function()
            if compiled is not None:
                compiled._kinds.pop(key, None)
                compiled._replay = compiled._settled = None

        kind = self._kinds[key] = _Kind([_weak_or_strong(value, forget) for value in signature.objects])
        if _mode.enabled and any(tensor.requires_grad for tensor in signature.tensors):
            kind.plain = "an argument requires gradients, which a backward outside may ask for"
        return kind

    def _record(
        self, kind: _Kind, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any], changes: list[str]
    ) -> Any:
        if not self._recording_lock.acquire(blocking=False):
            self._story = "another thread was recording it"
            return self._function(*args, **kwargs)
        try:
            if sum(len(each.replays) for each in self._kinds.values()) >= self._limit:
                changed = ", ".join(dict.fromkeys(changes)) or "the arguments' structure, shapes or plain values"
                self._give_up(kind, f"{self._limit} recordings did not fit; last, {changed} changed")
                return self._function(*args, **kwargs)
            expected = kind.last.reads if kind.last is not None else None
            recorded = record(
                self._function, args, kwargs, signature, expected, _inner_function, self._fullgraph, self._state
            )
            self._learn(kind, signature, recorded, changes)
            return recorded.result
        finally:
            self._recording_lock.release()

    def _learn(self, kind: _Kind, signature: Signature, recorded: Recorded, changes: list[str]) -> None:
        """Keep a recording if the one before was the same, and stop trying if nothing comes of it."""
        last, kind.last = kind.last, recorded
        kind.attempts += 1
        reason = recorded.reason
        if recorded.bindings is not None:
            reason = _difference(last, recorded)
            if reason is None:
                made = Replay(recorded.bindings, recorded.reads, signature, Words(self._name()))
                kind.replays.insert(0, made)
                kind.attempts, kind.last = 0, None
                reason = "it was confirmed; from now on such calls are replayed"
        self._story = f"the last call was recorded: {'; '.join([*[f'{c} changed' for c in changes], str(reason)])}"
        if recorded.awaits_backward:
            kind.plain = str(reason)
        elif kind.attempts >= ATTEMPTS or (recorded.is_final and (self._fullgraph or kind.attempts >= ATTEMPTS - 1)):
            self._give_up(kind, str(reason))

    def _give_up(self, kind: _Kind, reason: str) -> None:
        name = self._name()
        kind.plain = self._story = f"calls of {name} like this one run uncompiled: {reason}"
        kind.last = self._replay = self._settled = None
        if self._fullgraph:
            kind.plain = None
            kind.attempts = 0
            raise RuntimeError(f"fullgraph=True: {name} cannot be replayed: {reason}")
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(f"lazygrad.compile: {kind.plain}", stacklevel=5)

    def _name(self) -> str:
        name: str = getattr(self._function, "__qualname__", type(self._function).__name__)
        return name


def _weak_or_strong(value: Any, forget: Callable[[object], None]) -> Any:
    try:
        return ref(value, forget)
    except TypeError:
        return value


def _difference(last: Recorded | None, recorded: Recorded) -> str | None:
    """Why a usable recording is not kept yet; None if it is the second of its kind."""
    if last is None or last.bindings is None or recorded.bindings is None:
        return "the next call must do the same"
    change = last.reads.guards.first_change()
    return f"{change} changed" if change is not None else last.bindings.difference(recorded.bindings)


def _inner_function(value: Any) -> Any:
    return value._function if isinstance(value, CompiledFunction) else None
