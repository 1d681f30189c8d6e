"""A loss that is another program in every step is differentiated apart from the network that it looks at.

A detector's loss picks its targets by what the network has answered: sizes and indices differ from step to step, and
with them the program that computes loss and gradients, through the whole network. Where the network was computed
before by a program that is known, since its answers were read, the gradient is taken in two programs: from the loss to
what that computed, which is small and new, and from there to the parameters, which is the same every time.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd_meta import is_tracked, tracked_inputs
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import float32
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.gradient import STAGES, grad, gradient_seeds
from lazygrad.ir.primitives.leaf import buffer, checkpoint, structural_number
from lazygrad.runtime.recording import Recording, keeps_its_history

# Of a network, those that gradients flow through and that a program computes, and of them those that keep a value: a
# gradient through fewer is no program of its own.
_LEAST_NODES, _LEAST_VALUES = 24, 8
_NOT_LOOKED_INTO = (Kind.CALLBACK, Kind.GRADIENT)


class _Network:
    """The latest values with a history that a known program has computed.

    Attributes:
        newest: the serial of the last of them.
    """

    newest = -1


def note_network(recording: Recording) -> None:
    """Tell of a known program that was run."""
    if len(recording.watched) >= _LEAST_NODES:
        _Network.newest = max([node.serial for node in recording.stored])


class LossApart:
    """The gradients of one loss, in two parts.

    Args:
        gradients: the pending `grad` nodes, which share loss and cotangent.
        inner: what was recorded between the loss and what was computed.
        boundary: what was computed, the parameters that the loss reads itself included.

    Attributes:
        cotangents: the gradients that arrive at the boundary.
        roots: what the first part computes: these, and the loss.
        is_whole: whether one arrives at each place of it: where none does, nothing would say that a gradient is zero.
    """

    def __init__(self, gradients: Sequence[Node], inner: Sequence[Node], boundary: Sequence[Node]) -> None:
        from lazygrad.autodiff.reverse import reverse_sweep_down_to  # the compiler half loads with the first program

        loss, cotangent, _ = gradients[0].inputs
        self._gradients, self._inner, self._boundary = gradients, inner, boundary
        arrived = reverse_sweep_down_to(loss, cotangent, boundary)
        self.cotangents = [arrived[node] for node in boundary if node in arrived]
        self.roots = [loss, *self.cotangents]
        self.is_whole = len(self.cotangents) == len(boundary)

    def join(self) -> None:
        """Let the gradients begin at the boundary; its own were computed."""
        inputs = (*self._boundary, *self.cotangents)
        stage = make_node(gradient_seeds, inputs, (len(self._boundary),), None)
        one = structural_number(1.0, float32)
        for node in self._gradients:
            node.inputs = (stage, one, node.inputs[2])

    def forget(self) -> None:
        """Let go of the first part's history, once the second is computed and nobody asks for it."""
        for node in self._inner:
            if node.value is not None and not keeps_its_history(node, ()):
                node.seal(buffer)


def loss_apart(recording: Recording) -> LossApart | None:
    """How a program's gradients are taken in two parts; None where that cannot be, or would gain nothing."""
    newest = _Network.newest
    if sum([node.serial <= newest for node in recording.history]) < _LEAST_VALUES:
        return None
    gradients = [node for node in recording.order if node.op is grad and node.value is None]
    if len({node.inputs[:2] for node in gradients}) != 1 or any(map(is_tracked, gradients)):
        return None
    loss = gradients[0].inputs[0]
    if loss.serial <= newest or loss.op in STAGES:
        return None
    inner, boundary = _down_to_network(loss, newest)
    if not inner.keys().isdisjoint([node.inputs[2] for node in gradients]):
        return None  # a gradient of what lies above the network
    if any([node.op.kind in _NOT_LOOKED_INTO or node.op is checkpoint for node in inner]):
        return None
    if any([node.type.dtype is not loss.type.dtype or node.type.device is not CPU for node in boundary]):
        return None
    apart = LossApart(gradients, [*inner], boundary)
    return apart if apart.is_whole else None


def _down_to_network(loss: Node, newest: int) -> tuple[dict[Node, None], list[Node]]:
    """What gradients flow through from a loss down to values up to a serial and to leaves, and these."""
    inner: dict[Node, None] = {}
    boundary: dict[Node, None] = {}
    stack = [loss]
    while stack:
        node = stack.pop()
        if (node.value is not None and node.serial <= newest) or not node.inputs:
            boundary[node] = None
        elif node not in inner:
            inner[node] = None
            stack += tracked_inputs(node)
    return inner, sorted(boundary, key=lambda node: node.serial)
