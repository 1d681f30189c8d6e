"""`Module`, the base class of all layers and models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from lazygrad.ir.origin import enter_module, exit_module
from lazygrad.nn._module_conversion import ModuleConversion
from lazygrad.nn._module_hooks import ModuleHooks, call_with_hooks
from lazygrad.nn._module_state import ModuleState


def _forward_unimplemented(self: Module, *input: Any) -> Any:
    """What the module computes when it is called; every subclass defines it."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(ModuleHooks, ModuleState, ModuleConversion):
    """Base class of all layers and models: a tree of named parameters, buffers and submodules.

    Subclasses call ``super().__init__()`` first, assign parameters and submodules as attributes, and define
    ``forward``. The tree is used by calling the module, which also runs hooks and names the recorded nodes.

    Attributes:
        training: True after ``train()``, False after ``eval()``; dropout and batch normalization differ between them.
    """

    training: bool

    def __init__(self) -> None:
        super().__init__()
        self.training = True

    # Any signature may override it, hence the type.
    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        enter_module(self._scope_name)
        try:
            if self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks:
                return call_with_hooks(self, args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            exit_module()

    def train(self, mode: bool = True) -> Self:
        """Puts this module and all below it in training mode, or in evaluation mode for ``mode=False``.

        Raises:
            ValueError: ``mode`` is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self) -> Self:
        """Puts this module and all below it in evaluation mode."""
        return self.train(False)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Calls ``fn`` with every submodule, children first, and with this module last."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Switches gradients on or off for all parameters, for example to freeze a part of a model."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters: sets them to None, or to zeros for ``set_to_none=False``."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            parameter.grad = None if set_to_none else parameter.grad.detach().zero_()

    def extra_repr(self) -> str:
        """What ``repr`` shows between the parentheses before the submodules; a layer overrides it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        children = [f"({name}): {_indent(repr(child))}" for name, child in self._modules.items()]
        extra_lines = extra.split("\n") if extra else []
        if not children and len(extra_lines) <= 1:
            return f"{self._get_name()}({extra})"
        lines = "".join(f"  {line}\n" for line in (*extra_lines, *children))
        return f"{self._get_name()}(\n{lines})"

    def _get_name(self) -> str:
        return type(self).__name__


def _indent(text: str) -> str:
    """All lines but the first moved to the right, for a representation inside another."""
    return text.replace("\n", "\n  ")
