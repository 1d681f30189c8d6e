"""lazygrad's own settings, as far as they decide what a call records."""

from __future__ import annotations

from typing import Any

from lazygrad.autocast_mode import mode as autocast
from lazygrad.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from lazygrad.grad_mode import _mode as gradients
from lazygrad.ir.device import get_default_device
from lazygrad.levels import levels
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.random.in_graphs import draws_inside_graphs
from lazygrad.runtime.realize import fusion_enabled
from lazygrad.runtime.recording import forward_mode_is_open


def settings() -> tuple[Any, ...]:
    """All of them on this thread; equal when an equal call records the same."""
    return (
        gradients.enabled,
        gradients.inference,
        gradients.spares_gradients,
        gradients.save_for_backward,
        fusion_enabled(),
        draws_inside_graphs(),
        get_default_dtype(),
        get_default_device(),
        autocast.dtype,
        autocast.preferred,
        is_anomaly_enabled(),
        is_anomaly_check_nan_enabled(),
        bool(levels.active),
        forward_mode_is_open(),
    )
