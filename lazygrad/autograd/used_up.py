"""What a backward pass uses up: PyTorch frees the values that its steps saved, and a second pass is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lazygrad.autograd_meta import ConsumedHistory, consume, consumed_history
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing, reduction
from lazygrad.ir.primitives.leaf import buffer, constant, detach, straight_through
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.ir.shape import numel
from lazygrad.tensor import leaf_tensor

# Ops whose derivative needs no value of the forward pass; PyTorch lets a second backward run through them.
_SAVE_NOTHING = frozenset(
    {
        ew.add,
        ew.sub,
        ew.neg,
        ew.cast,
        ew.clone,
        ew.contiguous,
        ew.real,
        ew.imag,
        ew.conj,
        ew.complex_,
        ew.round_,
        ew.floor,
        ew.ceil,
        ew.trunc,
        reduction.reduce_sum,
        reduction.cumsum,
        indexing.concat,
        indexing.pad,
        indexing.roll,
        reinterpret,
        straight_through,
    }
)

_USED_UP = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Specify retain_graph=True if you need to backward through the graph a second time"
)


class Path:
    """The way of gradients from some outputs to their targets.

    Attributes:
        steps: the nodes that they flow through, inputs first.
        others: the rest of the outputs' history.
        earlier: the ``backward`` calls that used up some of it.
    """

    __slots__ = ("earlier", "others", "steps")

    def __init__(self, targets: Sequence[Node], reached: Sequence[Node]) -> None:
        self.steps: list[Node] = []
        self.others: list[Node] = []
        self.earlier: set[ConsumedHistory] = set()
        on_path = set(targets)
        for node in reached:
            meta = node.autograd
            if meta is not None and meta.consumed is not None:
                self.earlier.add(meta.consumed)
            for source in node.inputs:
                if source in on_path:
                    on_path.add(node)
                    self.steps.append(node)
                    break
            else:
                self.others.append(node)

    def keep_for(self, gradients: list[Node]) -> None:
        """Keep the history, what is used up of it too until the gradients are realized."""
        for used in (_kept, *self.earlier):
            used.add(gradients)

    def use_up_for(self, gradients: list[Node]) -> None:
        """Mark the steps as used up, but for those that need no value down to their leaves, as PyTorch does.

        Used-up history stays while any of its gradients pends.
        """
        used_up, left = self._parted_at_values()
        consumed = ConsumedHistory(frozenset([node.serial for node in left]))
        if used_up:
            consumed.add_pending_of(_kept, younger_than=min([node.serial for node in used_up]))
        for earlier in self.earlier:
            consumed.add_pending_of(earlier)
            consumed.add_sources_of(earlier)
        consume(used_up, consumed)
        consumed.add(gradients)

    def _parted_at_values(self) -> tuple[list[Node], list[Node]]:
        """The steps that need a value of the forward pass, lie on such or are used up already; and all other nodes."""
        used_up: dict[Node, None] = {}
        left = list(self.others)
        for node in self.steps:
            if node.op is detach or (_saves_nothing(node) and not self._is_used_up(node, used_up)):
                left.append(node)
            else:
                used_up[node] = None
        return list(used_up), left

    def _is_used_up(self, node: Node, used_up: dict[Node, None]) -> bool:
        if not used_up.keys().isdisjoint(node.inputs):
            return True
        return bool(self.earlier) and consumed_history(node) is not None


def on_path_to(targets: Iterable[Node], reached: Iterable[Node]) -> set[Node]:
    """Those nodes of a history, given inputs first, that depend on a target or are one."""
    wanted = {*targets}
    on_path: set[Node] = set()
    for node in reached:
        if node in wanted or not on_path.isdisjoint(node.inputs):
            on_path.add(node)
    return on_path


def path_towards(targets: Sequence[Node], reached: Sequence[Node], to_all_leaves: bool) -> Path:
    """The path from the outputs that have reached some nodes to the targets.

    Args:
        targets: what to differentiate by.
        reached: the history of the outputs, inputs first.
        to_all_leaves: whether the targets are all leaves of the history, also those that it may have forgotten.

    Raises:
        RuntimeError: an earlier backward used up a part of it.
    """
    path = Path(targets, reached)
    if path.earlier:
        _require_values(path)
        _require_no_forgotten(path.others, targets, to_all_leaves)
    return path


def _require_values(path: Path) -> None:
    for node in path.steps:
        is_used_up = consumed_history(node) is not None and leaf_tensor(node) is None
        if is_used_up and (node.op is buffer or not _saves_nothing(node)):
            raise RuntimeError(_USED_UP)


def _require_no_forgotten(others: Sequence[Node], targets: Sequence[Node], to_all_leaves: bool) -> None:
    """Refuse values that have forgotten how they were computed if a target may have been among their inputs."""
    for node in others:
        used = consumed_history(node)
        if used is None or node.op is not buffer or node in targets or leaf_tensor(node) is not None:
            continue
        if to_all_leaves or any(target.serial < node.serial and used.may_contain(target) for target in targets):
            raise RuntimeError(_USED_UP)


def _saves_nothing(node: Node) -> bool:
    return node.op in _SAVE_NOTHING or node.op.is_view or _is_mean(node)


def _is_mean(node: Node) -> bool:
    """Whether this is a sum over the number of its terms. PyTorch keeps the divisor of any other division."""
    if node.op is not ew.div or node.inputs[0].op is not reduction.reduce_sum or node.inputs[1].op is not constant:
        return False
    total = node.inputs[0]
    return node.inputs[1].attrs[0] * numel(total.shape) == numel(total.inputs[0].shape) != 0


_kept = ConsumedHistory()  # gradients recorded with their history kept; they need it even if a later call uses it up
