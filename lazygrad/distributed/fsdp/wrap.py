"""``lazygrad.distributed.fsdp.wrap``: names of what says which modules processes share, which programs import."""

from __future__ import annotations

from lazygrad.distributed import ONE_PROCESS
from lazygrad.left_out import stand_in, stand_in_class

_CLASSES = ("CustomPolicy", "ModuleWrapPolicy")
_FUNCTIONS = (
    "always_wrap_policy", "enable_wrap", "lambda_auto_wrap_policy", "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy", "wrap",
)  # fmt: skip

__all__ = [*_CLASSES, *_FUNCTIONS]

globals().update({name: stand_in_class(f"distributed.fsdp.wrap.{name}", ONE_PROCESS) for name in _CLASSES})
globals().update({name: stand_in(f"distributed.fsdp.wrap.{name}", ONE_PROCESS) for name in _FUNCTIONS})
