"""Generators: where random numbers come from, and how they are seeded.

Functions such as `rand`, `Tensor.uniform_` and `dropout` draw from PyTorch's CPU stream, at once and in program order;
randomness inside graphs is counted by `lazygrad.ops.random.in_graphs`. `manual_seed` sets both.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import uint8
from lazygrad.ops.arguments.options import device_option
from lazygrad.ops.random.in_graphs import graph_random_state, set_graph_random_state
from lazygrad.runtime.device_streams import Counted, DeviceStream, device_stream, seed_devices
from lazygrad.runtime.random_state import STATE_LENGTH
from lazygrad.runtime.random_streams import MT19937Stream
from lazygrad.tensor import Tensor

__all__ = ["Generator", "default_generator", "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state"]

_INITIAL_SEED = 67280421310721  # with which PyTorch starts a Generator
_GRAPH_STATE = np.dtype("<u8")  # seed and counter


class Generator:
    """A stream of random numbers. On the CPU it equals that of PyTorch's generator with the same seed; elsewhere it is
    a seed and an offset, from which words are made by Philox.

    Args:
        device: for which numbers are drawn.

    Raises:
        RuntimeError: a device that is not there.
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device_option(device)
        self.stream: MT19937Stream = MT19937Stream(_INITIAL_SEED) if self.device is CPU else DeviceStream(_INITIAL_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream; returns the generator.

        Raises:
            RuntimeError: not an integer.
            ValueError: outside [-2**63, 2**64).
        """
        self.stream.manual_seed(seed)
        return self

    def seed(self) -> int:
        """Restart the stream with a seed from the operating system, which is returned."""
        self.manual_seed(secrets.randbits(64))
        return self.initial_seed()

    def initial_seed(self) -> int:
        """The seed the stream was last started with."""
        return self.stream.seed

    def get_state(self) -> Tensor:
        """Everything the stream depends on, as a 1-d uint8 tensor for `set_state`."""
        return Tensor.from_array(self.stream.get_state(), CPU, shared=False)

    def set_state(self, new_state: Tensor) -> Generator:
        """Continue from what `get_state` returned; returns the generator.

        Raises:
            TypeError: not a uint8 tensor.
            RuntimeError: not a state of this kind of generator.
        """
        self.stream.set_state(_split_state(new_state)[0])
        return self

    def get_offset(self) -> int:
        """How many blocks of random words were drawn since the seed was set.

        Raises:
            RuntimeError: a generator of the CPU, which does not count.
        """
        return self._counted("get_offset").get()[1]

    def set_offset(self, offset: int) -> None:
        """Continue where this many blocks were drawn; the errors are those of `get_offset`."""
        counted = self._counted("set_offset")
        counted.set(counted.get()[0], int(offset))

    def _counted(self, name: str) -> Counted:
        if not isinstance(self.stream, DeviceStream):
            raise RuntimeError(f"{name} is not implemented for generators of the CPU, whose stream has no offset")
        return self.stream.counted

    def clone_state(self) -> Generator:
        """Another generator that draws the same numbers from here on."""
        return Generator(self.device).set_state(self.get_state())

    def __reduce__(self) -> str | tuple[Any, ...]:
        return _generator_in_state, (self.get_state(), str(self.device))


def _generator_in_state(state: Tensor, device: str = "cpu") -> Generator:
    return Generator(device).set_state(state)


def _split_state(state: Any) -> tuple[np.ndarray, np.ndarray]:
    """The state of the host's stream, and that of randomness inside graphs, which only the default generator adds."""
    if not isinstance(state, Tensor) or state.dtype is not uint8:
        raise TypeError("RNG state must be a uint8 tensor, as returned by get_state()")
    packed = state.array().copy()
    if packed.shape != (STATE_LENGTH + 2 * _GRAPH_STATE.itemsize,):
        return packed, np.empty(0, _GRAPH_STATE)
    return packed[:STATE_LENGTH], packed[STATE_LENGTH:].view(_GRAPH_STATE)


class _DefaultGenerator(Generator):
    """The generator of functions that are given none. Its seed and state are also those of randomness inside graphs."""

    def manual_seed(self, seed: int) -> Generator:
        super().manual_seed(seed)
        set_graph_random_state(self.initial_seed())
        seed_devices(self.initial_seed())
        return self

    def get_state(self) -> Tensor:
        inside_graphs = np.array(graph_random_state(), _GRAPH_STATE).view(np.uint8)
        return Tensor.from_array(np.concatenate([self.stream.get_state(), inside_graphs]), CPU, shared=False)

    def set_state(self, new_state: Tensor) -> Generator:
        on_host, inside_graphs = _split_state(new_state)
        self.stream.set_state(on_host)
        if inside_graphs.size:
            set_graph_random_state(*inside_graphs.tolist())
        return self

    def __reduce__(self) -> str:
        return "default_generator"  # pickled by name: there is one in each process


default_generator: Generator = _DefaultGenerator()
default_generator.seed()


class DeviceGenerator(Generator):
    """The generator of randomness inside the graphs of a device other than the CPU, which has an ordinal. Functions
    that create tensors there draw from it where they are given it, and from the CPU's by default."""

    def __init__(self, device: Device) -> None:
        self.device, self.stream = device, device_stream(device)


def stream_of(generator: Generator | None) -> MT19937Stream:
    """The stream of a ``generator=`` argument.

    Raises:
        TypeError: neither a Generator nor None.
    """
    if generator is None:
        return default_generator.stream
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be a lazygrad.Generator, not {type(generator).__name__}")
    return generator.stream


def manual_seed(seed: int) -> Generator:
    """Seed all random numbers: those drawn on the host and those drawn inside graphs.

    Returns:
        The default generator.

    Raises:
        ValueError: outside [-2**63, 2**64).
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed all random numbers from the operating system; returns the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of all random numbers, on the host and inside graphs, as a 1-d uint8 tensor for `set_rng_state`."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Continue all random numbers from what `get_rng_state` returned.

    Raises:
        TypeError: not a uint8 tensor.
        RuntimeError: not such a state.
    """
    default_generator.set_state(new_state)
