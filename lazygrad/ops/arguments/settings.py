"""lazygrad's own settings, as far as they decide what a call records."""

from __future__ import annotations

import threading
from typing import Any

from lazygrad.autocast_mode import mode as autocast
from lazygrad.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from lazygrad.grad_mode import _mode as gradients
from lazygrad.ir.device import current_ordinals, get_default_device
from lazygrad.ir.settings import changes
from lazygrad.levels import levels
from lazygrad.ops.arguments.drawing import draws_inside_graphs
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.runtime.realize import fusion_enabled
from lazygrad.runtime.recording import forward_mode_is_open


class Known:
    """All settings of a thread at some time; one object for equal settings.

    Attributes:
        are_plain: whether operations record themselves and nothing else: no transform runs, nobody is told.
    """

    __slots__ = ("are_plain",)

    def __init__(self, are_plain: bool) -> None:
        self.are_plain = are_plain


class _WithHooks(Known):
    """Settings with saved-tensor hooks. They are not remembered: each context of hooks has a function of its own."""

    __slots__ = ("_values",)

    def __init__(self, values: tuple[Any, ...]) -> None:
        super().__init__(are_plain=False)
        self._values = values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _WithHooks) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values)


class _Latest(threading.local):
    """What this thread's settings were when it asked last, and the latest change of any by then.

    Attributes:
        known: that change, and the settings without gradients and with.
    """

    known: tuple[object, Known | None, Known | None] = (None, None, None)


_latest = _Latest()
_interned: dict[tuple[Any, ...], tuple[Known, Known]] = {}


def settings() -> Known:
    """All of them on this thread, as one object: the same one where an equal call records the same."""
    change = changes.latest
    known = _latest.known
    if known[0] is not change:
        known = _latest.known = (change, *_known())
    return known[1 + gradients.enabled]  # type: ignore[return-value]


def _known() -> tuple[Known, Known]:
    found = _read()
    if gradients.save_for_backward is not None:
        return _WithHooks((*found, False)), _WithHooks((*found, True))
    are_plain = not (levels.active or forward_mode_is_open())
    return _interned.setdefault(found, (Known(are_plain), Known(are_plain)))


def _read() -> tuple[Any, ...]:
    """All settings but whether gradients are recorded, which is switched too often to look at the others again."""
    return (
        gradients.inference,
        gradients.spares_gradients,
        gradients.save_for_backward,
        fusion_enabled(),
        draws_inside_graphs(),
        get_default_dtype(),
        get_default_device(),
        current_ordinals(),
        autocast.dtype,
        autocast.preferred,
        autocast.cuda_dtype,
        autocast.cuda_preferred,
        is_anomaly_enabled(),
        is_anomaly_check_nan_enabled(),
        bool(levels.active),
        forward_mode_is_open(),
    )
