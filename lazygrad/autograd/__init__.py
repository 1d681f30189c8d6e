"""Differentiation as the user calls it: backward, grad, hooks, custom functions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lazygrad.autograd import function, graph
from lazygrad.autograd import methods as _methods
from lazygrad.autograd.anomaly import detect_anomaly, set_detect_anomaly
from lazygrad.autograd.backward import backward, grad
from lazygrad.autograd.function import Function
from lazygrad.autograd.variable import Variable
from lazygrad.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled

if TYPE_CHECKING:
    from lazygrad.autograd import forward_ad, functional
    from lazygrad.autograd.checking import GradcheckError, gradcheck, gradgradcheck

del _methods

# Loaded when first used, so that importing the package stays quick.
_LAZY = dict.fromkeys(("GradcheckError", "gradcheck", "gradgradcheck"), "checking")

# PyTorch's paths of what lies elsewhere here.
_ELSEWHERE = {"grad_mode": "lazygrad.grad_mode", "profiler": "lazygrad._autograd_profiler"}


def __getattr__(name: str) -> Any:
    if name in ("forward_ad", "functional"):
        return import_module(f"lazygrad.autograd.{name}")
    if name in _ELSEWHERE:
        return import_module(_ELSEWHERE[name])
    if name not in _LAZY:
        raise AttributeError(f"module 'lazygrad.autograd' has no attribute {name!r}")
    return getattr(import_module(f"lazygrad.autograd.{_LAZY[name]}"), name)


__all__ = [
    "Function",
    "GradcheckError",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
