"""`torch.utils.model_zoo`: the former name of `lazygrad.hub`'s function for files of weights."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["load_url"]


def load_url(*args: Any, **kwargs: Any) -> Any:
    """See `lazygrad.hub.load_state_dict_from_url`, which reads what is there and downloads nothing."""
    return import_module("lazygrad.hub").load_state_dict_from_url(*args, **kwargs)  # which stands above this package
