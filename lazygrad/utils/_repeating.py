"""What programs import that compute a part again by custom functions of their own, as reversible networks do.

`checkpoint` needs none of this: the graph repeats the recorded computation, random numbers included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lazygrad import cuda
from lazygrad.ir.user_warning import warn_user
from lazygrad.pytree import leaves_of
from lazygrad.tensor import Tensor


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The CUDA devices of the tensors in ``args``, nested containers included, and the states of their random numbers.

    The CPU's state is left out: `get_rng_state` has it.
    """
    devices = [leaf.get_device() for leaf in leaves_of(args) if isinstance(leaf, Tensor) and leaf.is_cuda]
    return devices, [cuda.get_rng_state(device) for device in devices]


def set_device_states(devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None) -> None:
    """Continues the random numbers of devices from what `get_device_states` returned.

    Args:
        devices: their numbers.
        states: of each.
        device_type: "cuda", which is the default, or "meta", of which nothing is drawn.
    """
    if device_type == "meta":
        return
    for device, state in zip(devices, states, strict=False):
        cuda.set_rng_state(state, device)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs, the tensors among them as leaves that require gradients where they did.

    Raises:
        RuntimeError: not a tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple([_as_leaf(each) if isinstance(each, Tensor) else each for each in inputs])


def _as_leaf(tensor: Tensor) -> Tensor:
    leaf = tensor.detach()
    leaf.requires_grad = tensor.requires_grad
    return leaf


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns where no tensor among the inputs requires gradients."""
    if not any(each.requires_grad for each in inputs if isinstance(each, Tensor)):
        warn_user("None of the inputs have requires_grad=True. Gradients will be None")


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Does nothing: what is repeated is what the gradient needs, in any case."""
    yield


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Does nothing: the repeated computation is the recorded one, so none can differ from the other."""
    yield
