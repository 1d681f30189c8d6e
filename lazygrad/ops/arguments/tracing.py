"""Functions that record the same nodes for operands of the same types: their Python runs once for each.

A layer's function checks its arguments, promotes dtypes and puts several nodes together, and all of that comes out
the same in every step of a training. `traced` keeps what a call recorded and makes the nodes of later calls from it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

from lazygrad.autograd_meta import CONTENTS, TRACKED, TRACKED_CONTENTS, Call, call_of, is_tracked, tracked_result
from lazygrad.grad_mode import _mode as gradients
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, TensorType, next_serial, typed_node
from lazygrad.ir.op import Op
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ops.arguments.elsewhere import DECORATED, FAILED, answered_elsewhere
from lazygrad.ops.arguments.settings import settings
from lazygrad.pending import bound, counts
from lazygrad.runtime.listening import listening
from lazygrad.snapshots import as_of_now, is_read_at_once
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import from_node

Function = TypeVar("Function", bound=Callable[..., Any])

# Of which kinds the arguments are that can be part of a key, beside tensors and tuples.
_OPTIONS = frozenset({int, float, bool, str, complex, type(None), DType, Device})
_SIGNED_ZEROS = (float, complex)
_MOST_TRACES = 512  # of one function; forgotten together when there are more
_MOST_COMPARED = 32  # operands among which equal ones are looked for; calls of more have a trace if none are equal


_Group = Callable[[list[Any]], Any]


class _Step(NamedTuple):
    """One node of a trace: ``sources`` are positions among the operands and the nodes before."""

    op: Op
    sources: tuple[int, ...]
    attrs: tuple[Any, ...]
    type: TensorType
    tracked: bool
    call: Call | None


class _Checking:
    """Whether each use of a trace also runs the function, to see that it records the same; tests switch it on."""

    enabled = False


checking = _Checking()


class Trace:
    """What a call recorded.

    Attributes:
        numbers: nodes of numbers that the function keeps itself, so that all calls share them.
        steps: its nodes, each after its sources. Positions count the operands, then ``numbers``, then these.
        results: positions of what it returned; None is position −1.
        group: what makes the returned object of several tensors; None where it returned one tensor.
    """

    __slots__ = ("_calls", "group", "numbers", "results", "steps")

    def __init__(
        self, numbers: list[Node], steps: Sequence[_Step], results: Sequence[int], group: _Group | None
    ) -> None:
        self.numbers, self.steps, self.results, self.group = numbers, tuple(steps), tuple(results), group
        self._calls = [
            (op, _picker(sources), attrs, type, tracked_result(call) if call else TRACKED if tracked else None)
            for op, sources, attrs, type, tracked, call in steps
        ]

    def __eq__(self, other: object) -> bool:
        mine = (self.steps, self.results, self.group)
        return isinstance(other, Trace) and mine == (other.steps, other.results, other.group)

    __hash__ = None  # type: ignore[assignment]

    def record(self, nodes: list[Node]) -> Any:
        """The results for operands ``nodes``, a list that is added to."""
        origin = capture(2)
        if self.numbers:
            nodes += self.numbers
        for op, pick, attrs, type, autograd in self._calls:
            inputs = tuple(pick(nodes))
            node = typed_node(op, inputs, attrs, type, origin if inputs else None, autograd)
            nodes.append(node)
        if node.serial > counts.serial_at:
            bound(node)
        if self.group is None:
            return from_node(nodes[self.results[0]])
        return self.group([None if position < 0 else from_node(nodes[position]) for position in self.results])


def _picker(positions: Sequence[int]) -> Callable[[Sequence[Node]], Sequence[Node]]:
    """What picks the nodes at some positions out of a list, without a call of Python code for each node."""
    if len(positions) > 1:
        return itemgetter(*positions)
    return itemgetter(slice(positions[0], positions[0] + 1) if positions else slice(0))


_NO_TRACE = Trace([], (), (), None)


def traced(function: Function) -> Function:
    """``function``, whose recorded nodes are kept for calls with operands of the same types and the same options.

    What it records may depend on nothing but the operands' types, whether gradients flow to them, the other arguments
    and the settings of `lazygrad.ops.arguments.settings`; it writes to nothing, draws no random numbers, and returns
    tensors that it made. Calls with other arguments, under a transform, or of tensors that are large where outside code
    sees them or that were made in an inference mode that has ended run it.

    Args:
        function: takes tensors, numbers, strings, dtypes, devices, None, and tuples and lists of these; returns a
            tensor, or a tuple, possibly a named one, of tensors and None.
    """
    traces: dict[tuple[Any, ...], Trace | None] = {}

    @functools.wraps(function)
    def variant(*args: Any, **kwargs: Any) -> Any:
        try:
            now = settings()
            if listening.listener is not None or not now.are_plain:
                return function(*args, **kwargs)
            nodes: list[Node] = []
            key: list[Any] = [now, len(args)]
            if not _described(args, key, nodes):
                return function(*args, **kwargs)
            if kwargs:
                key += kwargs
                if not _described(kwargs.values(), key, nodes):
                    return function(*args, **kwargs)
            if 1 < len(nodes) <= _MOST_COMPARED and len(set(nodes)) < len(nodes):
                key += map(nodes.index, nodes)  # which operands are the same: a trace knows operands by their position
            found = tuple(key)
            trace = traces.get(found)
            if trace is None:
                return _untraced_call(function, args, kwargs, nodes, traces, found)
            if trace is _NO_TRACE:
                return function(*args, **kwargs)
            if checking.enabled:
                _check(function, args, kwargs, nodes, trace)
            return trace.record(nodes)
        except FAILED:
            return answered_elsewhere(DECORATED[function], args, kwargs)

    DECORATED[function] = variant
    return cast(Function, variant)


def _described(arguments: Iterable[Any], key: list[Any], nodes: list[Node]) -> bool:
    """Add what tells arguments from others to the key, and the tensors in them to the nodes, if that can be said.

    Equal keys must mean equal options: 1, 1.0 and True are equal, and so are 0.0 and −0.0. Most operations come by.
    """
    for argument in arguments:
        kind = type(argument)
        if kind in _OPTIONS:
            key.append(kind)
            key.append(repr(argument) if argument == 0 and kind in _SIGNED_ZEROS else argument)
        elif isinstance(argument, Tensor):
            tensor = argument
            node = tensor._storage.value if not (tensor._chain or tensor._detached) else tensor.node()
            meta = node.autograd
            if meta is TRACKED_CONTENTS:  # as most are
                key.append(TRACKED)
            elif meta is not CONTENTS and meta is not None:
                if meta.of_inference and not gradients.inference:
                    return False  # what may be recorded of it depends on more than its type
                if meta.seen is not None:
                    if is_read_at_once((node,)):
                        return False
                    node = as_of_now(node)  # as any operation would read it that the function records
                    if node.value is None:
                        return False  # computed from a snapshot: each reader makes such a node for itself
                    meta = node.autograd
                if meta is not None and meta.tracked:
                    key.append(TRACKED)
            nodes.append(node)
            key.append(node.type)
        elif kind is tuple or kind is list:
            key += (kind, len(argument))
            if not _described(argument, key, nodes):
                return False
        else:
            return False
    return True


def _untraced_call(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    nodes: list[Node],
    traces: dict[tuple[Any, ...], Trace | None],
    key: tuple[Any, ...],
) -> Any:
    """The function's result; from the second such call on ``traces`` has a trace of it, empty where there is none.

    The first leaves None there: it may have made numbers that the function keeps for all calls.
    """
    since = next_serial()
    result = function(*args, **kwargs)
    if key in traces:
        if len(nodes) <= _MOST_COMPARED or len(set(nodes)) == len(nodes):  # otherwise left to a later call
            traces[key] = trace_of(result, nodes, since) or _NO_TRACE
    else:
        if len(traces) >= _MOST_TRACES:
            traces.clear()
        traces[key] = None
    return result


def trace_of(result: Any, nodes: Sequence[Node], since: int) -> Trace | None:
    """How ``result`` was made from the operands ``nodes`` by nodes with greater serials than ``since``, if it was."""
    given = set(nodes)
    tensors = [part for part in (result if isinstance(result, tuple) else (result,)) if part is not None]
    if not tensors or not all(_is_new(tensor, since) for tensor in tensors):
        return None
    order = topological_order([tensor.node() for tensor in tensors], lambda node: () if node in given else node.inputs)
    new = [node for node in order if node not in given]
    numbers = [node for node in new if node.serial <= since]
    if any(node.op not in (constant, scalar) for node in numbers) or any(node.value is not None for node in new):
        return None  # a value, or a node of another call
    made = [node for node in new if node.serial > since]
    read = {source for node in made for source in node.inputs}.union([tensor.node() for tensor in tensors])
    if any(node not in read and node.op is not scalar for node in given) or any(_holds_tensor(n.attrs) for n in made):
        return None  # an operand was asked for its numbers, which other calls have others of
    positions = {node: position for position, node in enumerate([*nodes, *numbers, *made])}
    steps = [
        _Step(
            node.op,
            tuple([positions[source] for source in node.inputs]),
            node.attrs,
            node.type,
            is_tracked(node),
            _call_within(node, count),
        )
        for count, node in enumerate(made, 1)
    ]
    group: _Group | None = None
    if isinstance(result, tuple):
        group = getattr(type(result), "_make", tuple)  # named tuples take their fields one by one
    parts = (result,) if group is None else result
    return Trace(numbers, steps, [-1 if part is None else positions[part.node()] for part in parts], group)


def _call_within(node: Node, count: int) -> Call | None:
    """The function whose result ``node`` is; it is the last of ``count`` nodes that the trace makes."""
    call = call_of(node)
    return None if call is None else call._replace(nodes=min(call.nodes, count))


def _holds_tensor(attrs: Iterable[Any]) -> bool:
    return any(isinstance(value, Tensor) or (type(value) is tuple and _holds_tensor(value)) for value in attrs)


def _is_new(tensor: Any, since: int) -> bool:
    if type(tensor) is not Tensor or tensor._chain or tensor._detached:
        return False
    return tensor.node().serial > since


def _check(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], nodes: list[Node], trace: Trace
) -> None:
    since = next_serial()
    anew = trace_of(function(*args, **kwargs), nodes, since)
    if anew != trace:
        raise AssertionError(f"{function.__name__} records something else than it did before, from equal arguments")
