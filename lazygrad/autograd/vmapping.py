"""Vectorization: what was recorded of one example, rewritten for all of them by the table of batching rules."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import batched_node
from lazygrad.autograd.application import batched_joint, batched_output
from lazygrad.autograd_meta import is_tracked, mark_tracked, track
from lazygrad.ir.build import expand
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, deriving_from, next_serial, tensor_type
from lazygrad.ir.primitives.leaf import custom_function, custom_output, leaf_node, placeholder
from lazygrad.levels import Level, Writable
from lazygrad.passes.differentiate import spelled_out

RANDOMNESS = ("error", "different", "same")


class VmapLevel(Level):
    """One running `vmap`.

    Args:
        size: how many examples there are.
        randomness: ``"error"``, ``"different"`` or ``"same"``.
    """

    def __init__(self, size: int, randomness: str = "error") -> None:
        super().__init__()
        self.size, self.randomness = size, randomness
        self.copies = size if randomness == "different" else 1
        self._stacks: dict[Node, Node | None] = {}  # what became of a node; None where all examples share it

    def one_of(self, stack: Node) -> Node:
        """A placeholder for one example of ``stack``, whose first axis counts examples."""
        example = leaf_node(placeholder, (), tensor_type(stack.shape[1:], stack.dtype, stack.device))
        track(example, is_tracked(stack))
        self._stacks[example] = stack
        return example

    def check_random(self) -> None:
        if self.randomness == "error":
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Use the 'same' or 'different' "
                "randomness flag of vmap, or draw the numbers outside"
            )

    def check_write(self, storage: Writable, value: Node) -> None:
        if self.captures(storage) and self.stack(value) is not None:
            raise RuntimeError(
                "vmap: an in-place operation writes a value of its own for every example into a captured tensor, which "
                "has room for one. Use the out-of-place operation, or map over the tensor as an argument"
            )

    def stacks(self, nodes: Sequence[Node]) -> list[Node | None]:
        """All examples' values of some nodes; None where they share one."""
        return [node if is_stack else None for node, is_stack in self.results(nodes)]

    def results(self, nodes: Sequence[Node]) -> list[tuple[Node, bool]]:
        """Some nodes for the world outside, gradients spelled out: each a stack, or (False) what all examples share."""
        first_new = next_serial()
        wanted = spelled_out(nodes, self.first)
        self._finish(wanted)
        stacks = [self._stacks.get(node) for node in wanted]
        results = [(stack or node, stack is not None) for stack, node in zip(stacks, wanted, strict=True)]
        mark_tracked([node for node, _ in results], first_new)
        return results

    def whole(self, nodes: Sequence[Node]) -> list[Node]:
        """Some nodes as stacks; what all examples share is repeated, as a view."""
        return [node if is_stack else self._repeated(node) for node, is_stack in self.results(nodes)]

    def _repeated(self, node: Node) -> Node:
        repeated = expand(node, (self.size, *node.shape))
        track(repeated, is_tracked(node))
        return repeated

    def _unfinished(self, node: Node) -> tuple[Node, ...]:
        """The inputs of what the function recorded and no earlier call rewrote."""
        return node.inputs if node.serial > self.first and node not in self._stacks else ()

    def _finish(self, nodes: Sequence[Node]) -> None:
        for node in topological_order(nodes, self._unfinished):
            if node not in self._stacks:
                self._stacks[node] = self._rewritten(node)

    def _rewritten(self, node: Node) -> Node | None:
        stacks = [self._stacks.get(source) for source in node.inputs]
        if all(stack is None for stack in stacks):
            return None
        inputs = tuple(stack or source for stack, source in zip(stacks, node.inputs, strict=True))
        if node.op is custom_function:
            return batched_joint(node, self, inputs)
        if node.op is custom_output:
            return stacks[0] if stacks[1] is None else batched_output(node, self._stacked(stacks[0], node), inputs[1])
        batched = tuple(stack is not None for stack in stacks)
        result = batched_node(Call(node, inputs, batched, self.size))
        if result is None:
            assert isinstance(node.op, Composite)
            with deriving_from(node.origin):
                body = node.op.decompose(node)
            self._finish([body])
            result = self._stacks[body]
            if result is None:  # what is stacked does not matter to it
                result = expand(body, (self.size, *node.shape))
        assert result.type is tensor_type((self.size, *node.shape), node.dtype, node.device), (node, result)
        return result

    def _stacked(self, stack: Node | None, node: Node) -> Node:
        return stack if stack is not None else expand(node.inputs[0], (self.size, *node.shape))
