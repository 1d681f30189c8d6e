"""`Module`, the base class of all layers and models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Self, TypeVar, cast

from lazygrad.autograd.hooks import HookRegistry
from lazygrad.ir.origin import enter_module, exit_module
from lazygrad.nn.core.conversion import ModuleConversion
from lazygrad.nn.core.global_hooks import global_hooks
from lazygrad.nn.core.hooks import ModuleHooks, call_with_hooks
from lazygrad.nn.core.state import ModuleState
from lazygrad.nn.parameter import Parameter
from lazygrad.tensor import Tensor

__all__ = ["Module"]

_HOOKS = (
    "_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks", "_state_dict_pre_hooks",
    "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip

Member = TypeVar("Member", bound=Tensor)


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
    _modules: dict[str, Module | None]

    def __init__(self) -> None:
        super().__init__()
        self.training = True

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes what a pickle says of the module; hooks in files of PyTorch are plain dictionaries.

        Raises:
            ValueError: such a dictionary with hooks in it.
        """
        self.__dict__.update(state)
        for name in _HOOKS:
            hooks = state.get(name)
            if hooks and not isinstance(hooks, HookRegistry):
                raise ValueError(f"{type(self).__name__}: hooks that PyTorch has saved ({name}) cannot be loaded; "
                                 f"remove them before saving")  # fmt: skip
            if not hooks:
                self.__dict__[name] = HookRegistry()

    # Any signature may override it, hence the type.
    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        enter_module(self._scope_name)
        try:
            if self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks:
                return call_with_hooks(self, args, kwargs)
            if global_hooks:
                return call_with_hooks(self, args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            exit_module()

    # The tree. Members that several modules share are listed once, under their first name.

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Direct submodules with their names."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """Direct submodules."""
        return (module for _, module in self.named_children())

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, depth first, with dotted names; the module itself goes by ``prefix``.

        Args:
            memo: modules to leave out; those found are added.
            prefix: put before every name.
            remove_duplicate: list a module that occurs several times only once.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all below it, depth first."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Parameters with dotted names.

        Args:
            prefix: put before every name.
            recurse: include those of submodules.
            remove_duplicate: list a parameter that several modules share only once.
        """
        return self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Parameters, in the order in which they were registered."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Buffers with dotted names; arguments as in `named_parameters`."""
        return self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Buffers, in the order in which they were registered."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        """The submodule at a dotted path such as ``"encoder.layers.0"``; this module for ``""``.

        Raises:
            AttributeError: nothing, or something that is no module, is found there.
        """
        module = self
        for name in target.split(".") if target else ():
            found = _attribute(module, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
            module = found
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Puts ``module`` at a dotted path, in place of the submodule that is there.

        Args:
            target: the path; all but its last name must exist.
            module: the new submodule.
            strict: refuse a path where there is no submodule yet.

        Raises:
            ValueError: an empty path, or ``module`` is not a Module.
            AttributeError: the path leads through or to something that is no module.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(_attribute(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted path such as ``"encoder.weight"``; AttributeError when there is none."""
        path, _, name = target.rpartition(".")
        found = _attribute(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted path such as ``"norm.running_mean"``; AttributeError when there is none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = _attribute(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return cast("Tensor", found)

    def _named_members(
        self,
        get_members_fn: Callable[[Module], Iterable[tuple[str, Member | None]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Member]]:
        """What a function finds in modules, with dotted names. Libraries of meta-learning ask it for theirs."""
        seen: set[int] = set()
        modules: Iterable[tuple[str, Module]] = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    # What is done with the whole tree.

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

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compiles the module's calls from then on; arguments as for `lazygrad.compile`."""
        # Compiling stands above modules, and is loaded by the programs that use it.
        import_module("lazygrad.compiling.in_place").compile_in_place(self, *args, **kwargs)

    def extra_repr(self) -> str:
        """What ``repr`` shows between the parentheses before the submodules; a layer overrides it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        children = [f"({name}): {_addindent(repr(child), 2)}" for name, child in self._modules.items()]
        extra_lines = extra.split("\n") if extra else []
        if not children and len(extra_lines) <= 1:
            return f"{self._get_name()}({extra})"
        lines = "".join(f"  {line}\n" for line in (*extra_lines, *children))
        return f"{self._get_name()}(\n{lines})"

    def _get_name(self) -> str:
        return type(self).__name__


def _addindent(s_: str, numSpaces: int) -> str:
    """All lines but the first moved to the right, for a representation inside another; empty ones stay empty.

    It has PyTorch's name: modules of others show their parts by it.
    """
    first, *rest = s_.split("\n")
    return "\n".join([first, *(" " * numSpaces + line if line.strip() else "" for line in rest)])


def _attribute(module: Module, name: str) -> Any:
    if not hasattr(module, name):
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    return getattr(module, name)
