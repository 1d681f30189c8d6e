"""``lazygrad.cpu.amp``: the former names of `lazygrad.amp`'s classes for the CPU."""

from __future__ import annotations

from lazygrad.amp.former_names import FormerAutocast, FormerGradScaler
from lazygrad.ir.dtype import bfloat16

__all__ = ["GradScaler", "autocast"]


class autocast(FormerAutocast):
    """``lazygrad.autocast("cpu", …)``, with a warning."""

    device_name, usual_dtype = "cpu", bfloat16


class GradScaler(FormerGradScaler):
    """``lazygrad.amp.GradScaler("cpu", …)``, with a warning."""

    device_name = "cpu"
