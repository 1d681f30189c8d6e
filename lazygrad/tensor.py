"""Tensor: a storage, a view of it, and autograd's flags. Methods named after operations come from `lazygrad.ops`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Self
from weakref import ref

import numpy as np

from lazygrad.autograd_meta import TRACKED, detached, is_tracked, leaf_of, look_through, new_leaf, own_meta
from lazygrad.direct_access import copied_elements, is_plain_memory, writable_memory
from lazygrad.exposure import expose, land_writes
from lazygrad.grad_mode import _mode, inference, no_grad
from lazygrad.host.buffer import Buffer, DeviceBuffer, buffer_of, host_view, on_host
from lazygrad.host.dtypes import from_numpy as dtype_from_numpy
from lazygrad.host.dtypes import to_numpy as dtype_to_numpy
from lazygrad.host.elements import elements
from lazygrad.inference_tensors import FLAGGED_OUTSIDE, NO_VERSION, of_normal, only_of_inference
from lazygrad.ir.alias import Step, dtype_through, is_movement, keeps_memory, view_through
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, Scalar, can_cast
from lazygrad.ir.node import Node, make_node, tensor_type
from lazygrad.ir.op import Op
from lazygrad.ir.origin import Origin, capture
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.leaf import buffer, detach, leaf_node, mark_detached
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View
from lazygrad.levels import forbid, levels
from lazygrad.pending import bound, counts
from lazygrad.runtime.listening import listening
from lazygrad.runtime.realize import look_at_realized, realize
from lazygrad.runtime.recording import Recording, forward_mode_is_open, name_leaves_with
from lazygrad.runtime.seen_memory import SeenMemory
from lazygrad.size import Size
from lazygrad.snapshots import as_of_now, compute_at_once, is_read_at_once
from lazygrad.storage import Storage, take_pending_writes
from lazygrad.writing import contents_after_write, require_distinct_elements

if TYPE_CHECKING:
    from lazygrad.passes.stepping import RecordedGraph
    from lazygrad.tensor_methods import AttachedMethods as _AttachedMethods
else:
    _AttachedMethods = object  # `lazygrad.ops` attaches the methods that the type checker is told about

# A slice of a computed tensor is a value of its own rather than part of the program, so that the next batch's offset
# does not make another plan: memory is shared where the slice is contiguous, up to this many elements are copied.
_SMALL_SLICE = 1 << 16


class Tensor(_AttachedMethods):
    """An n-dimensional array whose value is computed when it is needed.

    Build one with `lazygrad.tensor`, `lazygrad.zeros` and friends; called itself, the class makes one of the default
    dtype, from sizes given as ints, from a sequence or from another tensor. Arithmetic records; ``realize()``,
    ``numpy()``, ``item()``, ``print`` and ``if`` compute.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
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
    __hash__ = object.__hash__
    __array_priority__ = 1000  # numpy operators defer to ours

    _storage: Storage
    _chain: tuple[Step, ...]  # steps from the storage's contents to this tensor
    _base: Tensor | None  # the tensor this one is a view of
    _detached: bool  # reads without gradient: detach(), .data, views made under no_grad
    _unseen: bool  # made by .data: writes do not count as versions
    _grad: Tensor | None
    _node: Node | None  # what `node` returned at version `_node_version`; None while nothing was recorded of a view
    _node_version: int
    _origin: Origin | None  # the line that made a view without a node, which then only names elements
    _view: View | None  # what `view_of_storage` returned

    if TYPE_CHECKING:  # `lazygrad.ops` attaches the constructor, since it makes tensors in ways this layer cannot

        def __new__(cls, *data: Any, device: Any = None) -> Self:
            """A tensor of the default dtype: of sizes given as ints, or with the contents of a sequence or tensor."""

    # Construction inside the package.

    @staticmethod
    def from_node(node: Node) -> Tensor:
        """A tensor with a storage of its own, holding ``node``."""
        return _new_tensor(Tensor, Storage.of(node), (), None, False)

    @staticmethod
    def from_storage(
        storage: Storage, chain: tuple[Step, ...] = (), base: Tensor | None = None, detached: bool = False
    ) -> Tensor:
        """A tensor that looks at a storage through steps; see `lazygrad.ir.alias`."""
        return _new_tensor(Tensor, storage, chain, base, detached)

    @staticmethod
    def from_array(array: np.ndarray, device: Device, shared: bool) -> Tensor:
        """A tensor over a row-major numpy array; ``shared`` when code outside may see or change that memory."""
        node = leaf_node(buffer, (None,), tensor_type(array.shape, dtype_from_numpy(array.dtype), device))
        node.origin = capture()
        tensor = Tensor.from_node(node)
        if shared:
            memory = SeenMemory.of_array(array)
            memory.owner = ref(tensor._storage)
            memory.lay(node)
        else:
            node.value = buffer_of(array, device)
        return tensor

    @staticmethod
    def _make_leaf_subclass(cls: type[Tensor], data: Tensor, requires_grad: bool) -> Any:
        """A ``cls`` that takes over ``data``'s storage as a leaf; ``data`` becomes an alias without gradient."""
        if data._chain or data._detached or is_tracked(data._storage.value):
            data = Tensor.from_node(as_of_now(data.detach().node()))
        leaf = _new_tensor(cls, data._storage, (), None, False)
        data._detached = True
        if requires_grad:
            leaf._set_requires_grad(True)
        return leaf

    def alias(self, detached: bool) -> Tensor:
        """The same storage under the same view; ``detached`` cuts it off from gradients."""
        made: Tensor = _new_tensor(Tensor, self._storage, self._chain, self._base, detached)
        made._view = self._view
        return made

    # The value.

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

    def _copied(self, contents: Node, origin: Origin) -> Node | None:
        if self._view is None or not is_plain_memory(contents, False):
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

    def realize(self) -> Self:
        """Compute this tensor's value now, together with everything in its graph that a live tensor holds."""
        realize([self._storage.value])
        return self

    def graph(self) -> RecordedGraph:
        """What was recorded to compute this tensor; prints in the text form. Of a realized tensor: one buffer."""
        from lazygrad.passes.stepping import RecordedGraph  # passes load with the first program that needs them

        recorded = Recording([self.node()]).program()
        return RecordedGraph(recorded.roots, recorded.names, recorded.watched, recorded.realized, recorded.nodes)

    def array(self) -> np.ndarray:
        """The computed value for reading, as a numpy view of this tensor's memory; of another device's, a copy.

        Raises:
            RuntimeError: the tensor is on the null device, which computes nothing.
        """
        if listening.listener is not None:
            listening.listener.on_read()
        if self._storage.value.value is None:
            realize([self._storage.value])
        value = self._storage.value.value
        if isinstance(value, DeviceBuffer):
            return self._copied_to_host()
        return self._seen_in(host_view(value))

    def only_element(self) -> Any:
        """The one element, which the caller knows that this tensor has, as numpy makes it a number of Python."""
        view, value = self._view, self._storage.value.value
        if view is None or self._origin is None or type(value) is not Buffer or listening.listener is not None:
            return self.array().item()
        return host_view(value).item(view.offset)

    def _copied_to_host(self) -> np.ndarray:
        node = self.node()
        realize([node])
        return on_host(node.value, node.type)

    def exposed_array(self, fixed: bool = False) -> np.ndarray:
        """The computed value as an array for code outside this package, in the memory that in-place writes land in.

        Args:
            fixed: whether that memory stays for good, or as long as an array over it lives.

        Raises:
            RuntimeError: the tensor is on the null device, which computes nothing.
        """
        array = self.array()
        if not keeps_memory(self._chain):
            return array
        return self._seen_in(expose(self._storage, fixed).exposed())

    def _seen_in(self, memory: np.ndarray) -> np.ndarray:
        if not self._chain:
            return memory
        if not keeps_memory(self._chain):
            node = self.node()
            realize([node])
            return host_view(node.value)
        return elements(memory, self.view_of_storage(), dtype_to_numpy(self.dtype))

    def view_of_storage(self) -> View:
        """Which elements of the storage this tensor names."""
        if not self._chain:
            return View.contiguous(self._storage.value.type.shape)
        if self._view is None:
            self._view = view_through(self._chain, self._storage.value.type)
        return self._view

    # Views.

    def moved(self, op: Op, attrs: tuple[Any, ...]) -> Tensor:
        """A view through one step; a copy where a reshape cannot be a view."""
        if op is movement.reshape and self._chain and not self._can_view(attrs[0]):
            return record(op, (self.node(),), attrs)
        if op is movement.slice_:
            self._realize_write()
        is_part = op is movement.slice_ or (op is movement.reshape and (not self._chain or self._node is None))
        if is_part and self._is_read_from_memory():
            result = self._without_node(((op, attrs),), capture())
            if op is movement.slice_:
                result._view = self.view_of_storage().slice(*attrs)
            return result
        return self.recorded_view(((op, attrs),))

    def recorded_view(self, steps: tuple[Step, ...]) -> Tensor:
        """A view through steps of which each has a node, and of which none needs a copy."""
        result, node, origin = self._through(steps), self.node(), capture()
        if result._detached and is_tracked(node):
            node = detached(node)
        for op, attrs in steps:
            source = node
            node = make_node(op, (source,), attrs, origin)
            look_through(node, source)
            if op is movement.slice_ and not is_tracked(node) and listening.listener is None:
                look_at_realized(node, copy_at_most=_SMALL_SLICE)
        result._node, result._node_version = node, self._storage.version
        return result

    def _realize_write(self) -> None:
        """Compute what a write to a part makes of the contents: to read it is then one small program wherever it is."""
        storage = self._storage
        if storage.value.value is None and storage.awaits_write() and listening.listener is None:
            realize([storage.value])

    def _is_read_from_memory(self) -> bool:
        """Whether a view made now needs no node before an operation reads it."""
        only_names = not self._chain or self._origin is not None or all(map(is_movement, self._chain))
        return only_names and is_plain_memory(self._storage.value, self._detached or not _mode.enabled)

    def _without_node(self, steps: tuple[Step, ...], origin: Origin) -> Tensor:
        result = self._through(steps)
        result._node_version, result._origin = self._storage.version, origin
        return result

    def _through(self, steps: tuple[Step, ...]) -> Tensor:
        storage, is_detached = self._storage, self._detached or not _mode.enabled
        base = self._base if self._base is not None else self
        result: Tensor = _new_tensor(Tensor, storage, self._chain + steps, base, is_detached)
        result._unseen = self._unseen
        return result

    def _can_view(self, shape: Shape) -> bool:
        if [size for size in self._sizes() if size != 1] == [size for size in shape if size != 1]:
            return True  # only sizes of 1 come or go
        return self.view_of_storage().reshape(shape) is not None

    def relay(self, storage: Storage, chain: tuple[Step, ...]) -> None:
        """Name other elements from now on."""
        self._storage, self._chain = storage, chain
        self._node, self._node_version, self._view, self._origin = None, -1, None, None

    # Writing.

    def assign(self, value: Node, name: str = "copy_", since: int | None = None) -> Tensor:
        """Replace this tensor's elements by ``value``, which has its shape and dtype; all aliases see it.

        Args:
            value: the new elements.
            name: of the function that writes, for errors.
            since: a serial below those of the nodes that this function recorded; by default it recorded none that
                reads the old elements for a gradient.

        Raises:
            RuntimeError: a leaf that requires gradients (or a view of one) is written while gradients are
                recorded; several elements of an expanded view share one place.
        """
        self._storage.write(self._contents_after(value, name), not self._unseen, since)
        if self._detached and is_tracked(value) and not self._chain:
            self._node, self._node_version = value, self._storage.version  # this alias has the gradient, not its base
        land_writes()
        return self

    def write_directly(self, view: View, values: Tensor | Scalar) -> bool:
        """Replace some elements in the memory they lie in, if nobody can need the old ones.

        Args:
            view: which elements of the storage, some of those that this tensor names.
            values: computed, of the shape of ``view`` or 0-dim, cast to this tensor's dtype; or a number of the dtype.

        Returns:
            Whether that was possible.
        """
        if view.overlaps or not keeps_memory(self._chain):
            return False
        source = values.array() if isinstance(values, Tensor) else values
        storage = self._storage
        memory = writable_memory(storage)
        if memory is None:
            return False
        dtype = dtype_to_numpy(self.dtype)
        if isinstance(source, np.ndarray) and source.dtype is not dtype:
            with np.errstate(all="ignore"):  # an infinity of what has no room is no news
                source = source.astype(dtype)
        elements(memory, view, dtype)[...] = source
        storage.version += 1
        if self._unseen:
            storage.unseen_writes += 1
        return True

    def holds_plain_memory(self, without_gradient: bool) -> bool:
        """Whether this tensor's elements are computed, and reading them needs no node; see `is_plain_memory`."""
        if not without_gradient and self.requires_grad:
            return False
        return is_plain_memory(self._storage.value, True) and keeps_memory(self._chain)

    def require_distinct_elements(self, name: str) -> None:
        """Raises RuntimeError for a view that names an element twice: the function ``name`` cannot write to it."""
        require_distinct_elements(self._storage, self._chain, name)

    def remember(self) -> Callable[[], None]:
        """A function that undoes later in-place updates, while the present contents can still be had.

        It does not keep them alive: their memory may be reused by the updates.
        """
        storage = self._storage
        return partial(_restore, storage, storage.version, ref(storage.value))

    def _replace_value(self, value: Tensor) -> None:
        """Take over ``value``'s contents, which the caller computes right away, as an optimizer's step does."""
        self._storage.replace(self._contents_after(value.node(), "copy_"), not self._unseen)

    def _contents_after(self, value: Node, name: str) -> Node:
        return contents_after_write(self._storage, self._chain, self._detached, value, name)

    # Autograd flags.

    @property
    def requires_grad(self) -> bool:
        if self._chain and self._node is None and not is_tracked(self._storage.value):
            return False
        return is_tracked(self.node())

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Make this leaf record gradients, or stop it.

        Raises:
            RuntimeError: not a floating dtype; switching off a tensor that was computed from others; inside a
                function that is being transformed.
        """
        forbid(
            "requires_grad_() called inside a function that a transform of lazygrad.func runs: use the transforms "
            "themselves there (grad, vjp, jacrev, jacfwd, hessian), or call it outside"
        )
        return self._set_requires_grad(requires_grad)

    def _set_requires_grad(self, requires_grad: bool) -> Self:
        if requires_grad == self.requires_grad:
            return self
        if not self.is_leaf:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                "variable in a subgraph that doesn't require differentiation use var.detach()"
            )
        if requires_grad and not self.dtype.differentiable:
            raise RuntimeError(f"only Tensors of floating point dtype can require gradients, not {self.dtype.name}")
        if requires_grad and self._storage.is_inference and not _mode.inference:
            raise RuntimeError(FLAGGED_OUTSIDE)
        if self._chain or self._detached:
            self._storage = Storage.of(make_node(detach, (as_of_now(self.node()),), (), capture()))
            self._chain, self._base, self._detached = (), None, False
        storage = self._storage
        if requires_grad:
            storage.leaf = ref(self)
            storage.hold(new_leaf(storage.value, storage.leaf))
        else:
            storage.leaf = None
            storage.hold(mark_detached(storage.value))
        return self

    @property
    def is_leaf(self) -> bool:
        """True when no gradient is needed, or when this tensor was made by the user rather than by an operation."""
        if not self.requires_grad:
            return True
        leaf = self._storage.leaf
        return leaf is not None and leaf() is self

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, after ``backward``; None before."""
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got {type(value).__name__}")
            if value.dtype is not self.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{value.dtype.name}' to a tensor with dtype "
                    f"'{self.dtype.name}'. Please ensure that the gradient and the tensor have the same "
                    f"dtype"
                )
            if value.shape != self.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                    f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
        self._grad = value

    def detach(self) -> Tensor:
        """The same data, cut off from gradients and from tangents of forward mode."""
        return self._cut_off()

    def _cut_off(self) -> Tensor:
        alias = self.alias(detached=True)
        if forward_mode_is_open():  # which follows nodes that no gradient flows through as well
            alias._node, alias._node_version = make_node(detach, (self.node(),), (), capture()), self._storage.version
        return alias

    def detach_(self) -> Self:
        """Cut this tensor off from the graph that made it."""
        if self._chain:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        self._storage.leaf = None
        self._storage.hold(mark_detached(self._storage.value))
        return self

    @property
    def data(self) -> Tensor:
        """The same data without gradient; writing to it is unseen by autograd."""
        alias = self._cut_off()
        alias._unseen = True
        return alias

    @data.setter
    def data(self, value: Tensor) -> None:
        is_leaf = self._storage.leaf is not None and self._storage.leaf() is self
        storage = value._storage
        owner = storage.leaf() if storage.leaf is not None else None
        is_taken = owner is not None and owner is not self and owner._storage is storage
        if value._chain or is_taken or storage.is_inference or (is_tracked(storage.value) and owner is None):
            with no_grad():
                storage = Storage.of(
                    of_normal(as_of_now(value.detach().node()))
                )  # a part, or what others own, is copied
        elif is_leaf and value is not self:
            value._detached = True  # the contents are this leaf's; the other tensor sees them without gradient
        if is_leaf and (storage.leaf is None or storage.leaf() is not self):
            storage.leaf = ref(self)
            storage.hold(new_leaf(storage.value, storage.leaf))
            storage.version += 1
            storage.unseen_writes += 1
        if storage is not self._storage:
            self._storage.leave(self)
            storage.is_left = False
        self._base = None
        self.relay(storage, ())

    @property
    def _version(self) -> int:
        if self._storage.is_inference:
            raise RuntimeError(NO_VERSION)
        return self._storage.version - self._storage.unseen_writes

    def _is_view(self) -> bool:
        return self._base is not None


_allocated = object.__new__


def _new_tensor(cls: type[Any], storage: Storage, chain: tuple[Step, ...], base: Tensor | None, detached: bool) -> Any:
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


def leaf_tensor(node: Node) -> Tensor | None:
    """The living leaf tensor a node is the value of, now or before a later update."""
    leaf: Tensor | None = leaf_of(node)
    return leaf


def _name_of_leaf(node: Node) -> str | None:
    leaf = leaf_tensor(node)
    return leaf.__dict__.get("_name") if leaf is not None else None


name_leaves_with(_name_of_leaf)


def _restore(storage: Storage, version: int, value: ref[Node]) -> None:
    node = value()
    if storage.version != version and node is not None and node.value is not None:
        storage.value = node
        own_meta(node).superseded = 0
        storage.version += 1


def record(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...] = ()) -> Tensor:
    """Record one operation and return its result: the path every function of `lazygrad.ops` takes.

    Args:
        inputs: nodes; that of a tensor is ``x.node()``.
        attrs: values, in the order of ``op.attr_names``.
    """
    node = record_node(op, inputs, attrs)
    result = Tensor.from_node(node)
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


def check_castable(result: DType, target: DType, name: str) -> None:
    """In-place results must be storable.

    Raises:
        RuntimeError: a result of a higher category (float into integer, number into bool).
    """
    if not can_cast(result, target):
        raise RuntimeError(
            f"{name}: result type {result.scalar_type} can't be cast to the desired output type {target.scalar_type}"
        )


def realize_all(tensors: Iterable[Tensor]) -> None:
    """Compute several tensors with one plan, and with them the in-place updates that are still pending.

    Raises:
        IndexError, RuntimeError, ValueError: what the data of an operand is refused with. What is wrong with an update
            that nobody asked for is raised when that is read.
    """
    asked = [tensor._storage.value for tensor in tensors]
    updates = take_pending_writes()
    try:
        realize([*asked, *updates])
    except (IndexError, RuntimeError, ValueError):
        if not updates:
            raise
        realize(asked)
    land_writes()
