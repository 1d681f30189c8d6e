"""The few names of PyTorch's own library that programs reach past its public ones; none does more than answer."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import MemoryFormat
from lazygrad.left_out import stand_in_class
from lazygrad.levels import levels
from lazygrad.linalg import LinAlgError as _LinAlgError
from lazygrad.nn.core.conversion import parse_to_arguments
from lazygrad.ops.arguments.options import device_option
from lazygrad.ops.random.generator import Generator
from lazygrad.tensor import Tensor
from lazygrad.torch_function import DisableTorchFunction, DisableTorchFunctionSubclass, asking, left_alone

_TensorMeta = type(Tensor)

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "_LinAlgError",
    "_are_functorch_transforms_active",
    "_get_tracing_state",
    "_log_api_usage_once",
]


def _log_api_usage_once(event: str) -> None:
    """Nothing is logged."""


def _get_tracing_state() -> None:
    """No module is traced."""


def _are_functorch_transforms_active() -> bool:
    """Whether a function transform runs."""
    return bool(levels.active)


_disabled_torch_function_impl = left_alone


def _is_torch_function_enabled() -> bool:
    """Whether the classes of arguments are asked."""
    return asking.asks_classes


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Device | None, DType | None, bool, MemoryFormat | None]:
    """The device, dtype, ``non_blocking`` and memory format among the arguments of a module's ``to``."""
    device, dtype, memory_format = parse_to_arguments(*args, **kwargs)
    is_non_blocking = bool(kwargs.get("non_blocking", any(value is True for value in args)))
    return None if device is None else device_option(device), dtype, is_non_blocking, memory_format


class _ScriptSettings:
    """Switches of TorchScript's executor and fusers, which programs set before they run; nothing reads them.

    Attributes:
        kept: the switches, by name.
    """

    def __init__(self) -> None:
        self.kept = {"profiling_executor": True, "profiling_mode": True, "autocast_mode": True}

    def set(self, name: str, value: bool) -> bool:
        """Keeps a switch; the answer is what it was."""
        before = self.kept[name]
        self.kept[name] = bool(value)
        return before


_script_settings = _ScriptSettings()
_jit_set_profiling_executor = partial(_script_settings.set, "profiling_executor")
_jit_set_profiling_mode = partial(_script_settings.set, "profiling_mode")
_jit_set_autocast_mode = partial(_script_settings.set, "autocast_mode")


def _jit_override_can_fuse_on_cpu(override: bool) -> None:
    """Nothing is fused by TorchScript."""


_jit_override_can_fuse_on_gpu = _jit_set_texpr_fuser_enabled = _jit_override_can_fuse_on_cpu


Value = stand_in_class("_C.Value", "there is no TorchScript; result.graph() shows what was recorded")
_nn = SimpleNamespace(_parse_to=_parse_to)


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"lazygrad has no torch._C.{name}: it is PyTorch's own library; lazygrad's public functions are those of torch"
    )
