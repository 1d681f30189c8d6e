"""``torch.overrides``: functions of libraries that ask their arguments' classes for another implementation.

lazygrad's own functions ask the classes of arguments that are no tensors, once a call has failed because of them
(`lazygrad.ops.arguments.elsewhere`); functions of `nn.functional` without a decorator do not. A library's function may
ask with `has_torch_function` and `handle_torch_function`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lazygrad.left_out import stand_in_class
from lazygrad.ops.arguments.elsewhere import ask_classes, overriding_arguments
from lazygrad.tensor import Tensor

__all__ = ["TorchFunctionMode", "handle_torch_function", "has_torch_function", "is_tensor_like"]

TorchFunctionMode = stand_in_class(
    "overrides.TorchFunctionMode", "functions are not intercepted; hooks of modules and of autograd see what runs"
)


def is_tensor_like(inp: Any) -> bool:
    """Whether this is a tensor, or of a class that implements PyTorch's functions in its own way."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the class of any of these has ``__torch_function__``."""
    return bool(overriding_arguments(relevant_args))


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the first of the classes that does not answer NotImplemented makes of a call; subclasses are asked first.

    Args:
        public_api: the function that was called.
        relevant_args: those of its arguments whose classes are asked.
        *args, **kwargs: all its arguments.

    Raises:
        TypeError: no class implements the function.
    """
    return ask_classes(public_api, overriding_arguments(relevant_args), args, kwargs)
