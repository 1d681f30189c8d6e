"""One call of a custom function in the graph: a joint node that all inputs feed and all outputs depend on.

The outputs' gradients reach the joint node last, so ``backward`` runs once, with all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from weakref import ref

from lazygrad.autograd.callbacks import callbacks_at, new_callbacks_at, set_custom_pullback
from lazygrad.autograd_meta import is_tracked, track
from lazygrad.cut import Cut
from lazygrad.ir.alias import keeps_memory
from lazygrad.ir.build import cast, zeros_like
from lazygrad.ir.dtype import float32
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import custom_function, custom_output, detach, structural_number
from lazygrad.levels import Level, levels, running
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor

Slots = list[Node | None]


def is_in_graph(arg: Any) -> bool:
    """Whether an argument of a custom function is a tensor that gradients may flow to.

    A sparse tensor has no node of its own: it is a constant, or refused where its gradient is wanted.
    """
    return isinstance(arg, Tensor) and (not arg.is_sparse or arg.requires_grad)


class Application:
    """One call.

    Attributes:
        function: the class with the user's static methods.
        ctx: what its forward left for the derivatives.
        tensors: per argument, whether it is a tensor of the graph.
        inputs: the tensors' nodes.
        vmapped: whether the outputs were computed by the function's own rule for all examples of a `vmap`.
        tracked: whether gradients flow through it; in forward mode, tangents may do so alone.
        types: per output a node of its type, or None for what is no tensor.
    """

    def __init__(
        self,
        function: Any,
        ctx: Any,
        args: Sequence[Any],
        inputs: tuple[Node, ...],
        vmapped: bool = False,
        tracked: bool = True,
    ) -> None:
        self.function, self.ctx, self.inputs, self.vmapped, self.tracked = function, ctx, inputs, vmapped, tracked
        self.tensors = [is_in_graph(arg) for arg in args]
        self.types: Slots = []
        self._arrived: dict[int, Node] = {}
        self._joint: ref[Node] | None = None

    @property
    def joint(self) -> Node:
        """The node all inputs feed; outputs keep it alive, not this object, which it refers to."""
        node = self._joint() if self._joint is not None else None
        if node is None:
            node = make_node(custom_function, self.inputs, (), capture())
            track(node, self.tracked)
            set_custom_pullback(node, self._run_backward)
            new_callbacks_at(node).application = self
            self._joint = ref(node)
        return node

    def output(self, position: int, value: Node) -> Node:
        """``value`` as an output whose gradient goes through ``backward``."""
        node = make_node(custom_output, (value, self.joint), (), capture())
        track(node, self.tracked)
        new_callbacks_at(node).position = position
        set_custom_pullback(node, lambda gradient, *_: self._arrive(position, gradient))
        return node

    def _arrive(self, position: int, gradient: Node) -> tuple[Node | None, ...]:
        self._arrived[position] = gradient
        return None, structural_number(1.0, float32)

    def _run_backward(self, _: Node, joint: Node, *inputs: Node) -> tuple[Node | None, ...]:
        arrived, self._arrived = self._arrived, {}
        return self.gradients_of_inputs(arrived)

    def gradients_of_inputs(self, arrived: Mapping[int, Node]) -> tuple[Node | None, ...]:
        """What ``backward`` returns for the tensors among the arguments, given the gradients of some outputs.

        Each has the dtype of its argument, whatever ``backward`` computed it in.

        Raises:
            RuntimeError: ``backward`` returns a wrong number of them or something else, a complex gradient of a real
                number, or one of integers of a complex number.
        """
        returned = self.pull_back([arrived.get(i) for i in range(len(self.types))])
        parts = [part for part, is_tensor in zip(returned, self.tensors, strict=True) if is_tensor]
        return tuple([self._in_dtype_of(source, part) for source, part in zip(self.inputs, parts, strict=True)])

    def _in_dtype_of(self, source: Node, part: Node | None) -> Node | None:
        if part is None or not source.dtype.differentiable or part.dtype is source.dtype:
            return part
        if not part.dtype.is_floating_point and part.dtype.is_complex is not source.dtype.is_complex:
            raise RuntimeError(
                f"function {self.function.__name__}Backward returned a gradient of {part.dtype} for an input of "
                f"{source.dtype}, which it cannot be cast to"
            )
        return cast(part, source.dtype)

    def pull_back(self, gradients: Slots) -> Slots:
        """The user's ``backward``: one gradient per argument.

        Raises:
            RuntimeError: it returns a wrong number of them, or something else.
        """
        given = [self._materialized(gradient, like) for gradient, like in zip(gradients, self.types, strict=True)]
        returned = self.function._pullback()(self.ctx, *given)
        returned = returned if isinstance(returned, tuple) else (returned,)
        name = f"{self.function.__name__}Backward"
        missing = len(self.tensors) - len(returned)
        if missing > 0 or any(part is not None for part in returned[len(self.tensors) :]):
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {len(self.tensors)}, got "
                f"{len(returned)})"
            )
        return [self._taken_back(part, name) for part in returned[: len(self.tensors)]]

    def jvp(self, tangents: Slots) -> Slots:
        """The user's ``jvp``: one tangent per output, given one per argument."""
        nodes = iter(self.inputs)
        likes = [next(nodes) if is_tensor else None for is_tensor in self.tensors]
        given = [self._materialized(tangent, like) for tangent, like in zip(tangents, likes, strict=True)]
        returned = self.function.jvp(self.ctx, *given)
        returned = returned if isinstance(returned, tuple) else (returned,)
        return [self._taken_back(part, f"{self.function.__name__}.jvp") for part in returned]

    def _materialized(self, node: Node | None, like: Node | None) -> Tensor | None:
        if node is None and (like is None or not self.ctx._materialize):
            return None
        return Tensor.from_node(node if node is not None else zeros_like(like))  # type: ignore[arg-type]

    def _taken_back(self, given: Any, name: str) -> Node | None:
        if given is None:
            return None
        if not isinstance(given, Tensor):
            raise RuntimeError(f"function {name} returned {type(given).__name__}; expected a Tensor or None")
        return given.node()


def application_at(joint: Node) -> Application:
    """The call that a custom_function node stands for."""
    callbacks = callbacks_at(joint)
    assert callbacks is not None
    application: Application = callbacks.application
    return application


def position_of(output: Node) -> int:
    """Which output of its function a custom_output node is."""
    callbacks = callbacks_at(output)
    assert callbacks is not None
    return callbacks.position


def applied_function(output: Node) -> Any:
    """The custom function that recorded ``output``, a custom_output node."""
    _, joint = output.inputs
    return application_at(joint).function


def record_outputs(application: Application, output: Any, args: Iterable[Any]) -> Any:
    """What the user's forward returned, recorded as results of the application.

    Args:
        application: the call.
        output: what forward returned.
        args: what it was given.

    Raises:
        RuntimeError: an input marked dirty is not returned, or is a leaf that requires gradients.
    """
    outputs = output if isinstance(output, tuple) else (output,)
    application.types = [item.node() if isinstance(item, Tensor) else None for item in outputs]
    for tensor in application.ctx._dirty:
        if not any(tensor is item for item in outputs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function."
            )
    given = [] if levels.active else [arg._storage for arg in args if is_in_graph(arg)]
    recorded = tuple(_recorded(application, i, item, given) for i, item in enumerate(outputs))
    return recorded if isinstance(output, tuple) else recorded[0]


def _recorded(application: Application, position: int, output: Any, given: list[Storage]) -> Any:
    if not isinstance(output, Tensor):
        return output
    value, ctx = output.node(), application.ctx
    if any(output is other for other in ctx._non_differentiable) or not value.dtype.differentiable:
        return Tensor.from_node(make_node(detach, (value,), (), value.origin)) if is_tracked(value) else output
    if not any(output is other for other in ctx._dirty):
        result = application.output(position, value)
        if any(output._storage is storage for storage in given):
            return _passed_on(application, position, output, result)
        return Tensor.from_node(result)
    if output.is_leaf and output.requires_grad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    return output.assign(application.output(position, _plain(value)), "mark_dirty")


def _passed_on(application: Application, position: int, output: Tensor, result: Node) -> Tensor:
    """``result`` in the memory of an argument, a view of which ``output`` is; in its own where it cannot lie there."""
    storage, chain = output._storage, output._chain
    if storage.is_inference or not keeps_memory(chain) or (chain and output.view_of_storage().overlaps):
        return Tensor.from_node(result)
    name, has_others = application.function.__name__, len(application.types) > 1
    base = output if output._base is None else output._base
    made = Tensor.from_storage(
        storage, chain, base, Cut.passed_on(storage, chain, result, (position, name, has_others))
    )
    made._node, made._node_version = result, storage.version
    return made


def _plain(value: Node) -> Node:
    return make_node(detach, (value,), (), value.origin) if is_tracked(value) else value


# Under vmap.


class _Batched(Application):
    """An application of whole stacks, whose derivatives run the user's code for one example."""

    def __init__(self, single: Application, level: Level, inputs: tuple[Node, ...]) -> None:
        super().__init__(single.function, single.ctx, (), inputs)
        self.single, self.level, self.tensors = single, level, single.tensors
        self.types = [None if like is None else level.whole([like])[0] for like in single.types]

    def pull_back(self, gradients: Slots) -> Slots:
        return self._for_each(self.single.pull_back, gradients)

    def jvp(self, tangents: Slots) -> Slots:
        mapped = iter([stack is not None for stack in self.level.stacks(self.single.inputs)])
        is_stack = [is_tensor and next(mapped) for is_tensor in self.tensors]
        return self._for_each(self.single.jvp, tangents, is_stack)

    def _for_each(
        self, function: Callable[[Slots], Slots], stacks: Slots, is_stack: Iterable[bool] | None = None
    ) -> Slots:
        mapped = is_stack or [True] * len(stacks)
        with running(self.level):
            examples = [
                self.level.one_of(stack) if stack is not None and one else stack
                for stack, one in zip(stacks, mapped, strict=True)
            ]
            results = function(examples)
        whole = iter(self.level.whole([node for node in results if node is not None]))
        return [None if node is None else next(whole) for node in results]


def batched_joint(joint: Node, level: Level, inputs: tuple[Node, ...]) -> Node | None:
    """The joint node of a generated rule; None where the function's own rule has computed all examples."""
    single = application_at(joint)
    return None if single.vmapped else _Batched(single, level, inputs).joint


def batched_output(output: Node, value: Node, joint: Node) -> Node:
    """An output of `batched_joint`."""
    return application_at(joint).output(position_of(output), value)


# In forward mode.


Pushed = dict[Node, Slots]
"""What the ``jvp`` of custom functions returned, per joint node."""


def pushforwards(nodes: Iterable[Node], pushed: Pushed) -> dict[Node, Callable[..., Node | None]]:
    """For custom functions among ``nodes``, what pushes tangents through them; a ``jvp`` runs once, since it may let go
    of what ``forward`` kept for it.

    Args:
        nodes: any nodes.
        pushed: what was returned before for the same tangents; what is returned now is added.
    """

    def through_joint(joint: Node, tangents: Any) -> Node:
        if joint in pushed:
            return structural_number(1.0, float32)
        application = application_at(joint)
        inputs = iter(joint.inputs)
        given = [tangents.get(next(inputs)) if is_tensor else None for is_tensor in application.tensors]
        pushed[joint] = application.jvp(given)
        return structural_number(1.0, float32)

    def through_output(output: Node, tangents: Any) -> Node | None:
        return pushed[output.inputs[1]][position_of(output)]

    found: dict[Node, Callable[..., Node | None]] = {}
    for node in nodes:
        if node.op is custom_function:
            found[node] = through_joint
        elif node.op is custom_output:
            found[node] = through_output
    return found
