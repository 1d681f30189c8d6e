"""What compiled functions do for a while: what they always do, run uncompiled, or refuse what is new to them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, cast

from lazygrad.runtime.listening import listening

__all__ = ["set_stance", "stance"]

Function = TypeVar("Function", bound=Callable[..., Any])

_STANCES = (
    "default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile", "aot_eager_then_compile",
)  # fmt: skip


class _Current:
    """The stance of this process; None for what compiled functions always do."""

    name: str | None = None


stance = _Current()


class set_stance:
    """Set what compiled functions do: called, until the next call; as a context or a decorator, within it.

    Args:
        stance: ``"default"``; ``"force_eager"``, to run them uncompiled; ``"eager_on_recompile"``, to run calls of a
            new kind uncompiled, and ``"fail_on_recompile"``, to refuse them. ``"eager_then_compile"`` and
            ``"aot_eager_then_compile"`` are the default: a first call is recorded as it runs.
        skip_guard_eval_unsafe: accepted; what a recording read is compared as ever.
        force_backend: accepted with the default stance; there is one backend.

    Raises:
        RuntimeError: an unknown stance, another one than the default together with a backend, or a call is being
            recorded.
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        if stance not in _STANCES:
            raise RuntimeError(f"invalid torch.compile stance '{stance}'; there are {', '.join(_STANCES)}")
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")
        self.stance = stance
        self._before = self._set(stance if stance.endswith(("force_eager", "on_recompile")) else None)

    def __call__(self, fn: Function) -> Function:
        """``fn``, which runs with this stance."""
        self._set(self._before)

        @functools.wraps(fn)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return cast(Function, wrapper)

    def __enter__(self) -> None:
        """The stance is set already, by making the context."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._set(self._before)

    @staticmethod
    def _set(name: str | None) -> str | None:
        if listening.listener is not None:
            raise RuntimeError("set_stance cannot be called in a function of lazygrad.compile")
        before, stance.name = stance.name, name
        return before
