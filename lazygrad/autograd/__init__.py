"""Differentiation as the user calls it: backward, grad, hooks, custom functions."""

from lazygrad.autograd import methods as _methods
from lazygrad.autograd.backward import backward, grad
from lazygrad.autograd.function import Function
from lazygrad.grad_mode import enable_grad, no_grad, set_grad_enabled

del _methods

__all__ = ["Function", "backward", "enable_grad", "grad", "no_grad", "set_grad_enabled"]
