"""What a tensor names: elements of a storage, seen through views, and the node of what they are at the moment."""

from __future__ import annotations

from typing import Any

from lazygrad.autograd_meta import (
    CONTENTS,
    INFERENCE_CONTENTS,
    TRACKED,
    TRACKED_CONTENTS,
    detached,
    is_tracked,
    look_through,
)
from lazygrad.cut import Cut
from lazygrad.direct_access import copied_elements, is_plain_memory
from lazygrad.grad_mode import _mode, inference
from lazygrad.inference_tensors import only_of_inference
from lazygrad.ir.alias import Step, dtype_through, is_movement, keeps_memory, view_through
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node, inferred_types, make_node, serials, tensor_type, typed_node
from lazygrad.ir.op import Op
from lazygrad.ir.origin import Origin, capture
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.leaf import detach
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View
from lazygrad.levels import levels
from lazygrad.pending import bound, counts
from lazygrad.runtime.listening import listening
from lazygrad.runtime.realize import look_at_realized
from lazygrad.runtime.single_value import realize_one
from lazygrad.size import Size
from lazygrad.snapshots import as_of_now, compute_at_once, is_read_at_once
from lazygrad.storage import Storage, storage_of

# A slice of a computed tensor is a value of its own rather than part of the program, so that the next batch's offset
# does not make another plan: memory is shared where the slice is contiguous, up to this many elements are copied.
_SMALL_SLICE = 1 << 16


class TensorBase:
    """What `lazygrad.Tensor` keeps: functions are attached to that class, so it is one of Python; this may be C's."""

    __slots__ = (
        "_base",
        "_chain",
        "_detached",
        "_grad",
        "_node",
        "_node_version",
        "_origin",
        "_storage",
        "_unseen",
        "_view",
    )

    _storage: Storage
    _chain: tuple[Step, ...]  # steps from the storage's contents to this tensor
    _base: Any  # the tensor this one is a view of
    _detached: bool | Cut  # does not read the storage's gradient: detach(), .data, views made under no_grad
    _unseen: bool  # made by .data: writes do not count as versions
    _grad: Any
    _node: Node | None  # what `node` returned at version `_node_version`; None while nothing was recorded of a view
    _node_version: int
    _origin: Origin | None  # the line that made a view without a node, which then only names elements
    _view: View | None  # what `view_of_storage` returned

    # The node.

    def node(self) -> Node:
        """The graph node of this tensor's current value."""
        storage = self._storage
        if not self._chain and not self._detached:
            return storage.value
        if self._node is None or self._node_version != storage.version:
            return self._new_node()
        return self._node

    def _new_node(self) -> Node:
        storage = self._storage
        if self._has_own_gradient():
            return self._node_of_cut()
        node = storage.value
        # A view without a node saw contents without gradient. They can only have got one since by `requires_grad_`.
        is_first = self._node is None and self._node_version == storage.version
        if is_tracked(node) and (self._detached or is_first):
            node = detached(node)
        elif not self._chain:
            self._node = None
            return node
        origin = self._origin or capture()
        self._node = self._copied(node, origin) or self._looking_through(node, origin, is_first)
        self._node_version = storage.version
        return self._node

    def _has_own_gradient(self) -> bool:
        """Whether a gradient was written to what `detach` cut off, of which this is an alias."""
        cut = self._detached
        return type(cut) is Cut and cut.own is not None

    def _node_of_cut(self) -> Node:
        cut, storage = self._detached, self._storage
        assert isinstance(cut, Cut)
        contents = cut.contents(storage)
        self._node = self._looking_through(contents, self._origin or capture(), False) if self._chain else contents
        self._node_version = storage.version
        return self._node

    def _copied(self, contents: Node, origin: Origin) -> Node | None:
        if self._view is None or not (is_plain_memory(contents, False) and keeps_memory(self._chain)):
            return None
        return copied_elements(contents, self._view, tensor_type(self._view.shape, self.dtype), origin)

    def _looking_through(self, node: Node, origin: Origin, is_first: bool) -> Node:
        takes_values = is_first and listening.listener is None and not levels.active
        for op, attrs in self._chain:
            source = node
            node = make_node(op, (source,), attrs, origin)
            look_through(node, source)
            if takes_values and op is movement.slice_:
                look_at_realized(node, copy_at_most=_SMALL_SLICE)
        return node

    @property
    def shape(self) -> Size:
        return Size(self._sizes())

    def _sizes(self) -> Shape:
        """The shape as a plain tuple."""
        if self._view is not None:
            return self._view.shape
        if self._node is not None:
            return self._node.type.shape
        return self.view_of_storage().shape if self._chain else self._storage.value.type.shape

    @property
    def dtype(self) -> DType:
        dtype = self._storage.value.type.dtype
        return dtype_through(self._chain, dtype) if self._chain else dtype

    @property
    def device(self) -> Device:
        return self._storage.value.type.device

    @property
    def ndim(self) -> int:
        return len(self._sizes())

    # Views.

    def view_of_storage(self) -> View:
        """Which elements of the storage this tensor names."""
        if not self._chain:
            return View.contiguous(self._storage.value.type.shape)
        if self._view is None:
            self._view = view_through(self._chain, self._storage.value.type)
        return self._view

    def alias(self, detached: bool | Cut) -> Any:
        """The same storage under the same view; ``detached`` cuts it off from gradients, with others of a `Cut`."""
        made = new_tensor(kinds.plain, self._storage, self._chain, self._base, detached)
        made._view = self._view
        return made

    def moved(self, op: Op, attrs: tuple[Any, ...]) -> Any:
        """A view through one step; a copy where a reshape cannot be a view."""
        if op is movement.reshape and self._chain and not self._can_view(attrs[0]):
            return record(op, (self.node(),), attrs)
        if op is movement.slice_:
            self._realize_write()
        is_part = op is movement.slice_ or (op is movement.reshape and (not self._chain or self._node is None))
        if is_part and self._storage.value.value is not None and self._is_read_from_memory():
            result = self._without_node(((op, attrs),), capture())
            if op is movement.slice_:
                result._view = self.view_of_storage().slice(*attrs)
            return result
        return self.recorded_view(((op, attrs),))

    def recorded_view(self, steps: tuple[Step, ...]) -> Any:
        """A view through steps of which each has a node, and of which none needs a copy."""
        storage, base, node, origin = self._storage, self._base, self.node(), capture(2)
        is_detached = self._detached if _mode.enabled else True
        result = new_tensor(kinds.plain, storage, self._chain + steps, self if base is None else base, is_detached)
        result._unseen = self._unseen
        if is_detached is True and is_tracked(node):
            node = detached(node)
        for op, attrs in steps:
            source = node
            type = inferred_types.get((op, attrs, source.type))
            if type is None:
                node = make_node(op, (source,), attrs, origin)
            else:  # as nearly always: written here without the call
                node = typed_node(op, (source,), attrs, type, origin, None)
            known = source.autograd
            if known is not None and known is not CONTENTS:
                look_through(node, source)
            if op is movement.slice_ and not is_tracked(node) and listening.listener is None:
                look_at_realized(node, copy_at_most=_SMALL_SLICE)
        result._node, result._node_version = node, storage.version
        return result

    def _realize_write(self) -> None:
        """Compute what a write to a part makes of the contents: to read it is then one small program wherever it is."""
        storage = self._storage
        if storage.value.value is None and storage.awaits_write() and listening.listener is None:
            realize_one(storage.value)

    def _is_read_from_memory(self) -> bool:
        """Whether a view made now needs no node before an operation reads it."""
        if self._has_own_gradient() and _mode.enabled:
            return False
        only_names = not self._chain or self._origin is not None or all(map(is_movement, self._chain))
        return only_names and is_plain_memory(self._storage.value, bool(self._detached) or not _mode.enabled)

    def _without_node(self, steps: tuple[Step, ...], origin: Origin) -> Any:
        storage, base = self._storage, self._base
        is_detached = self._detached if _mode.enabled else True
        result = new_tensor(kinds.plain, storage, self._chain + steps, self if base is None else base, is_detached)
        result._unseen, result._node_version, result._origin = self._unseen, storage.version, origin
        return result

    def _can_view(self, shape: Shape) -> bool:
        if [size for size in self._sizes() if size != 1] == [size for size in shape if size != 1]:
            return True  # only sizes of 1 come or go
        return self.view_of_storage().reshape(shape) is not None

    def relay(self, storage: Storage, chain: tuple[Step, ...]) -> None:
        """Name other elements from now on."""
        self._storage, self._chain = storage, chain
        self._node, self._node_version, self._view, self._origin = None, -1, None, None


class _Kinds:
    """Classes that are made here and defined above.

    Attributes:
        plain: `lazygrad.Tensor`.
    """

    __slots__ = ("plain",)

    plain: type[Any]


kinds = _Kinds()


_allocated = TensorBase.__new__


def new_tensor(cls: type[Any], storage: Storage, chain: tuple[Step, ...], base: Any, detached: bool | Cut) -> Any:
    """A tensor of the class ``cls``, made without the call of it: every recorded operation comes by."""
    tensor = _allocated(cls)
    tensor._storage = storage
    tensor._chain = chain
    tensor._base = base
    tensor._detached = detached
    tensor._grad = None
    tensor._node = None
    tensor._node_version = -1
    tensor._origin = None
    tensor._view = None
    tensor._unseen = False
    return tensor


def from_node(node: Node) -> Any:
    """A tensor with a storage of its own, holding ``node``."""
    known = node.autograd
    if not inference.used and (known is None or known is TRACKED):  # as of most results: without a call
        node.autograd = CONTENTS if known is None else TRACKED_CONTENTS
        return _around(node)
    return new_tensor(kinds.plain, storage_of(node), (), None, False)


def _around(node: Node) -> Any:
    """A tensor with a storage of its own around a node of which autograd knows that it is one's contents.

    Every recorded operation comes by: it is `storage_around` and `new_tensor` in one call.
    """
    storage = Storage.__new__(Storage)
    storage.value = node
    storage.version = 0
    storage.unseen_writes = 0
    storage.leaf = None
    storage.is_left = False
    tensor = _allocated(kinds.plain)
    tensor._storage = storage
    tensor._chain = ()
    tensor._base = None
    tensor._detached = False
    tensor._grad = None
    tensor._node = None
    tensor._node_version = -1
    tensor._origin = None
    tensor._view = None
    tensor._unseen = False
    return tensor


def record(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...] = ()) -> Any:
    """Record one operation and return its result: the path every function of `lazygrad.ops` takes.

    Args:
        inputs: nodes; that of a tensor is ``x.node()``.
        attrs: values, in the order of ``op.attr_names``.
    """
    # A call takes about as long as what these functions do. So what nearly all operations need of `record_node`,
    # `make_node` and `storage_of` is said here again.
    is_differentiated = False
    for source in inputs:
        meta = source.autograd
        if meta is not None and meta.concerns_readers:
            if meta.seen is not None:
                return _recorded(op, inputs, attrs)
            is_differentiated = is_differentiated or meta.tracked
    count = len(inputs)
    if count == 1:
        key: tuple[Any, ...] = (op, attrs, inputs[0].type)
    elif count == 2:
        key = (op, attrs, inputs[0].type, inputs[1].type)
    else:
        key = (op, attrs, *[source.type for source in inputs])
    type = inferred_types.get(key)
    if type is None:
        return _recorded(op, inputs, attrs)
    is_differentiated = is_differentiated and type.dtype.differentiable
    is_cut_off = is_differentiated and not _mode.enabled
    if is_differentiated and not is_cut_off:
        if inference.used or _mode.save_for_backward is not None:
            return _recorded(op, inputs, attrs)
        known = TRACKED_CONTENTS
    else:
        known = INFERENCE_CONTENTS if inference.used and _mode.inference else CONTENTS
    node = Node.__new__(Node)
    node.op = op
    node.inputs = inputs
    node.attrs = attrs
    node.type = type
    node.origin = capture()
    node.value = None
    node.autograd = known
    node.serial = next(serials)
    if is_cut_off:
        node.autograd = None
        node = typed_node(detach, (node,), (), type, node.origin, known)
    tensor = _around(node)
    if node.serial > counts.serial_at:
        bound(node)
    return tensor


def _recorded(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...]) -> Any:
    """`record`, whatever there is to be seen to."""
    node = record_node(op, inputs, attrs)
    result = from_node(node)
    if node.serial > counts.serial_at:
        bound(node)
    return result


def record_node(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...] = ()) -> Node:
    """One recorded node, with its provenance, and cut off from gradients where these are switched off."""
    is_differentiated = False
    for source in inputs:
        meta = source.autograd
        if meta is not None and meta.concerns_readers:
            if meta.seen is not None and listening.listener is None:
                return _recorded_as_of_now(op, inputs, attrs)
            is_differentiated = is_differentiated or meta.tracked
    node = make_node(op, inputs, attrs, capture())
    if not is_differentiated or not node.type.dtype.differentiable:
        return node
    if _mode.enabled and not (inference.used and only_of_inference(node)):
        node.autograd = TRACKED
        if node.inputs is not inputs:
            _track_copies(node, inputs)
        if _mode.save_for_backward is not None:
            _mode.save_for_backward(node)
        return node
    return make_node(detach, (node,), (), node.origin)


def _recorded_as_of_now(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...]) -> Node:
    """`record_node` where outside code may write to the memory of some inputs."""
    if is_read_at_once(inputs):
        node = make_node(op, inputs, attrs, capture())
        compute_at_once(node)
        return node
    return record_node(op, tuple([as_of_now(source) for source in inputs]), attrs)


def _track_copies(node: Node, inputs: tuple[Node, ...]) -> None:
    """Numbers of the CPU have joined a node on another device; their gradients flow through the copies."""
    for copy, source in zip(node.inputs, inputs, strict=True):
        if copy is not source and is_tracked(source):
            copy.autograd = TRACKED
