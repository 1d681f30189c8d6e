"""What interprets a program: the interface of code that computes single operations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.primitives.leaf import leaf_node

Compute = Callable[[Node, Any, Sequence[Any]], None]
"""Called with a node, the array for its result, which is row-major and of its type, and the values of its inputs,
arrays with any strides or numbers. It raises IndexError, RuntimeError or ValueError where their data is refused, and
has written nothing then."""


Fold = Callable[..., Any]
"""Called with an array, the axes, None, the array for the result, and whether that has the axes too, default not."""


class Computation(NamedTuple):
    """How an operation is computed.

    Attributes:
        compute: computes it.
        over: positions of inputs in whose memory a result of their type may be made; there may be fewer inputs.
        starts_from_first: whether that spares a copy of the first input, however small it is.
        refuses: of a composite, whether it may refuse the data of its operands; a primitive says so itself.
    """

    compute: Compute
    over: tuple[int, ...] = ()
    starts_from_first: bool = False
    refuses: bool = False


_MAKES = frozenset([Kind.ELEMENTWISE, Kind.REDUCTION, Kind.PADDING, Kind.LIBRARY, Kind.COMPOSITE])


def makes_array(op: Op) -> bool:
    """Whether the result of an op lies in memory of its own, which a `Computation` fills."""
    return op.kind in _MAKES


class Evaluator(ABC):
    """Computes operations one at a time; values are arrays in the host's memory."""

    @abstractmethod
    def number(self, node: Node) -> Any:
        """The value of a constant or a runtime scalar."""

    def number_type(self, node: Node) -> Callable[[Any], Any]:
        """What makes such a value of the number that a constant or a runtime scalar of this type holds."""
        return lambda value: self.number(leaf_node(node.op, (value, *node.attrs[1:]), node.type))

    @abstractmethod
    def moved(self, node: Node, x: Any) -> Any:
        """What a movement op sees of ``x``: a view, or a copy where a reshape needs one."""

    @abstractmethod
    def computation(self, node: Node) -> Computation | None:
        """What computes a node that is neither a leaf nor a movement.

        None for a composite that is computed as what it is spelled out as. One that is not has the same bits as that.
        """

    def bound(self, node: Node) -> Callable[..., Any] | None:
        """A function of the operands and ``out=``, which computes nodes with this op and these types.

        None where `computation` has to look at the node each time, and for reductions.
        """
        return None

    def fold(self, node: Node) -> Fold | None:
        """What computes reductions with this op, these axes and types; None where `computation` has to."""
        return None


class _Host:
    make: Callable[[], Evaluator] | None = None


def provide_host_evaluator(make: Callable[[], Evaluator]) -> None:
    """Say what computes single operations on the host, for targets that have no such code of their own."""
    _Host.make = make


def host_evaluator() -> Evaluator:
    """What computes single operations on the host."""
    assert _Host.make is not None
    return _Host.make()
