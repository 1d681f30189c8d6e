"""lazygrad's own settings, as far as they decide what a call records."""

from __future__ import annotations

import threading
from typing import Any

from lazygrad.autocast_mode import mode as autocast
from lazygrad.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from lazygrad.grad_mode import _mode as gradients
from lazygrad.ir.device import get_default_device
from lazygrad.ir.settings import changes
from lazygrad.levels import levels
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.runtime.realize import fusion_enabled
from lazygrad.runtime.recording import forward_mode_is_open


class _Known(threading.local):
    """What this thread's settings were when it asked last, and the latest change of any by then."""

    settings: object = None
    change: object = None


_known = _Known()
_interned: dict[tuple[Any, ...], object] = {}


def settings() -> object:
    """All of them on this thread, as one object: the same one where an equal call records the same."""
    change = changes.latest
    if _known.change is not change:
        found = _read()
        # Each context of saved-tensor hooks has a function of its own, so those are not remembered.
        _known.settings = found if gradients.save_for_backward else _interned.setdefault(found, object())
        _known.change = change
    return _known.settings


def _read() -> tuple[Any, ...]:
    return (
        gradients.enabled,
        gradients.inference,
        gradients.spares_gradients,
        gradients.save_for_backward,
        fusion_enabled(),
        get_default_dtype(),
        get_default_device(),
        autocast.dtype,
        autocast.preferred,
        is_anomaly_enabled(),
        is_anomaly_check_nan_enabled(),
        bool(levels.active),
        forward_mode_is_open(),
    )
