"""A function recorded on variables: what all transforms that differentiate have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.autograd.jvp import tangents_of
from lazygrad.autograd.recorded_gradients import gradient_nodes
from lazygrad.autograd.variables import GradLevel
from lazygrad.autograd_meta import is_tracked
from lazygrad.func._arguments import require_tensors, with_aux
from lazygrad.grad_mode import enable_grad
from lazygrad.ir.build import zeros_like
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, next_serial
from lazygrad.levels import running
from lazygrad.pytree import flatten
from lazygrad.tensor import Tensor


class Recorded:
    """``function(*primals)``, ready to be differentiated by the primals, as often as wanted.

    Args:
        function: of tensors, in nested containers.
        primals: its arguments; every leaf a floating or complex tensor.
        has_aux: whether it returns a pair, the second half of which is not differentiated.
        name: of the transform, for messages.

    Attributes:
        outputs: the leaves of its output, for the world outside.
        structure: that of its output.
        aux: the auxiliary output.

    Raises:
        ValueError: an argument that is not a tensor.
        RuntimeError: an argument that is not floating; a function that returns something else than tensors.
    """

    def __init__(self, function: Callable[..., Any], primals: tuple[Any, ...], has_aux: bool, name: str) -> None:
        self._level = GradLevel()
        with running(self._level), enable_grad():
            leaves, structure = flatten(primals)
            self._variables = [self._level.variable(_tensor(leaf)) for leaf in leaves]
            raw, aux = with_aux(function(*structure.unflatten(self._variables)), has_aux, name)
        inside = require_tensors(raw, name, "f(*primals)")
        self._nodes = [tensor.node() for tensor in inside]
        self._targets = [variable._storage.value for variable in self._variables]
        self.structure = flatten(raw)[1]
        self.outputs = self._level.released(inside)
        self.aux = self._released_tree(aux)

    @property
    def output(self) -> Any:
        """The function's output, in its containers."""
        return self.structure.unflatten(self.outputs)

    @property
    def depends(self) -> list[bool]:
        """Per output, whether it depends on the primals."""
        return [bool(set(self._targets).intersection(self._history([node]))) for node in self._nodes]

    def pull_back(self, cotangents: Sequence[Tensor | None]) -> list[Tensor]:
        """One gradient per leaf of the primals, for one cotangent per output (None for 0)."""
        first_new = next_serial()
        weighted = zip(self._nodes, cotangents, strict=True)
        pairs = [(node, weight.node()) for node, weight in weighted if weight is not None and is_tracked(node)]
        history = self._history([node for node, _ in pairs])
        found: list[Node | None] = [None] * len(self._targets)
        if pairs:
            found, _ = gradient_nodes(pairs, self._targets, history, create_graph=True)
        gradients = [
            node if node is not None else zeros_like(target) for node, target in zip(found, self._targets, strict=True)
        ]
        return [Tensor.from_node(node) for node in self._level.released_nodes(gradients, first_new)]

    def jvp(self, tangents: Sequence[Tensor | None]) -> list[Tensor]:
        """One tangent per output, for one tangent per leaf of the primals (None for 0)."""
        first_new = next_serial()
        given = {
            target: tangent.node()
            for target, tangent in zip(self._targets, tangents, strict=True)
            if tangent is not None
        }
        found = tangents_of(self._nodes, given)
        pushed = [
            tangent if tangent is not None else zeros_like(node)
            for tangent, node in zip(found, self._nodes, strict=True)
        ]
        return [Tensor.from_node(node) for node in self._level.released_nodes(pushed, first_new)]

    def _history(self, nodes: Sequence[Node]) -> list[Node]:
        """What the function computed, inputs first."""

        def inside(node: Node) -> tuple[Node, ...]:
            return node.inputs if node.serial > self._level.first and is_tracked(node) else ()

        return topological_order(nodes, inside)

    def _released_tree(self, tree: Any) -> Any:
        leaves, structure = flatten(tree)
        tensors = iter(self._level.released([leaf for leaf in leaves if isinstance(leaf, Tensor)]))
        return structure.unflatten([next(tensors) if isinstance(leaf, Tensor) else leaf for leaf in leaves])


def _tensor(leaf: Any) -> Tensor:
    if not isinstance(leaf, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
    return leaf
