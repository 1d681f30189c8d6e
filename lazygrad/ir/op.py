"""Op: what an operation is, apart from the values it is applied to.

This file knows nothing of nodes. What builds them from an op is in `lazygrad.ir.callable_op`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from lazygrad.ir.dtype import DType
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
    COMPOSITE = "composite"  # spelled out by `Composite.decompose`
    CALLBACK = "callback"  # where a user's function runs during differentiation; never computed
    GRADIENT = "gradient"  # expanded by the differentiate pass


Infer = Callable[..., tuple[Shape, DType]]

registry: dict[str, Op] = {}


class Op:
    """An operation: its attributes, its type rule and what is known of it.

    Attributes:
        name: unique; the word in graph texts.
        kind: see `Kind`.
        attr_names: names of the attributes, in the order nodes store their values.
        infer: ``infer(attrs, *input_types) -> (shape, dtype)``; raises what PyTorch raises.
        doc: one line for the table of operations.
    """

    __slots__ = ("attr_names", "doc", "infer", "kind", "name", "position")

    def __init__(self, name: str, kind: Kind, infer: Infer, attrs: tuple[str, ...] = (), doc: str = "") -> None:
        if name in registry:
            raise ValueError(f"an op called {name!r} is registered already")
        self.name, self.kind, self.infer, self.attr_names, self.doc = name, kind, infer, attrs, doc
        self.position = {attr: i for i, attr in enumerate(attrs)}
        registry[name] = self

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        return registry.__getitem__, (self.name,)
