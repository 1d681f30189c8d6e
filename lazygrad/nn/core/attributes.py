"""How a module keeps its parameters, buffers and submodules, and shows them as attributes."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

from lazygrad.nn._types import type_name
from lazygrad.nn.core.global_hooks import registered
from lazygrad.nn.parameter import Buffer, Parameter
from lazygrad.tensor import Tensor


class ModuleAttributes:
    """The attribute protocol of `Module`: three dictionaries that look like attributes.

    All modules are instances of `Module`, which is made of this class.
    """

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Any]  # of `Module`, which lies above this file

    # Name inside the parent for the provenance of recorded nodes; a module without a parent goes by its class.
    _scope_name: str = "Module"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._scope_name = cls.__name__
        for name, value in list(vars(cls).items()):
            # PyTorch's are built in, and so no methods of the class they stand in: ``activation = torch.tanh``.
            if isinstance(value, FunctionType) and (value.__module__ or "").startswith("lazygrad.ops."):
                setattr(cls, name, staticmethod(value))

    def __init__(self) -> None:
        # Written past __setattr__, which needs these dictionaries.
        self.__dict__.update(_parameters={}, _buffers={}, _non_persistent_buffers_set=set(), _modules={})

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is state but not a parameter.

        Args:
            name: attribute name.
            tensor: the buffer; None keeps the name without a value and out of ``state_dict()``.
            persistent: whether ``state_dict()`` contains the buffer.

        Raises:
            KeyError: the name is taken, empty or contains a dot.
            TypeError: ``tensor`` is not a Tensor, or the name is not a string.
        """
        self._check_name("buffer", name, self._initialized("_buffers", "buffer"))
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type_name(tensor)}' object to buffer '{name}' (lazygrad Tensor or None required)"
            )
        self._buffers[name] = registered("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter.

        Args:
            name: attribute name.
            param: the parameter; None keeps the name without a value, as for a layer without bias.

        Raises:
            KeyError: the name is taken, empty or contains a dot.
            TypeError: ``param`` is not a Parameter, or the name is not a string.
            ValueError: ``param`` was computed from other tensors.
        """
        self._check_name("parameter", name, self._initialized("_parameters", "parameter"))
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type_name(param)}' object to parameter '{name}' "
                "(lazygrad.nn.Parameter or None required)"
            )
        if param is not None and not param.is_leaf:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        param = None if param is None else registered("parameter", self, name, param)
        self._parameters[name] = param
        if param is not None:
            param._name = name  # what graphs and generated code call it

    def add_module(self, name: str, module: ModuleAttributes | None) -> None:
        """Adds a submodule.

        Raises:
            KeyError: the name is taken, empty or contains a dot.
            TypeError: ``module`` is not a Module, or the name is not a string.
        """
        if module is not None and not isinstance(module, ModuleAttributes):
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        self._check_name("module", name, self._initialized("_modules", "module"))
        self._set_child(name, module)

    def register_module(self, name: str, module: ModuleAttributes | None) -> None:
        """Another name of `add_module`."""
        self.add_module(name, module)

    def __getattr__(self, name: str) -> Any:
        registries = self.__dict__
        for registry in ("_parameters", "_buffers", "_modules"):
            found = registries.get(registry, _NOTHING).get(name, _MISSING)
            if found is not _MISSING:
                return found
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._initialized("_parameters", "parameters")
            self._forget(name, keep="_parameters")
            self.register_parameter(name, value)
        elif name in self.__dict__.get("_parameters", ()):
            _require_none(name, value, f"as parameter '{name}' (lazygrad.nn.Parameter or None expected)")
            self._parameters[name] = None
        elif isinstance(value, ModuleAttributes):
            self._initialized("_modules", "module")
            self._forget(name, keep="_modules")
            self._set_child(name, value)
        elif name in self.__dict__.get("_modules", ()):
            _require_none(name, value, f"as child module '{name}' (lazygrad.nn.Module or None expected)")
            self._modules[name] = None
        elif isinstance(value, Buffer) or name in self.__dict__.get("_buffers", ()):
            self._assign_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    def _assign_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{type_name(value)}' as buffer '{name}' "
                "(lazygrad.nn.Buffer, lazygrad.Tensor or None expected)"
            )
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        self.register_buffer(name, value, persistent)

    def _set_child(self, name: str, module: ModuleAttributes | None) -> None:
        module = registered("module", self, name, module)
        if module is not None:
            module.__dict__["_scope_name"] = name
        self._modules[name] = module

    def _forget(self, name: str, keep: str) -> None:
        """Frees a name for another kind of attribute, as ``module.x = Parameter(...)`` does after ``module.x = 1``."""
        self.__dict__.pop(name, None)
        for registry in ("_parameters", "_buffers", "_modules"):
            if registry != keep:
                self.__dict__[registry].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _initialized(self, registry: str, kind: str) -> Mapping[str, object]:
        if registry not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        found: Mapping[str, object] = self.__dict__[registry]
        return found

    def _check_name(self, kind: str, name: str, registry: Mapping[str, object]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type_name(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in registry:
            raise KeyError(f"attribute '{name}' already exists")


_NOTHING: Mapping[str, object] = {}
_MISSING = object()


def _require_none(name: str, value: object, expectation: str) -> None:
    if value is not None:
        raise TypeError(f"cannot assign '{type_name(value)}' {expectation}")
