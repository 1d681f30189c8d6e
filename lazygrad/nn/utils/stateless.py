"""The older name of `lazygrad.func.functional_call`."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.user_warning import warn_user
from lazygrad.nn.core.functional_call import functional_call as _functional_call
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """See `lazygrad.func.functional_call`; warns."""
    warn_user(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
    )
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
