"""A way to reach CUDA devices: whether all that it needs is there, and a driver for each device."""

from __future__ import annotations

from abc import ABC, abstractmethod

from lazygrad.targets.cuda.driver import Driver


class Installation(ABC):
    """A way to reach CUDA devices."""

    @abstractmethod
    def missing(self) -> str | None:
        """Which piece is not there and what to install, or None; asked for before anything else."""

    @abstractmethod
    def count(self) -> int:
        """How many devices there are; nothing is missing."""

    @abstractmethod
    def open(self, ordinal: int) -> Driver:
        """The driver of a device, which is then in use."""
