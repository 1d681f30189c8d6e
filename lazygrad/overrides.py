"""``torch.overrides``: functions of libraries that ask their arguments' classes for another implementation.

lazygrad's own functions ask no classes: what is not a tensor has to be made one. A library's function may ask, with
`has_torch_function` and `handle_torch_function`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lazygrad.left_out import stand_in_class
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
    return bool(_overriding(relevant_args))


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
    overriding = _overriding(relevant_args)
    types = tuple(map(type, overriding))
    for argument in overriding:
        result = argument.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(f"no implementation found for {name!r} on types that implement __torch_function__: {[*types]}")


def _overriding(relevant_args: Iterable[Any]) -> list[Any]:
    """One argument of each class that overrides functions, subclasses before their bases."""
    found: list[Any] = []
    for argument in relevant_args:
        cls = type(argument)
        if hasattr(cls, "__torch_function__") and cls not in map(type, found):
            place = next((i for i, other in enumerate(found) if issubclass(cls, type(other))), len(found))
            found.insert(place, argument)
    return found
