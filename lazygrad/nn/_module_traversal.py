"""Walking the tree of modules: parameters, buffers and submodules by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

from lazygrad.nn._module_attributes import ModuleAttributes
from lazygrad.nn.parameter import Parameter
from lazygrad.tensor import Tensor

if TYPE_CHECKING:
    from lazygrad.nn.module import Module

Member = TypeVar("Member", bound=Tensor)


class ModuleTraversal(ModuleAttributes):
    """The part of `Module` that lists and finds its members. Shared members are listed once, under their first name."""

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
        module = cast("Module", self)
        if module in memo:
            return
        if remove_duplicate:
            memo.add(module)
        yield prefix, module
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
        module = cast("Module", self)
        for name in target.split(".") if target else ():
            found = _attribute(module, name)
            if not isinstance(found, ModuleAttributes):
                raise AttributeError(f"`{name}` is not an nn.Module")
            module = cast("Module", found)
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
        if not isinstance(module, ModuleAttributes):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(_attribute(parent, name), ModuleAttributes):
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
        members_of: Callable[[Module], Iterable[tuple[str, Member | None]]],
        prefix: str,
        recurse: bool,
        remove_duplicate: bool,
    ) -> Iterator[tuple[str, Member]]:
        seen: set[int] = set()
        modules: Iterable[tuple[str, Module]] = [(prefix, cast("Module", self))]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules:
            for name, member in members_of(module):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member


def _attribute(module: Module, name: str) -> Any:
    if not hasattr(module, name):
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    return getattr(module, name)
