"""Tensor: a storage, a view of it, and autograd's flags. Methods named after operations come from `lazygrad.ops`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self
from weakref import ref

import numpy as np

from lazygrad.autograd_meta import is_tracked, leaf_of, new_leaf, own_meta
from lazygrad.cut import Cut
from lazygrad.direct_access import forget_unread_node, is_plain_memory, writable_memory
from lazygrad.exposure import expose, land_writes
from lazygrad.grad_mode import _mode, no_grad
from lazygrad.host.buffer import Buffer, DeviceBuffer, buffer_of, host_view, on_host
from lazygrad.host.dtypes import from_numpy as dtype_from_numpy
from lazygrad.host.dtypes import to_numpy as dtype_to_numpy
from lazygrad.host.elements import elements
from lazygrad.inference_tensors import FLAGGED_OUTSIDE, NO_VERSION, of_normal
from lazygrad.ir.alias import Step, keeps_memory
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, Scalar, can_cast
from lazygrad.ir.node import Node, make_node, tensor_type, typed_node
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import buffer, detach, mark_detached
from lazygrad.ir.user_warning import warn_user
from lazygrad.ir.view import View
from lazygrad.levels import forbid
from lazygrad.retained_gradients import retains
from lazygrad.runtime.listening import listening
from lazygrad.runtime.realize import realize
from lazygrad.runtime.recording import Recording, forward_mode_is_open, name_leaves_with
from lazygrad.runtime.seen_memory import SeenMemory
from lazygrad.runtime.single_value import realize_one
from lazygrad.snapshots import as_of_now
from lazygrad.storage import Storage, storage_of, take_pending_writes
from lazygrad.tensor_base import TensorBase, from_node, kinds, new_tensor
from lazygrad.torch_function import has_override, of_subclass
from lazygrad.writing import contents_after_write, require_distinct_elements, value_after_write

if TYPE_CHECKING:
    from lazygrad.passes.stepping import RecordedGraph
    from lazygrad.tensor_methods import AttachedMethods as _AttachedMethods
else:
    _AttachedMethods = object  # `lazygrad.ops` attaches the methods that the type checker is told about


class Tensor(TensorBase, _AttachedMethods):
    """An n-dimensional array whose value is computed when it is needed.

    Build one with `lazygrad.tensor`, `lazygrad.zeros` and friends; called itself, the class makes one of the default
    dtype, from sizes given as ints, from a sequence or from another tensor. Arithmetic records; ``realize()``,
    ``numpy()``, ``item()``, ``print`` and ``if`` compute.
    """

    __slots__ = ("__dict__", "__weakref__", "_name")
    __hash__ = object.__hash__
    __array_priority__ = 1000  # numpy operators defer to ours

    _name: str  # of a parameter in the module that registered it; not in `__dict__`, which is the program's

    if TYPE_CHECKING:  # `lazygrad.ops` attaches the constructor, since it makes tensors in ways this layer cannot

        def __new__(cls, *data: Any, device: Any = None) -> Self:
            """A tensor of the default dtype: of sizes given as ints, or with the contents of a sequence or tensor."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if has_override(cls):
            import_module("lazygrad.overrides.placing").prepare(cls)

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run a function that was given tensors of this class; tensors in its result become ones of this class.

        A derived class that overrides it sees the functions its tensors are given to, and calls this one by
        ``super()`` to run them.

        Args:
            func: a function, a method, or ``Tensor.shape.__get__`` and the like for attributes.
            types: the classes among the arguments that are asked.
            args, kwargs: the arguments.

        Returns:
            NotImplemented where an argument is of a class that this one is not derived from.
        """
        return of_subclass(cls, func, types, args, kwargs)

    # Construction inside the package.

    from_node = staticmethod(from_node)

    @staticmethod
    def from_storage(
        storage: Storage, chain: tuple[Step, ...] = (), base: Tensor | None = None, detached: bool | Cut = False
    ) -> Tensor:
        """A tensor that looks at a storage through steps; see `lazygrad.ir.alias`."""
        return new_tensor(Tensor, storage, chain, base, detached)

    @staticmethod
    def from_array(array: np.ndarray, device: Device, shared: bool) -> Tensor:
        """A tensor over a row-major numpy array; ``shared`` when code outside may see or change that memory."""
        type = tensor_type(array.shape, dtype_from_numpy(array.dtype), device)
        node = typed_node(buffer, (), (None,), type, capture(), None)
        tensor: Tensor = from_node(node)
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
        if has_override(cls):  # functions ask nobody before there is a tensor of such a class
            import_module("lazygrad.overrides.placing").ask_before_calls()
        if data._chain or data._detached or is_tracked(data._storage.value):
            data = Tensor.from_node(as_of_now(data.detach().node()))
        leaf = new_tensor(cls, data._storage, (), None, False)
        data._detached = True
        if requires_grad:
            leaf._set_requires_grad(True)
        return leaf

    # The value.

    def realize(self) -> Self:
        """Compute this tensor's value now, together with everything in its graph that a live tensor holds."""
        node = self._storage.value
        if node.value is None:
            realize_one(node)
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
        contents = self._storage.value
        if contents.value is None:
            realize_one(contents)
        value = contents.value
        if isinstance(value, DeviceBuffer):
            return self._copied_to_host()
        return self._seen_in(host_view(value)) if self._chain else host_view(value)

    def only_element(self) -> Any:
        """The one element, which the caller knows that this tensor has, as numpy makes it a number of Python."""
        contents, view = self._storage.value, self._view
        if listening.listener is None and (not self._chain or (view is not None and self._origin is not None)):
            if contents.value is None:
                realize_one(contents)
            value = contents.value
            if type(value) is Buffer:
                return host_view(value).item(0 if view is None else view.offset)
        return self.array().item()

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
        storage, cut = self._storage, self._detached
        if type(cut) is Cut and _mode.enabled and (is_tracked(value) or cut.own is not None):
            cut.require_writable()
            own = value_after_write(storage, self._chain, cut.contents(storage), value, name)
            storage.write(contents_after_write(storage, (), True, own, name), not self._unseen, since)
            cut.keep(own, storage)  # these aliases have the gradient, not what they were cut off from
        else:
            storage.write(self._contents_after(value, name), not self._unseen, since)
        if self._chain:
            self._node = None  # what it was before, nobody asks for any more
        land_writes()
        return self

    def write_directly(
        self,
        view: View,
        values: Tensor | Scalar | np.ndarray,
        index: tuple[Any, ...] = (),
        accumulate: bool = False,
    ) -> bool:
        """Replace some elements in the memory they lie in, if nobody can need the old ones.

        Args:
            view: which elements of the storage, some of those that this tensor names.
            values: computed, of the shape of ``view`` or 0-dim, cast to this tensor's dtype; or a number of the dtype;
                or, with an ``index``, an array of the dtype.
            index: which elements of the view, as numpy understands it; if it refuses that, nothing is done.
            accumulate: add to those elements, one after another, instead.

        Returns:
            Whether that was possible.
        """
        source = values.array() if isinstance(values, Tensor) else values
        target = self.memory_to_write(view)
        if target is None:
            return False
        dtype = target.dtype
        if type(source) is np.ndarray and source.dtype is not dtype:
            with np.errstate(all="ignore"):  # an infinity of what has no room is no news
                source = source.astype(dtype)
        if index:
            try:
                if accumulate:
                    np.add.at(target, index, source)
                else:
                    target[index] = source
            except (IndexError, TypeError, ValueError):
                return False
        else:
            target[...] = source
        self.count_direct_write()
        return True

    def memory_to_write(self, view: View | None = None) -> np.ndarray | None:
        """Elements in the memory they lie in, to be replaced now; None where somebody may need the old ones.

        Args:
            view: which elements of the storage, some of those that this tensor names; by default all of these.
        """
        chain = self._chain
        if chain and not keeps_memory(chain):
            return None
        if self._has_own_gradient():
            return None
        if chain and self._node is not None:
            forget_unread_node(self)
        memory = writable_memory(self._storage, bool(self._detached) or not _mode.enabled)
        if memory is None or (view is None and not chain):
            return memory
        if view is None:
            view = self.view_of_storage()
        return None if view.overlaps else elements(memory, view, dtype_to_numpy(self.dtype))

    def count_direct_write(self) -> None:
        """Say that what `memory_to_write` told of was written to."""
        storage = self._storage
        storage.version += 1
        if self._unseen:
            storage.unseen_writes += 1

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
        return contents_after_write(self._storage, self._chain, bool(self._detached), value, name)

    # Autograd flags.

    @property
    def requires_grad(self) -> bool:
        if self._chain:
            storage = self._storage
            is_old = self._node is None or self._node_version != storage.version
            if not is_tracked(storage.value) and is_old and not self._has_own_gradient():
                return False  # nor has a node that would be made now
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
            self._storage = storage_of(make_node(detach, (as_of_now(self.node()),), (), capture()))
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
        """The accumulated gradient, after ``backward``; None before. A result has one only after `retain_grad`."""
        found = self._grad
        if found is None and not self.is_leaf and not retains(self):
            warn_user(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                "won't be populated during backward(): call retain_grad() on it before, or ask its leaf"
            )
        return found

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
            if value._sizes() != self._sizes():
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                    f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def detach(self) -> Tensor:
        """The same data, cut off from gradients and from tangents of forward mode."""
        return self._cut_off()

    def _cut_off(self) -> Tensor:
        alias = self.alias(detached=Cut())
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
                storage = storage_of(
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


kinds.plain = Tensor


def leaf_tensor(node: Node) -> Tensor | None:
    """The living leaf tensor a node is the value of, now or before a later update."""
    leaf: Tensor | None = leaf_of(node)
    return leaf


def _name_of_leaf(node: Node) -> str | None:
    leaf = leaf_tensor(node)
    return getattr(leaf, "_name", None)


name_leaves_with(_name_of_leaf)


def _restore(storage: Storage, version: int, value: ref[Node]) -> None:
    node = value()
    if storage.version != version and node is not None and node.value is not None:
        storage.value = node
        own_meta(node).superseded = 0
        storage.version += 1


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
