"""What interprets a program: the interface of code that computes single primitives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from lazygrad.ir.node import Node


class Evaluator(ABC):
    """Computes primitives one at a time; values are arrays in the host's memory."""

    @abstractmethod
    def number(self, node: Node) -> Any:
        """The value of a constant or a runtime scalar."""

    @abstractmethod
    def moved(self, node: Node, x: Any) -> Any:
        """What a movement op sees of ``x``: a view, or a copy where a reshape needs one."""

    @abstractmethod
    def may_overwrite(self, node: Node) -> tuple[Node, ...]:
        """Inputs in whose memory the result may be made, if their type is the result's."""

    @abstractmethod
    def evaluate(self, node: Node, out: Any, operands: Sequence[Any]) -> None:
        """Compute a primitive that is neither a leaf nor a movement.

        Args:
            node: what is computed.
            out: where the result goes, row-major and of the node's shape and dtype.
            operands: the values of the node's inputs, arrays with any strides or numbers.

        Raises:
            IndexError, RuntimeError, ValueError: the data of an operand is refused; nothing was written then.
        """
