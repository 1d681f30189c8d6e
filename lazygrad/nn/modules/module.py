"""The base class, and hooks of all modules, under PyTorch's path."""

from lazygrad.nn.core.global_hooks import (
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from lazygrad.nn.core.module import Module, _addindent
from lazygrad.nn.core.state import IncompatibleKeys as _IncompatibleKeys
from lazygrad.nn.parameter import Buffer, Parameter
from lazygrad.tensor import Tensor

__all__ = [
    "Module",
    "_IncompatibleKeys",
    "_addindent",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]
