"""Operators that programs define: Python functions of tensors, with a gradient of their own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.autograd.function import Function
from lazygrad.grad_mode import is_grad_enabled, no_grad
from lazygrad.left_out import stand_in
from lazygrad.library.schemas import Schema
from lazygrad.ops.operators import DEFINED
from lazygrad.tensor import Tensor

__all__ = ["CustomOpDef", "operator_of"]


class CustomOpDef:
    """An operator. Its functions record what they do, like any other; gradients do not flow through them, but through
    what `register_autograd` was given.

    Args:
        namespace, name: ``torch.ops.namespace.name`` finds it.
        schema: what it takes and returns.
    """

    def __init__(self, namespace: str, name: str, schema: Schema) -> None:
        self._qualname, self._schema = f"{namespace}::{name}", schema
        self.__name__ = self._name = name
        self._namespace = namespace
        self._kernels: dict[str | None, Callable[..., Any]] = {}
        self._whole: Callable[..., Any] | None = None
        self._fake: Callable[..., Any] | None = None
        self._backward: Callable[..., Any] | None = None
        self._setup: Callable[..., Any] | None = None
        DEFINED.setdefault(namespace, {})[name] = self

    @property
    def default(self) -> CustomOpDef:
        """The operator itself: it has one form."""
        return self

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types: str | Sequence[str | None] | None, fn: Any = None, /) -> Any:
        """The function for tensors on some types of devices; for all others where they are None."""
        if fn is None:
            return lambda function: self.register_kernel(device_types, function)
        for device in [device_types] if device_types is None or isinstance(device_types, str) else device_types:
            self._kernels[device] = fn
        return fn

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """The function for tensors on the device "meta", which have no values."""
        self._fake = fn
        return fn

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """The gradient.

        Args:
            backward: given a context and the gradient of each output, returns that of each argument, or None; for a
                list of tensors a list.
            setup_context: of the context, ``inputs`` and ``output``, saves what ``backward`` reads. Where arguments
                must be named, it takes a dictionary of them as ``keyword_only_inputs``.

        Raises:
            RuntimeError: the operator writes to its arguments.
        """
        if self._schema.writes:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self!r} with schema "
                f"{self._qualname}{self._schema.text}. Please create a functional operator and register an autograd "
                "formula for that."
            )
        self._backward, self._setup = backward, setup_context

    def __getattr__(self, name: str) -> Any:
        if name in _LEFT_OUT:
            return stand_in(f"library.CustomOpDef.{name}", _LEFT_OUT[name])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function for the arguments' device returns.

        Raises:
            RuntimeError: arguments that the schema does not allow; an output that shares memory with an argument.
            NotImplementedError: there is no function for the device.
        """
        bound = self._bound(args, kwargs)
        if self._whole is not None:
            return self._whole(*bound.args, **bound.kwargs)
        tensors = _tensors([*bound.args, *bound.kwargs.values()])
        if not (is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)) or self._schema.writes:
            with no_grad():
                return self._run(*bound.args, **bound.kwargs)
        return _differentiable(self, bound.args, bound.kwargs).apply(*_tensors(bound.args))

    def _bound(self, args: Any, kwargs: Any) -> inspect.BoundArguments:
        declaration = f"{self._qualname}{self._schema.text}"
        try:
            bound = self._schema.signature.bind(*args, **kwargs)
        except TypeError as error:
            most = sum(not argument.is_keyword for argument in self._schema.arguments)
            what = f"{error}."
            if len(args) > most:
                what = f"expected at most {most} argument(s) but received {len(args)} argument(s)."
            elif "missing a required" in str(error):
                what = f"is missing value for argument {str(error).partition(': ')[2]}."
            raise RuntimeError(f"{self._qualname}() {what} Declaration: {declaration}") from None
        for argument in self._schema.arguments:
            value = bound.arguments.get(argument.name)
            if argument.type == "Tensor" and argument.name in bound.arguments and not isinstance(value, Tensor):
                raise RuntimeError(
                    f"{self._qualname}() Expected a value of type 'Tensor' for argument '{argument.name}' but instead "
                    f"found type '{type(value).__name__}'.\nDeclaration: {declaration}"
                )
        bound.apply_defaults()
        return bound

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        tensors = _tensors([*args, *kwargs.values()])
        output = self._kernel(tensors)(*args, **kwargs)
        if self._schema.returns == "Tensor" and not isinstance(output, Tensor):
            raise RuntimeError(f"Unable to cast {output!r} to Tensor")
        given = {id(tensor._storage) for tensor in tensors}
        if not self._schema.writes and any(id(tensor._storage) in given for tensor in _tensors([output])):
            raise RuntimeError(
                f"{self._name}: The output of this custom operator (1) must not also be an input to this custom "
                "operator and (2) may not alias any inputs to this custom operator or other returns. Return a clone "
                "of it: x.clone()."
            )
        return output

    def _kernel(self, tensors: Sequence[Tensor]) -> Callable[..., Any]:
        devices = {tensor.device.type for tensor in tensors}
        if "meta" in devices:
            if self._fake is None:
                raise RuntimeError(
                    f"There was no fake impl registered for {self!r}. Please use `{self._name}.register_fake` to add "
                    "an fake impl."
                )
            return self._fake
        device = next((device for device in devices if device in self._kernels), None)
        if device not in self._kernels:
            raise NotImplementedError(
                f"Could not run '{self._qualname}' with arguments from the '{min(devices, default='cpu').upper()}' "
                f"backend: there are functions for {sorted(map(str, self._kernels))}"
            )
        return self._kernels[device]


_LEFT_OUT = {
    "register_autocast": "dtypes are chosen by the operations that the function is made of",
    "register_effect": "operations are recorded in the order of the program",
    "register_torch_dispatch": "nothing is dispatched to modes; overrides.TorchFunctionMode sees functions",
    "register_vmap": "vmap records the function itself",
    "set_kernel_enabled": "the function that was registered last is used",
}


def operator_of(op: Any) -> CustomOpDef:
    """The operator that is given, or that a name such as ``mylib::f`` stands for. RuntimeError: there is none."""
    if isinstance(op, CustomOpDef):
        return op
    namespace, _, name = str(op).partition("::")
    found: CustomOpDef | None = DEFINED.get(namespace, {}).get(name)
    if found is None:
        raise RuntimeError(f"operator {op} does not exist")
    return found


def _tensors(values: Sequence[Any]) -> list[Tensor]:
    """Tensors among values, and in lists among them, in order."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
    return found


def _put_back(values: Sequence[Any], parts: Any) -> tuple[Any, ...]:
    """Values with what an iterator gives in the places of `_tensors`."""
    return tuple(
        next(parts) if isinstance(value, Tensor)
        else type(value)(_put_back(value, parts)) if isinstance(value, (list, tuple))
        else value
        for value in values
    )  # fmt: skip


def _differentiable(operator: CustomOpDef, args: tuple[Any, ...], kwargs: dict[str, Any]) -> type[Function]:
    """A function of the tensors among positional arguments, whose gradient is the operator's."""

    class Generated(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*tensors: Any) -> Any:
            output = operator._run(*_put_back(args, iter(tensors)), **kwargs)
            return tuple(output) if isinstance(output, list) else output

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            needs = iter(ctx.needs_input_grad)
            ctx.needs_input_grad = tuple(
                next(needs) if isinstance(value, Tensor) else [next(needs) for _ in _tensors([value])] or False
                for value in args
            )
            if operator._setup is None:
                return
            named = {"keyword_only_inputs": kwargs} if kwargs else {}
            given = list(output) if operator._schema.returns.endswith("[]") else output
            operator._setup(ctx, inputs=_put_back(args, iter(inputs)), output=given, **named)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            if operator._backward is None:
                name = operator._qualname.replace("::", ".")
                raise RuntimeError(
                    f"Trying to backward through {name}.default but no autograd formula was registered. Please use "
                    "register_autograd to add one."
                )
            returned = operator._backward(ctx, *([list(grads)] if operator._schema.returns.endswith("[]") else grads))
            return _flat(returned if isinstance(returned, tuple) else (returned,), args)

    Generated.__name__ = f"GeneratedBackwardFor_{operator._namespace}_{operator._name}_default"
    return Generated


def _flat(returned: tuple[Any, ...], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of the tensors among arguments, given those of all arguments."""
    is_like = len(returned) == len(args)
    gradients: list[Any] = []
    for gradient, value in zip(returned, args, strict=False):
        count = len(_tensors([value]))
        if isinstance(value, Tensor):
            gradients.append(gradient)
        elif count:
            many = [None] * count if gradient is None else list(gradient)
            is_like = is_like and len(many) == count
            gradients += many
    if not is_like:
        raise RuntimeError(
            "Expected the return from backward to be of the same structure as the inputs. Got: "
            f"{len(returned)} (return from backward), {len(args)} (inputs)"
        )
    return tuple(gradients)
