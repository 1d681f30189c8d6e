"""Parameters that are computed from others: `register_parametrization` puts modules between a tensor and its name.

``module.weight`` then is what the modules make of ``module.parametrizations.weight.original``, and assigning to it
assigns what their ``right_inverse`` makes of the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.grad_mode import no_grad
from lazygrad.nn.core.containers import ModuleDict, ModuleList
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.nn.utils._parametrization_checks import check_further, check_kept, check_original
from lazygrad.nn.utils._parametrized_class import add_property, cached, give_own_class
from lazygrad.tensor import Tensor

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]


class ParametrizationList(ModuleList):
    """The modules of one parametrized tensor, and what they compute it from.

    Args:
        modules: at least one, in the order in which they are applied.
        original: the tensor that is parametrized.
        unsafe: do not check that dtype and shape stay.

    Attributes:
        original: what the tensor is computed from; ``original0``, ``original1``, … if that is several tensors.

    Raises:
        ValueError: no modules, or one that returns something else than a tensor of the same dtype and shape.
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = self._inverted(original)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            check_original(original, new)
            _replace(original, new)
            _register(self, "original", original)
        else:
            for number, each in enumerate(new):
                self._add_original(number, each, original)
        if not unsafe:
            check_kept(self(), dtype, shape, "`unsafe` flag", ("unparametrized", "parametrized"))

    def _inverted(self, value: Any) -> Any:
        """The value taken back through all modules that can; those that cannot stand for the identity."""
        for module in reversed(list(self)):
            if hasattr(module, "right_inverse"):
                try:
                    value = module.right_inverse(value)
                except NotImplementedError:
                    continue
        return value

    def _add_original(self, number: int, value: Any, original: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got element {number} of the sequence with type {type(value).__name__}."
            )
        if isinstance(original, Parameter):
            value = Parameter(value, original.requires_grad)
        _register(self, f"original{number}", value.requires_grad_(original.requires_grad))

    def right_inverse(self, value: Tensor) -> None:
        """Assigns what the modules' ``right_inverse``, last module first, make of ``value``.

        Raises:
            RuntimeError: a module has no ``right_inverse``.
            ValueError: it returns something else than was registered.
        """
        new: Any = value
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                new = module.right_inverse(new)
            if self.is_tensor:
                self._assign_tensor(new)
            else:
                self._assign_tensors(new)

    def _assign_tensor(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
        if value.dtype != self.original.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                f"{self.original.dtype}"
            )
        _replace(self.original, value)

    def _assign_tensors(self, values: Any) -> None:
        if not isinstance(values, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(values).__name__}.")
        if len(values) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                f"length {len(values)}."
            )
        for number, value in enumerate(values):
            original = getattr(self, f"original{number}")
            if not isinstance(value, Tensor):
                raise ValueError(
                    f"`right_inverse` must return a sequence of tensors. Got element {number} of type "
                    f"{type(value).__name__}"
                )
            if original.dtype != value.dtype:
                raise ValueError(
                    f"Tensor {number} returned by `right_inverse` has dtype {value.dtype} while `original{number}` "
                    f"has dtype {original.dtype}"
                )
            _replace(original, value)

    def forward(self) -> Any:
        """The parametrized tensor."""
        names = ["original"] if self.is_tensor else [f"original{number}" for number in range(self.ntensors)]
        first, *others = list(self)
        value = first(*(getattr(self, name) for name in names))
        for module in others:
            value = module(value)
        return value


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Makes a parameter or buffer the result of a module, or of one more module.

    Args:
        module: the module that has the tensor.
        tensor_name: its name.
        parametrization: called with the tensor, or with what its ``right_inverse`` returns for it; its
            ``right_inverse`` makes assignments to the tensor possible and gives the original's first value.
        unsafe: do not check that dtype and shape stay.

    Returns:
        The module, whose class is now one of its own.

    Raises:
        ValueError: there is no such tensor, or dtype or shape do not stay.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            check_further(module, tensor_name, parametrization)
        parametrizations = module.parametrizations[tensor_name]
        parametrizations.append(parametrization)
        parametrizations.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        # Made first: if it raises, the module is as it was.
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            give_own_class(module)
            module.parametrizations = ModuleDict()
        add_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether this tensor of a module is parametrized, or any if no name is given."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a parametrized tensor an ordinary parameter or buffer again.

    Args:
        module: the module that has the tensor.
        tensor_name: its name.
        leave_parametrized: keep its present value; False: go back to the original.

    Raises:
        ValueError: it is not parametrized, or it is computed from several tensors and is to go back to them.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with no_grad():
                _replace(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that a module had before its first tensor was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Lets a module have the parametrizations of another one, and the same originals.

    Args:
        from_module: the other module.
        to_module: gets a parameter where it has none of that name.
        tensor_name: of one tensor only.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        parametrizations = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach()))
        for parametrization in parametrizations:
            register_parametrization(to_module, name, parametrization)
        for original in [*parametrizations._parameters, *parametrizations._buffers]:
            setattr(to_module.parametrizations[name], original, getattr(parametrizations, original))
    return to_module


def _replace(tensor: Tensor, value: Tensor) -> None:
    """Gives a tensor other contents, of whatever shape; it stays the object that optimizers know."""
    if value is not tensor:
        tensor.data = value.detach()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)
