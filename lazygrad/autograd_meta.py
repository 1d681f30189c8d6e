"""What autograd knows of a node: one record in the slot `Node.autograd`, None for a node of which it knows nothing.

Nearly all nodes are in one of three states: tracked, the contents of a storage, or both. Nodes in the same of these
states share one record, so that recording an operation allocates none. A node of which more is known has a record of
its own, which `own_meta` makes.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cache
from typing import Any, NamedTuple
from weakref import ref

from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives.leaf import detach, mark_detached

HELD_BY_SEVERAL = -1


class ConsumedHistory:
    """One ``backward`` call: the gradients it recorded, which still need the history until they are realized.

    Args:
        sources: serials of the nodes at which the history begins, or that no gradient was asked for; None where they
            are not known.
    """

    __slots__ = ("_gradients", "_limit", "_sources")

    def __init__(self, sources: frozenset[int] | None = None) -> None:
        self._sources = sources
        self._gradients: list[ref[Node]] = []
        self._limit = 64

    def add(self, gradients: Sequence[Node]) -> None:
        self._gradients += map(ref, gradients)
        if len(self._gradients) > self._limit:
            self._gradients = [each for each in self._gradients if _is_pending(each())]
            self._limit = 64 + 2 * len(self._gradients)

    def add_pending_of(self, other: ConsumedHistory, younger_than: int = -1) -> None:
        """Add the pending gradients of another record that are younger; what is settled is forgotten there.

        Args:
            other: the other record.
            younger_than: the serial of the oldest node that was used up: no gradient older than that can need it.
        """
        pending = [(gradient, gradient()) for gradient in other._gradients]
        pending = [(gradient, node) for gradient, node in pending if _is_pending(node)]
        other._gradients = [gradient for gradient, _ in pending]
        self._gradients += [gradient for gradient, node in pending if node is not None and node.serial > younger_than]

    def add_sources_of(self, other: ConsumedHistory) -> None:
        """Say that this history goes on into that of ``other``, whose nodes may have forgotten it since."""
        if self._sources is None or other._sources is None:
            self._sources = None
        else:
            self._sources = self._sources | other._sources

    def may_contain(self, node: Node) -> bool:
        """Whether ``node`` may belong to the history that was used up."""
        return self._sources is None or node.serial in self._sources or consumed_history(node) is not None

    def awaited_outside(self, covered: Container[Node]) -> bool:
        """Whether a gradient that is not in ``covered`` is still alive and pending."""
        while self._gradients and not _is_pending(self._gradients[-1]()):
            self._gradients.pop()  # settled for good
        alive = (reference() for reference in self._gradients)
        return any(_is_pending(node) and node not in covered for node in alive)


def _is_pending(node: Node | None) -> bool:
    return node is not None and node.value is None


class Call(NamedTuple):
    """A function that is one step of the backward pass in PyTorch, and several nodes here.

    Attributes:
        step: PyTorch's name of the step, without what all names end in.
        nodes: how many nodes it recorded, up to its result, one after another.
    """

    step: str
    nodes: int


class AutogradMeta:
    """What autograd knows of a node.

    Attributes:
        shared: whether other nodes have this record too; it is never changed then.
        tracked: whether a gradient can flow from the node to a leaf that requires one; see `say_tracked`.
        seen: the memory in which the value lies where code outside this package may write to it (a
            `lazygrad.runtime.seen_memory.SeenMemory`), or None; see `say_seen`.
        concerns_readers: whether an operation that reads the node must look at one of these two.
        superseded: of a storage's contents, the serial from which on an in-place write has put other contents in their
            place, 0 while they are current; `HELD_BY_SEVERAL` where several storages hold them; None for other values.
        leaf: a weak reference to the tensor that collects the gradient of this leaf, or None.
        of_inference: whether it is an inference tensor's value.
        consumed: the ``backward`` without ``retain_graph`` that used up the history, or None.
        callbacks: the user's functions that run when a gradient passes, see `lazygrad.autograd.callbacks`; or None.
        call: the function whose result the node is, where it is known by that; or None.
    """

    __slots__ = (
        "call",
        "callbacks",
        "concerns_readers",
        "consumed",
        "leaf",
        "of_inference",
        "seen",
        "shared",
        "superseded",
        "tracked",
    )

    def __init__(self, tracked: bool = False, superseded: int | None = None, shared: bool = False) -> None:
        self.tracked, self.superseded, self.shared = tracked, superseded, shared
        self.concerns_readers, self.seen = tracked, None
        self.leaf: ref[Any] | None = None
        self.of_inference = False
        self.consumed: ConsumedHistory | None = None
        self.callbacks: Any = None
        self.call: Call | None = None

    def copy(self, shared: bool) -> AutogradMeta:
        copy = AutogradMeta.__new__(AutogradMeta)
        copy.tracked, copy.superseded, copy.shared = self.tracked, self.superseded, shared
        copy.concerns_readers, copy.seen = self.concerns_readers, self.seen
        copy.leaf, copy.of_inference, copy.consumed = self.leaf, self.of_inference, self.consumed
        copy.callbacks, copy.call = self.callbacks, self.call
        return copy

    def say_tracked(self, tracked: bool) -> None:
        """Set ``tracked``."""
        self.tracked = tracked
        self.concerns_readers = tracked or self.seen is not None

    def say_seen(self, memory: Any) -> None:
        """Set ``seen``."""
        self.seen = memory
        self.concerns_readers = self.tracked or memory is not None


TRACKED = AutogradMeta(tracked=True, shared=True)
CONTENTS = AutogradMeta(superseded=0, shared=True)
TRACKED_CONTENTS = AutogradMeta(tracked=True, superseded=0, shared=True)
INFERENCE = AutogradMeta(shared=True)
INFERENCE_CONTENTS = AutogradMeta(superseded=0, shared=True)
INFERENCE.of_inference = INFERENCE_CONTENTS.of_inference = True


@cache
def tracked_result(call: Call) -> AutogradMeta:
    """The record that all results of a function share, to which a gradient can flow."""
    meta = AutogradMeta(tracked=True, shared=True)
    meta.call = call
    return meta


@cache
def tracked_contents(call: Call) -> AutogradMeta:
    """`tracked_result` of what one storage holds."""
    meta = tracked_result(call).copy(shared=True)
    meta.superseded = 0
    return meta


def call_of(node: Node) -> Call | None:
    """The function whose result ``node`` is, where it is known by that."""
    meta: AutogradMeta | None = node.autograd
    return None if meta is None else meta.call


def own_meta(node: Node) -> AutogradMeta:
    """The record of ``node`` alone, to be changed."""
    meta: AutogradMeta | None = node.autograd
    if meta is None:
        meta = node.autograd = AutogradMeta()
    elif meta.shared:
        meta = node.autograd = meta.copy(shared=False)
    return meta


def is_tracked(node: Node) -> bool:
    """Whether a gradient can flow from ``node`` to a leaf that requires one."""
    meta: AutogradMeta | None = node.autograd
    return meta is not None and meta.tracked


def track(node: Node, tracked: bool = True) -> None:
    """Say whether gradients can flow through ``node``."""
    meta = node.autograd
    if meta is None:
        if tracked:
            node.autograd = TRACKED
    elif meta.tracked is not tracked:
        own_meta(node).say_tracked(tracked)


def mark_tracked(nodes: Sequence[Node], first_new: int) -> None:
    """Track what gradients can flow through among ``nodes`` and their history, from the serial ``first_new`` on."""

    def new_inputs(current: Node) -> tuple[Node, ...]:
        return current.inputs if current.serial >= first_new else ()

    for current in topological_order(nodes, new_inputs):
        if current.serial >= first_new and current.op is not detach:
            track(current, current.dtype.differentiable and any(is_tracked(source) for source in current.inputs))


def tracked_inputs(node: Node) -> tuple[Node, ...]:
    """The inputs of ``node`` that gradients flow to."""
    return tuple([source for source in node.inputs if (meta := source.autograd) is not None and meta.tracked])


def tracked_history(outputs: Sequence[Node]) -> list[Node]:
    """What gradients of ``outputs`` can flow through, inputs first: `topological_order` along `tracked_inputs`.

    Every `backward` walks its whole history, so the walk asks for the inputs of a node without a call.
    """
    order: list[Node] = []
    seen: set[Node] = set()
    waiting: list[Node] = []  # for their inputs; a None on the stack lies below those of the last
    stack: list[Node | None] = list(outputs)
    stack.reverse()
    while stack:
        node = stack.pop()
        if node is None:
            order.append(waiting.pop())
        elif node not in seen:
            seen.add(node)
            sources = [
                source
                for source in node.inputs
                if source not in seen and (meta := source.autograd) is not None and meta.tracked
            ]
            if sources:
                waiting.append(node)
                stack.append(None)
                sources.reverse()
                stack += sources
            else:
                order.append(node)
    return order


def look_through(view: Node, source: Node) -> None:
    """Say of ``view``, just made, what holds of the node ``source`` that it looks at."""
    meta: AutogradMeta | None = source.autograd
    if meta is not None:
        if meta.tracked and view.type.dtype.differentiable:
            view.autograd = TRACKED
        if meta.of_inference:
            say_of_inference(view)
        if meta.seen is not None:
            own_meta(view).say_seen(meta.seen)


def detached(node: Node) -> Node:
    """The same value without its gradient, in the same memory."""
    cut_off = make_node(detach, (node,), (), node.origin)
    memory = memory_seen_outside(node)
    if memory is not None:
        own_meta(cut_off).say_seen(memory)
    return cut_off


def memory_seen_outside(node: Node) -> Any:
    """The memory in which ``node`` lies where outside code may write to it, see `AutogradMeta`; or None."""
    meta: AutogradMeta | None = node.autograd
    return meta.seen if meta is not None else None


def leaf_of(node: Node) -> Any:
    """The living tensor that collects the gradient of ``node``, now or before a later update; or None."""
    meta: AutogradMeta | None = node.autograd
    return meta.leaf() if meta is not None and meta.leaf is not None else None


def leaves_among(nodes: Sequence[Node]) -> list[Node]:
    """Those of ``nodes`` that are, or were before a later update, the value of a leaf that collects its gradient."""
    return [node for node in nodes if (meta := node.autograd) is not None and meta.leaf is not None]


def new_leaf(value: Node, leaf: ref[Any]) -> Node:
    """A fresh node of ``value``'s contents whose gradient accumulates into ``.grad`` of the tensor ``leaf`` refers to.

    It is fresh so that what was computed from ``value`` earlier stays outside the new variable's reach, and so that
    no walk goes on from the leaf into the history that ``value`` has when it was written through ``.data``.
    """
    node = mark_detached(detached(value) if is_tracked(value) and value.value is None else value)
    meta = own_meta(node)
    meta.say_tracked(True)
    meta.leaf = leaf
    return node


def is_leaf(node: Node) -> bool:
    """Whether ``node`` is, or was before a later update, the value of a leaf that collects its gradient."""
    meta: AutogradMeta | None = node.autograd
    return meta is not None and meta.leaf is not None


def is_of_inference(node: Node) -> bool:
    """Whether ``node`` is marked as an inference tensor's value."""
    meta: AutogradMeta | None = node.autograd
    return meta is not None and meta.of_inference


def say_of_inference(node: Node) -> None:
    """Mark ``node`` as an inference tensor's value."""
    if node.autograd is None:
        node.autograd = INFERENCE
    else:
        own_meta(node).of_inference = True


# History that a backward has used up.


def consumed_history(node: Node) -> ConsumedHistory | None:
    """The ``backward`` that used up the history of ``node``, or None."""
    meta: AutogradMeta | None = node.autograd
    return meta.consumed if meta is not None else None


def consume(nodes: Sequence[Node], history: ConsumedHistory) -> None:
    """Say that the ``backward`` of ``history`` has used up that of all ``nodes``."""
    replaced: dict[AutogradMeta, AutogradMeta] = {}
    for node in nodes:
        meta: AutogradMeta = node.autograd or AutogradMeta()
        if meta.shared:
            found = replaced.get(meta)
            if found is None:
                found = replaced[meta] = meta.copy(shared=True)
                found.consumed = history
            node.autograd = found
        else:
            meta.consumed = history
            node.autograd = meta
