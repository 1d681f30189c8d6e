"""What an operation saves for its gradient, handed to the hooks of `saved_tensors_hooks`.

A graph keeps all of its values until nobody can ask for them, so there is nothing to hook into. Instead the pullback
of an operation is written down when it is recorded, for a gradient yet to come; the inputs and outputs it refers to are
what PyTorch would have saved, and when the gradient has come, what `unpack_hook` returns takes their place.
"""

from __future__ import annotations

from lazygrad.autodiff.pullback import Pullback
from lazygrad.autodiff.substitution import substituted
from lazygrad.autograd.callbacks import set_custom_pullback
from lazygrad.autograd.saved_tensors import SavedTensor, save, unpack
from lazygrad.autograd_meta import tracked_inputs
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.tensor import Tensor, leaf_tensor


def save_for_backward(node: Node) -> None:
    """Save what the gradient of ``node``, just recorded, needs."""
    pullback = _SavedPullback(node)
    if pullback.saved:
        set_custom_pullback(node, pullback.pull_back)


class _SavedPullback:
    """The pullback of one node, and what it refers to."""

    def __init__(self, node: Node) -> None:
        pullback = Pullback(node, tracked_inputs(node))
        self.cotangent, self.parts = pullback.cotangent, pullback.parts
        needed = [current for current in pullback.needed if current.op not in (constant, scalar)]
        self.saved: dict[Node, SavedTensor] = {current: save(_shown(current)) for current in needed}

    def pull_back(self, gradient: Node, node: Node, *inputs: Node) -> tuple[Node | None, ...]:
        """The gradients of the inputs, from what the hooks give back."""
        values = {current: unpack(item).node() for current, item in self.saved.items()}
        present = [part for part in self.parts if part is not None]
        found = iter(substituted(present, {**values, self.cotangent: gradient}))
        return tuple(None if part is None else next(found) for part in self.parts)


def _shown(node: Node) -> Tensor:
    leaf = leaf_tensor(node)
    return Tensor.from_node(node) if leaf is None else leaf
