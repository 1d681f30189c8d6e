"""Automatic mixed precision: `autocast`, and `GradScaler` against gradients too small for float16."""

from lazygrad.amp.custom_functions import custom_bwd, custom_fwd
from lazygrad.amp.grad_scaler import GradScaler
from lazygrad.autocast_mode import autocast

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]
