"""Utilities beside layers and optimizers: `lazygrad.utils.checkpoint`, and `lazygrad.data` under PyTorch's name."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lazygrad.utils import checkpoint, data, hooks, model_zoo
from lazygrad.utils.swapping import swap_tensors

if TYPE_CHECKING:
    from lazygrad.utils import dlpack as dlpack
    from lazygrad.utils import weak as weak


def __getattr__(name: str) -> Any:
    """What PyTorch's package brings along is loaded when a program asks for it."""
    if name in ("_foreach_utils", "_pytree", "dlpack", "weak"):
        return import_module(f"lazygrad.utils.{name}")
    raise AttributeError(f"module 'lazygrad.utils' has no attribute {name!r}")


__all__ = ["checkpoint", "data", "hooks", "model_zoo", "swap_tensors"]
