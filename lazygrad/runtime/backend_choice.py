"""Which backend runs a plan: compiled C, or numpy."""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Literal, cast, get_args

from lazygrad.host.warn_once import warn_once

Backend = Literal["numpy", "c"]
Choice = Literal["auto", "numpy", "c"]

_INSTALL = "install gcc >= 12 or clang >= 16, or set CC to the one to use; `python -m lazygrad doctor` says more"


class _Override(threading.local):
    """The choice of the innermost `backend` context of this thread."""

    choice: Choice | None = None


class _Process:
    """What holds in all threads."""

    choice: Choice | None = None  # None until LAZYGRAD_BACKEND was read
    deterministic = False
    deterministic_warn_only = False


_override, _process = _Override(), _Process()


def _checked(name: str, source: str) -> Choice:
    if name not in get_args(Choice):
        raise ValueError(f"{source} must be one of {', '.join(get_args(Choice))}, not {name!r}")
    return cast(Choice, name)


def get_backend() -> Choice:
    """The choice that holds here: that of the innermost `backend` context, else the process's.

    Raises:
        ValueError: the environment variable ``LAZYGRAD_BACKEND`` is none of auto, numpy and c.
    """
    if _override.choice is not None:
        return _override.choice
    if _process.choice is None:
        _process.choice = _checked(os.environ.get("LAZYGRAD_BACKEND") or "auto", "LAZYGRAD_BACKEND")
    return _process.choice


def set_backend(name: str) -> None:
    """Choose the backend of all threads; it replaces what ``LAZYGRAD_BACKEND`` says.

    Args:
        name: "auto" for C where there is a C compiler that works, else numpy; or "numpy" or "c".

    Raises:
        ValueError: any other name.
    """
    _process.choice = _checked(name, "set_backend: the name")


class backend:
    """Within this context, what this thread realizes runs on the backend ``name``, which is as in `set_backend`.

    Raises:
        ValueError: there is no such backend.
    """

    def __init__(self, name: str) -> None:
        self._choice = _checked(name, "backend: the name")
        self._outer: list[Choice | None] = []

    def __enter__(self) -> None:
        self._outer.append(_override.choice)
        _override.choice = self._choice

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _override.choice = self._outer.pop()


def current_backend() -> Backend:
    """The backend that runs what this thread realizes now.

    Raises:
        ValueError: ``LAZYGRAD_BACKEND`` names no backend.
        RuntimeError: C was asked for, and there is no compiler that works.
    """
    choice = get_backend()
    if choice == "numpy":
        return "numpy"
    from lazygrad.targets.c.toolchain import NOT_FOUND, search  # not needed by a program that only runs on numpy

    found = search()
    if found.toolchain is not None:
        return "c"
    if choice == "c":
        raise RuntimeError(f"the C backend needs a C compiler, and none works ({_listed(found.failures)}): {_INSTALL}")
    broken = {name: reason for name, reason in found.failures.items() if reason != NOT_FOUND or os.environ.get("CC")}
    if broken:
        warn_once("compiler", f"no C compiler works, so everything runs on numpy ({_listed(broken)}): {_INSTALL}")
    return "numpy"


def _listed(failures: dict[str, str]) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in failures.items())


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Make results depend on the program alone, to the last bit, also of its first run.

    Every operation of lazygrad is deterministic on one backend. But a new program is run by numpy until its C code is
    compiled, and the two may differ in the last bit of an elementary function or of a long sum. In this mode plans
    wait for the compiler instead.

    Args:
        mode: whether the mode is on.
        warn_only: accepted as in PyTorch; there is no operation to warn of.
    """
    _process.deterministic, _process.deterministic_warn_only = bool(mode), bool(warn_only)


_DEBUG_MODES = ("default", "warn", "error")


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by another name: ``"default"`` (0) is off, ``"warn"`` (1) and ``"error"`` (2) on.

    Raises:
        RuntimeError: another mode.
        TypeError: neither a number nor a name.
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode).__name__}")
    if debug_mode not in (0, 1, 2, *_DEBUG_MODES):
        raise RuntimeError(f"invalid value of debug_mode, expected one of {', '.join(_DEBUG_MODES)}, got {debug_mode}")
    number = _DEBUG_MODES.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    use_deterministic_algorithms(number > 0, warn_only=number == 1)


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2, as `set_deterministic_debug_mode` takes them."""
    return 0 if not _process.deterministic else 1 if _process.deterministic_warn_only else 2


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` is on."""
    return _process.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """What `use_deterministic_algorithms` was last told about warnings."""
    return _process.deterministic_warn_only


def waits_for_compiler() -> bool:
    """Whether a new plan waits until its C code is compiled, rather than run on numpy meanwhile.

    It does in deterministic mode, and with ``LAZYGRAD_WAIT_FOR_COMPILER=1``.
    """
    return _process.deterministic or os.environ.get("LAZYGRAD_WAIT_FOR_COMPILER", "") not in ("", "0")
