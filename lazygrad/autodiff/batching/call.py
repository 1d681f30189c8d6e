"""One recorded operation on single examples, about to be done on a stack of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lazygrad.ir.build import expand, reshape
from lazygrad.ir.node import Node, derived_origin, make_node


@dataclass(frozen=True, slots=True)
class Call:
    """A node with the inputs of its batched form.

    Attributes:
        node: the operation on one example.
        inputs: in place of its inputs: stacks with the batch axis in front, or what all examples share.
        batched: which inputs are stacks.
        size: how many examples there are.
    """

    node: Node
    inputs: tuple[Node, ...]
    batched: tuple[bool, ...]
    size: int

    def __getitem__(self, attr: str) -> Any:
        return self.node[attr]

    def rank(self, position: int) -> int:
        """The number of dimensions of one example of an input."""
        return self.node.inputs[position].rank

    def aligned(self, position: int, rank: int) -> Node:
        """An input such that examples of ``rank`` dimensions broadcast: sizes of 1 go behind the batch axis."""
        source = self.inputs[position]
        if not self.batched[position]:
            return source
        missing = rank - self.rank(position)
        return reshape(source, (self.size, *[1] * missing, *source.shape[1:])) if missing > 0 else source

    def all_aligned(self, rank: int) -> tuple[Node, ...]:
        """`aligned` of every input."""
        return tuple(self.aligned(i, rank) for i in range(len(self.inputs)))

    def stacked(self, position: int) -> Node:
        """An input as a stack; what is shared is repeated, as a view."""
        source = self.inputs[position]
        return source if self.batched[position] else expand(source, (self.size, *source.shape))

    def all_stacked(self) -> tuple[Node, ...]:
        """`stacked` of every input."""
        return tuple(self.stacked(i) for i in range(len(self.inputs)))

    def again(self, *inputs: Node, **changed: Any) -> Node:
        """The same operation on other inputs, some attributes changed."""
        attrs = tuple([changed.get(name, value) for name, value in self.node.named_attrs()])
        return make_node(self.node.op, inputs, attrs, derived_origin())
