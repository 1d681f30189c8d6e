"""From live nodes to a program: what a realization covers, the key it is cached under, and its graph with slots.

The walk stops at realized values, except below gradients: the derivative of a realized value needs its history.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import Any

from lazygrad.autograd_meta import AutogradMeta, ConsumedHistory, is_tracked
from lazygrad.ir.dtype import int64
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node, make_node, tensor_type
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.gradient import grad, gradient_path
from lazygrad.ir.primitives.indexing import update_view
from lazygrad.ir.primitives.leaf import buffer, checkpoint, constant, detach, leaf_node, placeholder, scalar
from lazygrad.ir.primitives.movement import slice_
from lazygrad.ir.settings import changes
from lazygrad.runtime.ownership import held_beside
from lazygrad.runtime.parts import Part, base_of, counted_from_zero, part_of

_NEVER_STORED = (Kind.LEAF, Kind.CALLBACK)


class ProgramKey(tuple[Any, ...]):
    """The key of a program, which remembers its hash: it has some items for each node, and is looked up often."""

    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = super().__hash__()
            return self._hash


class Recording:
    """The part of the live graph one realization covers.

    Attributes:
        roots: the nodes asked for, without repetition, pending or not.
        order: all covered nodes, inputs first.
        covered: the same without an order.
        history: realized nodes whose own history a gradient among them needs.
        buffers: realized nodes, in the order of the plan's input slots.
        parts: of some of the buffers, which have the slots after theirs.
        scalars: values of the lifted scalars and offsets, in slot order.
        numbers: the nodes they come from.
        stored: pending nodes that get a buffer: the roots and whatever somebody outside this graph can still reach.
        held: nodes that something outside this graph refers to.
        forgetting: nodes with inputs that have a value afterwards and that no later gradient asks how they came to be.
        watched: pending nodes whose values a later gradient could reuse.
        donatable: per input slot, whether nothing that is left of this graph afterwards can reach the old value.
        key: equal for recordings that the same plan serves.
        has_precedent: whether it was made by following an earlier recording.
    """

    __slots__ = (
        "_slots",
        "_targets",
        "buffers",
        "covered",
        "donatable",
        "forgetting",
        "has_precedent",
        "held",
        "history",
        "key",
        "numbers",
        "order",
        "parts",
        "roots",
        "scalars",
        "stored",
        "watched",
    )

    def __init__(self, roots: Sequence[Node]) -> None:
        self.has_precedent = False
        self.roots = list(dict.fromkeys(roots))
        self.order, index, self.history = _covered(self.roots)
        self.covered: AbstractSet[Node] = index.keys()
        self.buffers: list[Node] = []
        self.scalars: list[Any] = []
        self.numbers: list[Node] = []
        self.parts: dict[Node, Part] = {}
        self._slots: dict[Node, int] = {}
        self._targets = {
            node.inputs[2] for node in self.order if node.op is grad and (node.value is None or node in self.history)
        }
        uses = [0] * len(self.order)
        key = self._describe(index, uses)
        self._targets.clear()  # before references to nodes are counted
        self._slots.clear()
        self.held = held_beside(self.order, uses)
        self.stored = self._stored()
        keeps = _history_keeper(answered(index.keys(), self.held, self.stored, unanswered(self.order, self.stored)))
        keeps_history = any([keeps(node) for node in self.stored])
        self.watched = [node for node in self.order if is_tracked(node) and node.value is None] if keeps_history else []
        self.forgetting = [node for node in self._valued_afterwards() if not keeps(node)]
        self.donatable = self.donatable_buffers()
        key += ("stored", *[index[node] for node in self.stored])
        key += ("watched", *[index[node] for node in self.watched])
        self.key = ProgramKey(key)

    def _describe(self, index: dict[Node, int], uses: list[int]) -> list[Any]:
        """The key's body: per node its op, attributes and inputs; for leaves the type; slots in order of appearance."""
        key: list[Any] = []
        history = self.history
        for position, node in enumerate(self.order):
            if node.value is not None:
                self.buffers.append(node)
                uses[position] += 1  # this list's own reference
                key += (buffer, node.type, node in history)
                if node not in history:
                    continue
                uses[position] += 1
            op = node.op
            key.append(op)
            if op is scalar:
                self._lift(node.attrs[0], node)
                uses[position] += 1
                key.append(node.type)
            elif op is constant:
                key += (node.attrs, node.type)
            else:
                if op is buffer:
                    raise RuntimeError(
                        f"a value of type {node.type} was asked for after its memory had been reused by an in-place "
                        f"update; realize or clone it before the update ({node.origin or 'origin unknown'})"
                    )
                if op is placeholder:
                    raise RuntimeError(
                        "vmap or export: a value inside the function is asked for (by .item(), numpy(), data-dependent "
                        "control flow or a shape that depends on data), but there it stands for as many values as "
                        "there are examples or calls. Write it with operations on tensors, such as lazygrad.where"
                    )
                if op is update_view or op is slice_:
                    attrs = self._attrs_without_offset(node)
                    uses[position] += attrs is not node.attrs  # it is listed with what was taken out of the key
                    key.append(attrs)
                else:
                    key.append(node.attrs)
                if not node.inputs:
                    key.append(node.type)
                for source in node.inputs:
                    read = index[source]
                    uses[read] += 1
                    key.append(read)
        return key

    def _attrs_without_offset(self, node: Node) -> tuple[Any, ...]:
        """The attributes of a write or a slice without its offset, if that is an argument."""
        if node.op is update_view:
            self._lift(node.attrs[2], node)
            return node.attrs[:2]
        part = self._part(node)
        if part is None:
            return node.attrs
        self.parts[node] = part
        return counted_from_zero(node.attrs)

    def _part(self, node: Node) -> Part | None:
        """The part of a realized value that a slice begins, unless a gradient is asked for what lies below it."""
        found = base_of(node)
        if found is None or found[0] in self.history:
            return None
        base, chain = found
        if self._targets and not self._targets.isdisjoint([base, *chain[:-1]]):
            return None
        for slot in range(len(self._slots), len(self.buffers)):
            self._slots[self.buffers[slot]] = slot
        return part_of(self._slots[base], base, chain)

    @property
    def beginnings(self) -> tuple[int, ...]:
        """Where the writes to views begin, which the key does not say."""
        return tuple([node.attrs[2] for node in self.numbers if node.op is update_view])

    def _lift(self, value: Any, node: Node) -> None:
        self.scalars.append(value)
        self.numbers.append(node)

    def _stored(self) -> list[Node]:
        """A view that somebody holds is not stored, so what it looks at must stay.

        Nor is what lies inside a checkpoint, which a sweep of gradients that is under way may hold.
        """
        wanted = dict.fromkeys([node for node in self.roots if node.value is None])
        inside = inside_checkpoints(self.order)
        for node in map(_stored_instead_of, self.held):
            if node.value is None and node.op.kind not in _NEVER_STORED and node not in inside:
                wanted[node] = None
        return list(wanted)

    def _valued_afterwards(self) -> list[Node]:
        """Nodes with inputs that have a value once the plan has run; of the watched ones, some may not."""
        valued = {*self.stored, *self.watched}
        return [node for node in self.order if node.inputs and (node.value is not None or node in valued)]

    def donatable_buffers(self) -> list[bool]:
        """`donatable`, from all other attributes."""
        held = {*self.held, *map(_stored_instead_of, self.held)}
        others = [node for node in self.buffers if node not in held]
        left = self._left_afterwards(held, min([node.serial for node in others])) if others else held
        return [node not in left for node in self.buffers]

    def _left_afterwards(self, held: set[Node], lowest: int) -> set[Node]:
        """What can be reached from `held` once the nodes in `forgetting` have forgotten their inputs.

        These are all the values of this graph that anybody can ask for later: a tensor or a pending node elsewhere
        reaches them only through a node that it refers to, and all of those are held. So whatever else is overwritten,
        no later recording can meet it.

        Args:
            held: the nodes themselves, and what is stored instead of them.
            lowest: a serial; what has a smaller one may be missing. The history of a loss may be long, and is older
                than what is computed of it.
        """
        stored = set(self.stored)
        forgetting = {node for node in self.forgetting if node.value is not None or node in stored}
        left: set[Node] = set()
        pending = [*held]
        while pending:
            node = pending.pop()
            if node not in left and node.serial >= lowest:
                left.add(node)
                if node not in forgetting:
                    pending += node.inputs
        return held | left

    def _names(self, copies: dict[Node, Node]) -> dict[Node, str]:
        """Leaves under their own name, preceded by the module that reads them first: ``Sequential.0.weight``."""
        names: dict[Node, str] = {}
        for node in self.order:
            for source in node.inputs if node in copies and copies[node].inputs else ():
                is_leaf = copies[source].op in (buffer, detach) and copies[source] not in names
                own = _leaf_name(source) if is_leaf else None
                if own:
                    scope = node.origin.scope if node.origin is not None else ""
                    names[copies[source]] = f"{scope}.{own}" if scope else own
        return names

    def program(self) -> Graph:
        """The recorded graph as pure data: realized values and scalars are leaves that carry slot numbers."""
        copies: dict[Node, Node] = {}
        realized: dict[Node, Node] = {}
        inputs = scalars = parts = 0
        for node in self.order:
            leaf = None
            if node.value is not None:
                leaf = _leaf_copy(node, buffer, (inputs,))
                inputs += 1
            if leaf is not None and node not in self.history:
                copies[node] = leaf
            elif node.op is scalar:
                copies[node] = _leaf_copy(node, scalar, (node.attrs[0], scalars))
                scalars += 1
            elif node in self.parts:
                copies[node] = self._part_copy(node, len(self.buffers) + parts)
                parts += 1
            else:
                attrs = tuple([plain(value) for value in node.attrs])
                sources = [copies[source] for source in node.inputs]
                if node.op is update_view:
                    offset = leaf_node(scalar, (attrs[2], scalars), tensor_type((), int64, node.device))
                    sources, attrs = [*sources, offset], (*attrs[:2], 0)
                    scalars += 1
                copy = Node(node.op, tuple(sources), attrs, node.type)
                copy.origin = node.origin
                copies[node] = copy
                if leaf is not None:
                    realized[copy] = leaf
        roots = [copies[node] for node in self.stored or self.roots]
        return Graph(roots, self._names(copies), watched=[copies[node] for node in self.watched], realized=realized)

    def slots_of_parts(self) -> dict[int, int]:
        """For each input slot that holds a part of a buffer, the slot of that."""
        return {len(self.buffers) + i: part.of for i, part in enumerate(self.parts.values())}

    def _part_copy(self, node: Node, slot: int) -> Node:
        part = self.parts[node]
        copy = leaf_node(buffer, (slot,), part.type)
        copy.origin = node.origin
        for op, attrs in part.steps:
            copy = make_node(op, (copy,), tuple([plain(value) for value in attrs]), node.origin)
        return copy


LeafName = Callable[[Node], str | None]


def _unnamed(node: Node) -> str | None:
    return None


_leaf_name: LeafName = _unnamed


def name_leaves_with(function: LeafName) -> None:
    """Let ``function`` say what a leaf is called; it lives in a higher layer, which knows tensors."""
    global _leaf_name
    _leaf_name = function


def inside_checkpoints(order: Sequence[Node]) -> set[Node]:
    """What the checkpoints among some nodes compute, between what they read and what they answer.

    It is for the checkpoint alone, and no gradient is asked of it; but the checkpoint's own gradient is that of this
    computation, whose history no value may take the place of.
    """
    inside: set[Node] = set()
    for node in order:
        if node.op is checkpoint:
            ends = {*node.inputs[1:]}
            stack = [node.inputs[0]]
            while stack:
                current = stack.pop()
                if current.inputs and current not in ends and current not in inside:
                    inside.add(current)
                    stack += current.inputs
    return inside


def unanswered(order: Sequence[Node], stored: Sequence[Node]) -> list[Node]:
    """The gradients that a realization computes, if it needs them, without giving them a value."""
    valued = {*stored}
    return [node for node in order if node.op is grad and node.value is None and node not in valued]


def answered(
    covered: AbstractSet[Node], held: Sequence[Node], stored: Sequence[Node], gradients: Sequence[Node]
) -> AbstractSet[Node]:
    """Those of the nodes of a realization that nobody can ask for later, or that have a value then.

    A custom function's answers are among the nodes as soon as one of its gradients is, though the realization computes
    that one alone: what stands for the call is held by the other gradients, and has no value. And what keeps its
    history keeps the gradients in it.

    Args:
        covered: all of the nodes.
        held: those that something else refers to.
        stored: those that get a value.
        gradients: see `unanswered`.
    """
    called = [node for node in held if node.op.kind is Kind.CALLBACK]
    if not (called or gradients):
        return covered
    valued = {*stored}
    left = _pending_below(called, valued)
    while gradients:
        kept = _kept_gradients(held, valued, gradients, _history_keeper(covered - left if left else covered))
        if kept <= left:
            break
        left |= _pending_below(kept, valued)
    return covered - left if left else covered


def _pending_below(nodes: Collection[Node], valued: AbstractSet[Node]) -> set[Node]:
    """Some nodes and what they are computed from, down to what has a value or gets one."""
    found: set[Node] = set()
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if node not in found and node not in valued and node.value is None:
            found.add(node)
            stack += node.inputs
    return found


def _kept_gradients(
    held: Sequence[Node], valued: AbstractSet[Node], gradients: Sequence[Node], keeps: Callable[[Node], bool]
) -> set[Node]:
    """Of some gradients those that lie in a history that is kept, and the pending nodes in it that depend on them."""

    found: set[Node] = set()
    referring = [node for node in held if node.inputs and _inputs_referred_to(node, valued, keeps)]
    if not referring:
        return found
    wanted = {*gradients}
    for node in topological_order(referring, lambda node: _inputs_referred_to(node, valued, keeps)):
        if node.value is None and node not in valued and (node in wanted or not found.isdisjoint(node.inputs)):
            found.add(node)
    return found


def _inputs_referred_to(node: Node, valued: AbstractSet[Node], keeps: Callable[[Node], bool]) -> tuple[Node, ...]:
    return node.inputs if (node.value is None and node not in valued) or keeps(node) else ()


_kept_from = inf


def keep_history_from(serial: float) -> None:
    """Keep the history of all nodes from this serial on, for forward mode, which may ask for any of them."""
    global _kept_from
    _kept_from = serial
    changes.latest = object()


def forward_mode_is_open() -> bool:
    """Whether tangents may be asked for: `keep_history_from` was told to keep nodes."""
    return _kept_from != inf


def keeps_its_history(node: Node, covered: Container[Node]) -> bool:
    """Whether a gradient outside ``covered`` may still ask how ``node`` was computed."""
    return _history_keeper(covered)(node)


def _history_keeper(covered: Container[Node]) -> Callable[[Node], bool]:
    """`keeps_its_history` for many nodes: most have been used up by the same ``backward``, which is asked once."""
    awaited: dict[ConsumedHistory, bool] = {}

    def keeps(node: Node) -> bool:
        meta: AutogradMeta | None = node.autograd
        if meta is None or not meta.tracked or node.op is detach:
            return node.serial >= _kept_from  # a leaf is where gradients end
        consumed = meta.consumed
        if consumed is None:
            return True
        if consumed not in awaited:
            awaited[consumed] = consumed.awaited_outside(covered)
        return awaited[consumed]

    return keeps


def plain(value: Any) -> Any:
    """Attributes as built-in types: a recorded shape may be the frontend's kind of tuple."""
    return tuple([plain(item) for item in value]) if isinstance(value, tuple) else value


def _leaf_copy(node: Node, op: Any, attrs: tuple[Any, ...]) -> Node:
    leaf = leaf_node(op, attrs, tensor_type(node.shape, node.dtype, node.device))
    leaf.origin = node.origin
    return leaf


def _stored_instead_of(node: Node) -> Node:
    """Views are never stored for their own sake; what they look at is, but nothing inside a checkpoint."""
    source, through_view = node, False
    while source.value is None and source.op.is_alias and source.op is not checkpoint:
        through_view = through_view or source.op.is_view
        source = source.inputs[0]
    return source if through_view else node


def _covered(roots: list[Node]) -> tuple[list[Node], dict[Node, int], set[Node]]:
    """The nodes of a realization, their positions, and the realized ones among them whose history a gradient needs."""
    order, index = _pending_order(roots)
    history: set[Node] = set()
    known = 0
    while True:
        outputs = [node.inputs[0] for node in order if node.op is grad and node.value is None]
        if len(outputs) == known or not any([node.value is not None and node.inputs for node in order]):
            return order, index, history
        known = len(outputs)
        history = _history(outputs)  # other gradients may lie in it
        order, index = _pending_order(roots, history)


def _history(outputs: Sequence[Node]) -> set[Node]:
    """Realized nodes through whose inputs gradients of ``outputs`` flow."""
    history: set[Node] = set()
    seen, stack = {*outputs}, [*outputs]
    while stack:
        node = stack.pop()
        inputs = node.inputs
        if node.value is not None and inputs:
            history.add(node)
            if not is_tracked(node):
                continue
        if node.op is detach:
            continue  # gradients end here, and what lies below may have been overwritten
        for source in gradient_path(node) if node.op.kind is Kind.CALLBACK else inputs:
            if source not in seen:
                seen.add(source)
                stack.append(source)
    return history


def _pending_order(roots: list[Node], history: AbstractSet[Node] = frozenset()) -> tuple[list[Node], dict[Node, int]]:
    """As `topological_order` down to realized values that are not in ``history``; and the positions in it.

    Every realization walks it, so it is written without calls.
    """
    order: list[Node] = []
    index: dict[Node, int] = {}  # of a node that waits for its inputs, -1
    waiting: list[Node] = []
    stack: list[Node | None] = roots[::-1]  # type: ignore[assignment]
    while stack:
        node = stack.pop()
        if node is None:
            node = waiting.pop()
        elif node in index:
            continue
        elif node.inputs and (node.value is None or node in history):
            index[node] = -1
            waiting.append(node)
            stack.append(None)
            stack += node.inputs[::-1]
            continue
        index[node] = len(order)
        order.append(node)
    return order, index
