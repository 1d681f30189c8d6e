"""Variables of a function transform: what a function is differentiated by while `lazygrad.func` runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import ref

from lazygrad.autodiff.substitution import substituted
from lazygrad.autograd_meta import is_tracked, mark_tracked, track
from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, make_node, next_serial
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import detach, straight_through
from lazygrad.levels import Level, Writable
from lazygrad.snapshots import as_of_now
from lazygrad.tensor import Tensor


class GradLevel(Level):
    """One running transform that differentiates: `grad`, `vjp`, `jvp` and those made of them.

    Its variables are nodes of their own, so that transforms nest without further ado: the derivative by one of them
    does not see the same tensor captured from outside, while gradients of outer transforms flow through it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.outer_enabled = is_grad_enabled()
        self._values: dict[Node, Node] = {}  # per variable the node it stands for

    def check_write(self, storage: Writable, value: Node) -> None:
        if self.captures(storage):
            raise RuntimeError(
                "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call an in-place "
                "operation that would mutate a captured Tensor. This is not supported; please rewrite the function "
                "being transformed to explicitly accept the mutated Tensor(s) as inputs."
            )

    def variable(self, tensor: Tensor) -> Tensor:
        """A leaf with the tensor's value.

        Raises:
            RuntimeError: not a floating or complex dtype.
        """
        if not tensor.dtype.differentiable:
            raise RuntimeError(
                f"only Tensors of floating point and complex dtype can require gradients, not {tensor.dtype.name}"
            )
        source = as_of_now(tensor.node())
        node = make_node(straight_through, (source, source), (), capture())
        track(node)
        self._values[node] = source
        variable = Tensor.from_node(node)
        variable._storage.leaf = ref(variable)
        return variable

    def released(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Results of the function for the world outside: differentiable by outer variables, no longer by these."""
        nodes = [tensor.node() for tensor in tensors]
        alive = self._tracked_from_outside(nodes) if self.outer_enabled else {}
        return [self._released(tensor, alive.get(node, False)) for tensor, node in zip(tensors, nodes, strict=True)]

    def released_nodes(self, nodes: Sequence[Node], first_new: int) -> list[Node]:
        """`released` for gradients, of which nodes from ``first_new`` on were built by a sweep."""
        mark_tracked(nodes, first_new)
        alive = self._tracked_from_outside(nodes) if self.outer_enabled else {}
        return [node if alive.get(node) or not is_tracked(node) else _cut_off(node) for node in nodes]

    def outside(self, nodes: Sequence[Node]) -> list[Node]:
        """``nodes`` computed from the values of the variables, with no derivative by these."""
        first_new = next_serial()
        plain = substituted(nodes, self._values)
        mark_tracked(plain, first_new)
        return plain

    def _released(self, tensor: Tensor, alive: bool) -> Tensor:
        node = tensor.node()
        if node in self._values:
            return Tensor.from_node(node if alive else _cut_off(node))
        return tensor if alive or not is_tracked(node) else Tensor.from_node(_cut_off(node))

    def _tracked_from_outside(self, nodes: Sequence[Node]) -> Mapping[Node, bool]:
        """Through which nodes gradients flow to something other than this level's variables."""

        def inside(node: Node) -> tuple[Node, ...]:
            return node.inputs if node.serial > self.first and node not in self._values else ()

        alive: dict[Node, bool] = {}
        for node in topological_order(nodes, inside):
            if node in self._values:
                alive[node] = is_tracked(self._values[node])
            elif node.serial > self.first and node.inputs:
                alive[node] = is_tracked(node) and any(alive[source] for source in node.inputs)
            else:
                alive[node] = is_tracked(node)
        return alive


def _cut_off(node: Node) -> Node:
    return make_node(detach, (node,), (), node.origin)
