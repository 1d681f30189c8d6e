"""The libraries under common names; a contender's process imports only its own."""

from __future__ import annotations

import importlib.util
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np  # imported by no one before its library, whose import is timed

THREADS = min(2, os.cpu_count() or 1)


class Missing(Exception):
    """A library that is not installed, so a contender cannot take part."""


class Framework(ABC):
    """What programs need of a library.

    Attributes:
        lib: the module with the functions: ``lazygrad``, ``torch`` or ``jax.numpy``.
        nn: torch's or lazygrad's; JAX has none.
        optim: the same.
        jax: the module ``jax``; the others have none.
    """

    lib: Any
    nn: Any
    optim: Any
    jax: Any

    @abstractmethod
    def tensor(self, array: np.ndarray) -> Any:
        """A copy of the array as the library's own."""

    @abstractmethod
    def shared(self, array: np.ndarray) -> Any:
        """The array as the library's own, in the same memory where the library can."""

    def variable(self, array: np.ndarray) -> Any:
        """Like `tensor`, for `output_and_gradients`."""
        return self.tensor(array)

    @abstractmethod
    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, compiled as a whole."""

    @abstractmethod
    def output_and_gradients(
        self, function: Callable[..., Any], variables: Sequence[Any], cotangent: Any
    ) -> tuple[Any, ...]:
        """``function(*variables)`` and its gradients with respect to them."""

    def wait(self, outputs: Sequence[Any]) -> None:  # noqa: B027 - nothing to do where work is done at once
        """Return when the outputs are computed, and with them all state that the program changed."""

    @abstractmethod
    def arrays(self, outputs: Sequence[Any]) -> list[np.ndarray]:
        """The computed values, copied: the program may write its outputs' memory again."""

    def limit_threads(self) -> None:  # noqa: B027
        """Compute on `THREADS` threads, where the processor set of the process does not see to it."""

    def settle(self) -> None:  # noqa: B027
        """Return when no background work that changes later calls' speed is left."""


class PyTorchLike(Framework):
    """torch, or lazygrad with the same names."""

    def limit_threads(self) -> None:
        self.lib.set_num_threads(THREADS)

    def tensor(self, array: np.ndarray) -> Any:
        return self.lib.tensor(array)

    def shared(self, array: np.ndarray) -> Any:
        return self.lib.from_numpy(array)

    def variable(self, array: np.ndarray) -> Any:
        return self.lib.tensor(array, requires_grad=True)

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        compiled: Callable[..., Any] = self.lib.compile(function)
        return compiled

    def output_and_gradients(
        self, function: Callable[..., Any], variables: Sequence[Any], cotangent: Any
    ) -> tuple[Any, ...]:
        output = function(*variables)
        return (output, *self.lib.autograd.grad(output, list(variables), cotangent))

    def arrays(self, outputs: Sequence[Any]) -> list[np.ndarray]:
        self.wait(outputs)
        return [output.detach().numpy().copy() for output in outputs]


class Lazygrad(PyTorchLike):
    def __init__(self) -> None:
        import lazygrad

        self.lib, self.nn, self.optim = lazygrad, lazygrad.nn, lazygrad.optim

    def wait(self, outputs: Sequence[Any]) -> None:
        self.lib.realize_all(outputs)

    def settle(self) -> None:
        self.lib.wait_for_compiler()


class Torch(PyTorchLike):
    def __init__(self) -> None:
        import torch

        self.lib, self.nn, self.optim = torch, torch.nn, torch.optim


class Jax(Framework):
    """jax.numpy, with every program under ``jax.jit``."""

    def __init__(self) -> None:
        import jax

        self.jax, self.lib = jax, jax.numpy

    def tensor(self, array: np.ndarray) -> Any:
        return self.lib.array(array)

    def shared(self, array: np.ndarray) -> Any:
        return self.lib.asarray(array)

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        jitted: Callable[..., Any] = self.jax.jit(function)
        return jitted

    def output_and_gradients(
        self, function: Callable[..., Any], variables: Sequence[Any], cotangent: Any
    ) -> tuple[Any, ...]:
        output, pullback = self.jax.vjp(function, *variables)
        return (output, *pullback(cotangent))

    def wait(self, outputs: Sequence[Any]) -> None:
        self.jax.block_until_ready(outputs)

    def arrays(self, outputs: Sequence[Any]) -> list[np.ndarray]:
        return [output.__array__().copy() for output in outputs]


_LIBRARIES: dict[str, tuple[str, type[Framework]]] = {
    "lazygrad": ("lazygrad", Lazygrad),
    "eager": ("torch", Torch),
    "compile": ("torch", Torch),
    "jax": ("jax", Jax),
}


def library(peer: str) -> str:
    """The module that a peer imports."""
    return _LIBRARIES[peer][0]


def is_installed(peer: str) -> bool:
    """Whether it could be loaded; imports nothing."""
    return importlib.util.find_spec(library(peer)) is not None


def load(peer: str) -> Framework:
    """Import the peer's library.

    Raises:
        Missing: it is not installed.
    """
    if not is_installed(peer):
        raise Missing(f"{library(peer)} is not installed")
    return _LIBRARIES[peer][1]()
