"""What interprets a program: the interface of code that computes single primitives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.ir.node import Node
from lazygrad.ir.op import Op

Compute = Callable[[Node, Any, Sequence[Any]], None]
"""Called with a node, the array for its result, which is row-major and of its type, and the values of its inputs,
arrays with any strides or numbers. It raises IndexError, RuntimeError or ValueError where their data is refused, and
has written nothing then."""


class Evaluator(ABC):
    """Computes primitives one at a time; values are arrays in the host's memory."""

    @abstractmethod
    def number(self, node: Node) -> Any:
        """The value of a constant or a runtime scalar."""

    @abstractmethod
    def moved(self, node: Node, x: Any) -> Any:
        """What a movement op sees of ``x``: a view, or a copy where a reshape needs one."""

    @abstractmethod
    def may_overwrite(self, op: Op) -> tuple[int, ...]:
        """Positions of inputs in whose memory a result of their type may be made; there may be fewer inputs."""

    @abstractmethod
    def computation(self, op: Op) -> Compute:
        """What computes a primitive that is neither a leaf nor a movement."""
