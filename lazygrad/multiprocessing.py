"""``lazygrad.multiprocessing``: Python's `multiprocessing`, by which tensors travel as copies.

PyTorch's hands tensors over as handles of shared memory. Here what a queue or a pipe brings is another tensor.
"""

from multiprocessing import *

from lazygrad.left_out import stand_in

spawn = stand_in(
    "multiprocessing.spawn",
    "lazygrad computes in one process, on all cores of its CPU; multiprocessing.Process starts others for other work",
)

_SHARING = {"file_descriptor", "file_system"}
_sharing = ["file_descriptor"]


def get_all_sharing_strategies() -> set[str]:
    """PyTorch's names of the ways to share memory, of which none is used."""
    return set(_SHARING)


def get_sharing_strategy() -> str:
    """What was set by `set_sharing_strategy`."""
    return _sharing[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Changes nothing: tensors travel as copies.

    Raises:
        AssertionError: no name of a strategy.
    """
    if new_strategy not in _SHARING:
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}, expected one of {_SHARING}")
    _sharing[0] = new_strategy
