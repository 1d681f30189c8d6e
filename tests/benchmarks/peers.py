"""The libraries compared with, each on the same number of threads; None where one is not installed."""

from __future__ import annotations

import importlib
import os
from typing import Any

import threadpoolctl

import lazygrad
from tests.learning.framework import LAZYGRAD, Framework

THREADS = min(2, os.cpu_count() or 1)


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_torch = _optional("torch")
TORCH = Framework(_torch, _torch.nn, _torch.optim, _optional("torch.utils.data")) if _torch is not None else None

FRAMEWORKS: dict[str, Framework | None] = {"lazygrad": LAZYGRAD, "torch eager": TORCH}


def limit_threads() -> None:
    """Give every library `THREADS` threads."""
    lazygrad.set_num_threads(THREADS)
    threadpoolctl.threadpool_limits(THREADS)
    if _torch is not None:
        _torch.set_num_threads(THREADS)
