"""``torch.utils._device``: which functions create tensors on the default device, for modes that choose another.

A mode (`torch.overrides.TorchFunctionMode`) compares the functions that it sees with these.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import lazygrad as lg
from lazygrad.ir.device import Device, device_of

__all__ = ["device_decorator", "set_device"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_NAMES = (
    "empty empty_permuted empty_strided ones arange bartlett_window blackman_window eye fft.fftfreq fft.rfftfreq full "
    "hamming_window hann_window kaiser_window linspace logspace nested.nested_tensor rand randn randint randperm range "
    "sparse_coo_tensor tril_indices triu_indices zeros asarray tensor as_tensor scalar_tensor"
)


@functools.cache
def _device_constructors() -> frozenset[Callable[..., Any]]:
    """The functions that put a tensor on the default device where a call names none."""
    return frozenset(operator.attrgetter(*_NAMES.split())(lg))


def device_decorator(device: Device, func: _Function) -> _Function:
    """The function, with ``device`` as the default one while it runs."""

    @functools.wraps(func)
    def placed(*args: Any, **kwargs: Any) -> Any:
        with device:
            return func(*args, **kwargs)

    return placed  # type: ignore[return-value]


def set_device(device: Device | str | int) -> Callable[[_Function], _Function]:
    """A decorator of functions that create their tensors on ``device`` unless they name another."""
    return lambda func: device_decorator(device_of(device), func)
