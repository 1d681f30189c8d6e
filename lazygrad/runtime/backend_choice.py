"""Which backend runs a plan: the fastest target of its device, or the one that was asked for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from lazygrad.host.determinism import is_deterministic, set_deterministic
from lazygrad.host.warn_once import warn_once
from lazygrad.ir.settings import Settings
from lazygrad.targets.devices import device_targets, has_no_choice, target_names

if TYPE_CHECKING:
    from lazygrad.targets.base import Target

AUTO = "auto"


# Whatever is computed asks whether it waits for the compiler. Python keeps the environment's variables in a dictionary,
# encoded as the system has them; to look one up there takes a tenth of the time that `os.environ` takes.
_variables: Mapping[Any, Any] = getattr(os.environ, "_data", os.environ)
_encode: Callable[[str], Any] = os.environ.encodekey if _variables is not os.environ else str
_WAITS, _NOTHING = _encode("LAZYGRAD_WAIT_FOR_COMPILER"), _encode("")
_NO = (_NOTHING, _encode("0"))


class _Override(Settings, threading.local):
    """The choice of the innermost `backend` context of this thread."""

    choice: str | None = None


class _Process(Settings):
    """What holds in all threads."""

    choice: str | None = None  # None until LAZYGRAD_BACKEND was read
    deterministic_warn_only = False


_override, _process = _Override(), _Process()


def _checked(name: str, source: str) -> str:
    choices = (AUTO, *target_names())
    if name not in choices:
        hint = f'; tensors choose the device: device="{name}", or set_default_device("{name}")'
        raise ValueError(
            f"{source} must be one of {', '.join(choices)}, not {name!r}{hint if has_no_choice(name) else ''}"
        )
    return name


def get_backend() -> str:
    """The choice that holds here: that of the innermost `backend` context, else the process's.

    Raises:
        ValueError: the environment variable ``LAZYGRAD_BACKEND`` is neither auto nor the name of a target.
    """
    if _override.choice is not None:
        return _override.choice
    if _process.choice is None:
        _process.choice = _checked(os.environ.get("LAZYGRAD_BACKEND") or AUTO, "LAZYGRAD_BACKEND")
    return _process.choice


def set_backend(name: str) -> None:
    """Choose the backend of all threads; it replaces what ``LAZYGRAD_BACKEND`` says.

    Args:
        name: "auto" for C where there is a C compiler that works, else numpy; or "numpy" or "c", or the name of a
            target that was registered. Devices that do not have this target choose as with "auto".

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
        self._outer: list[str | None] = []

    def __enter__(self) -> None:
        self._outer.append(_override.choice)
        _override.choice = self._choice

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _override.choice = self._outer.pop()


def current_backend() -> str:
    """The backend that runs on the CPU what this thread realizes now.

    Raises:
        ValueError: ``LAZYGRAD_BACKEND`` names no backend.
        RuntimeError: a backend was asked for that cannot run here, such as C without a compiler that works.
    """
    choice = get_backend()
    return next(target.name for target in in_question(device_targets(), choice) if is_there(target, choice))


def in_question(targets: tuple[Target[Any], ...], choice: str) -> tuple[Target[Any], ...]:
    """Which targets of a device may run a plan, fastest first: the last one runs what the others are not ready for."""
    first = targets[0]
    for target in targets:
        if target.name == choice:
            return (target,) if target is first else (target, first)
    return targets[::-1]


def first_target_may_run() -> bool:
    """Whether the first target of the CPU may run a program, because nobody asked for a compiled one."""
    return get_backend() in (AUTO, target_names()[0]) and not waits_for_compiler()


def is_there(target: Target[Any], choice: str) -> bool:
    """Whether a target can run here. Where that is a surprise, a warning says so, once.

    Raises:
        RuntimeError: it cannot, and was chosen.
    """
    missing = target.missing()
    if missing is None:
        return True
    if choice == target.name:
        raise RuntimeError(missing.error)
    if missing.warning is not None:
        warn_once(target.name, missing.warning)
    return False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Make results depend on the program alone, to the last bit, also of its first run.

    Every operation of lazygrad is deterministic on one backend of the CPU. But a new program is run by numpy until its
    C code is compiled, and the two may differ in the last bit of an elementary function or of a long sum. In this mode
    plans wait for the compiler instead. On a CUDA device, values that indices bring to one place are added up in their
    order instead of by atomic operations.

    Args:
        mode: whether the mode is on.
        warn_only: accepted as in PyTorch; there is no operation to warn of.
    """
    set_deterministic(bool(mode))
    _process.deterministic_warn_only = bool(warn_only)


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
    return 0 if not is_deterministic() else 1 if _process.deterministic_warn_only else 2


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` is on."""
    return is_deterministic()


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """What `use_deterministic_algorithms` was last told about warnings."""
    return _process.deterministic_warn_only


def waits_for_compiler() -> bool:
    """Whether a new plan waits until its C code is compiled, rather than run on numpy meanwhile.

    It does in deterministic mode, and with ``LAZYGRAD_WAIT_FOR_COMPILER=1``.
    """
    return _variables.get(_WAITS, _NOTHING) not in _NO or is_deterministic()
