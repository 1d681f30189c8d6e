"""``functorch``: the transforms of `lazygrad.func` by the names that they had before PyTorch 2, each with a warning."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from lazygrad import func
from lazygrad.functorch import make_functional as _modules
from lazygrad.functorch.make_functional import FunctionalModule, FunctionalModuleWithBuffers
from lazygrad.ir.user_warning import warn_user
from lazygrad.version import __version__ as __version__

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "vjp",
    "vmap",
]

Function = TypeVar("Function", bound=Callable[..., Any])


def _former(function: Function, instead: str) -> Function:
    """The function, with a warning that names what to use."""
    name = function.__name__

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        warn_user(
            f"`functorch.{name}` is deprecated as of PyTorch 2.0. Please use `{instead}` instead.",
            FutureWarning,
        )
        return function(*args, **kwargs)

    return wrapped  # type: ignore[return-value]


functionalize = _former(func.functionalize, "torch.func.functionalize")
grad = _former(func.grad, "torch.func.grad")
grad_and_value = _former(func.grad_and_value, "torch.func.grad_and_value")
hessian = _former(func.hessian, "torch.func.hessian")
jacfwd = _former(func.jacfwd, "torch.func.jacfwd")
jacrev = _former(func.jacrev, "torch.func.jacrev")
jvp = _former(func.jvp, "torch.func.jvp")
vjp = _former(func.vjp, "torch.func.vjp")
vmap = _former(func.vmap, "torch.vmap")
combine_state_for_ensemble = _former(_modules.combine_state_for_ensemble, "torch.func.stack_module_state")
make_functional = _former(_modules.make_functional, "torch.func.functional_call")
make_functional_with_buffers = _former(_modules.make_functional_with_buffers, "torch.func.functional_call")
