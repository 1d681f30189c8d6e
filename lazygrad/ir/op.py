"""Op: what an operation is, apart from the values it is applied to.

This file knows nothing of nodes. What builds them from an op is in `lazygrad.ir.callable_op`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from typing import Any

from lazygrad.ir.dtype import Category, DType, Scalar
from lazygrad.ir.shape import Shape


class Kind(Enum):
    """How passes treat an op."""

    LEAF = "leaf"  # a buffer, a constant, a runtime scalar
    ELEMENTWISE = "elementwise"  # one output element from the input elements at the same (broadcast) index
    MOVEMENT = "movement"  # a View: names elements, computes nothing
    IDENTITY = "identity"  # its first input's value; only differentiation looks at it
    PADDING = "padding"  # its first input inside a range of indices, a number outside
    REDUCTION = "reduction"  # folds axes to size 1
    LIBRARY = "library"  # a call: BLAS, sort, gather…
    TRANSFER = "transfer"  # its input's value on another device: a program has a plan on either side of it
    COMPOSITE = "composite"  # spelled out by `Composite.decompose`
    CALLBACK = "callback"  # where a user's function runs during differentiation; never computed
    GRADIENT = "gradient"  # expanded by the differentiate pass


class Refusal(Enum):
    """What an op may find wrong with the data of its operands: the plan then stops with an error."""

    CONDITION = "a condition that does not hold"
    ZERO_DIVISOR = "an integer divided by 0"  # floats give infinity or NaN
    INDEX = "an index out of range"
    MATRIX = "a matrix that does not factor, or is not finite"


Infer = Callable[..., tuple[Shape, DType]]


@dataclass(frozen=True, slots=True)
class Folding:
    """How a reduction makes one number of many.

    Attributes:
        combine: the elementwise op that takes a running value and one more element.
        neutral: by dtype, the number that `combine` gives any other one back for.
    """

    combine: Op
    neutral: Callable[[DType], Scalar]


registry: dict[str, Op] = {}


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Op:
    """An operation: its attributes, its type rule and the facts that passes and targets ask for.

    A fact is what holds of the op wherever it is computed. How a target spells the op stays with the target.

    Attributes:
        name: the word in graph texts, by which the op is registered: unique, but for a file that is loaded again after
            an interrupt.
        kind: see `Kind`.
        infer: ``infer(attrs, *input_types) -> (shape, dtype)``; raises what PyTorch raises.
        attr_names: names of the attributes, in the order nodes store their values.
        doc: one line for the table of operations.
        refuses: what it may find wrong with its operands' data, None if nothing; `may_refuse` also knows the node's
            attributes and dtype.
        is_expensive: of an elementwise op: it takes roughly the time of eight additions or more, so that a kernel keeps
            its result rather than computing it again.
        is_exact: of an elementwise op or a reduction of real numbers: its result is never rounded, because it is one of
            the operands or a number that the dtype holds. So every target has the same bits, but for the sign of a zero
            that is the larger or the smaller one of 0.0 and -0.0.
        folding: of a reduction, how it folds.
        starts_from_first: a call that begins with a copy of its first input, unless it lies where the result does.
        number_inputs: positions of the inputs that are numbers; all others may be arrays.
        unsaved_input: position of the input whose value PyTorch does not save for the gradient, though ours reads it:
            writing to it in place before `backward` is no error.
        position: where each attribute stands among the values.
        is_view: whether its kind is `Kind.MOVEMENT`.
        is_alias: whether it names elements of its first input, as a view or all of them: it computes nothing.
    """

    name: str
    kind: Kind
    infer: Infer
    attr_names: tuple[str, ...] = ()
    doc: str = ""
    _: KW_ONLY
    refuses: Refusal | None = None
    is_expensive: bool = False
    is_exact: bool = False
    folding: Folding | None = None
    starts_from_first: bool = False
    number_inputs: tuple[int, ...] = ()
    unsaved_input: int | None = None
    position: dict[str, int] = field(init=False)
    # Walks ask these of every node. To name a member of an Enum takes longer than the rest of the question.
    is_view: bool = field(init=False)
    is_alias: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", {attr: i for i, attr in enumerate(self.attr_names)})
        object.__setattr__(self, "is_view", self.kind is Kind.MOVEMENT)
        object.__setattr__(self, "is_alias", self.kind is Kind.MOVEMENT or self.kind is Kind.IDENTITY)
        registry[self.name] = self

    def may_refuse(self, attrs: tuple[Any, ...], dtype: DType) -> bool:
        """Whether it may stop a plan.

        An attribute ``check`` names the function on whose behalf a matrix is refused; with an empty one none is.

        Args:
            attrs: a node's attributes.
            dtype: of the node.
        """
        if self.refuses is Refusal.ZERO_DIVISOR:
            return dtype.category is Category.INTEGER
        return self.refuses is not None and ("check" not in self.position or bool(attrs[self.position["check"]]))

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        return registry.__getitem__, (self.name,)
