"""Checkpointing: a part of the forward pass is computed once more for its gradient, instead of being kept.

The part is one `checkpoint` node in the graph, whose pullback repeats the recorded computation (see
`lazygrad.autodiff.rules_checkpoint`). The Python function runs once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any

from lazygrad.autograd.callbacks import callbacks_among
from lazygrad.autograd_meta import is_leaf, is_of_inference, is_tracked, mark_tracked
from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.dtype import int64
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, next_serial
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.leaf import checkpoint as checkpoint_op
from lazygrad.ir.primitives.leaf import scalar
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn.core.containers import Sequential
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node
from lazygrad.utils._joined import Joined
from lazygrad.utils._repeating import (
    check_backward_validity,
    detach_variable,
    get_device_states,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
    set_device_states,
)

__all__ = [
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


def noop_context_fn() -> Contexts:
    """The default of `checkpoint`'s ``context_fn``: two contexts that do nothing."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, whose intermediate values are not kept for the gradient but computed again.

    The graph repeats the computation, not the function: Python side effects happen once, and random numbers are the
    same both times whatever ``preserve_rng_state`` says. A function that calls custom functions or registers hooks
    is not repeated; its values are right and its intermediates kept.

    So a batch normalization in training counts a batch once, where PyTorch counts it once more in ``backward``, with
    either ``use_reentrant``: there ``num_batches_tracked`` is 2 after a step, and the running statistics have moved
    twice. To repeat these writes would need Python code at each ``backward``, which then could not be one program.

    Args:
        function: returns a tensor, or a tuple or list of tensors and other values.
        args, kwargs: its arguments.
        use_reentrant: PyTorch's choice between two implementations; True accepts no ``kwargs``.
        preserve_rng_state: accepted as PyTorch does.
        context_fn: returns two contexts; ``function`` runs in the first one.
        determinism_check: "default" or "none", which are one: the repetition is the same by construction.
        debug, early_stop: accepted as PyTorch does.

    Raises:
        ValueError: ``kwargs``, ``context_fn`` or ``debug`` with ``use_reentrant=True``; another ``determinism_check``.
    """
    if use_reentrant is None:
        warn_user(
            "lazygrad.utils.checkpoint: the use_reentrant parameter should be passed explicitly. use_reentrant=False "
            "is recommended.",
        )
        use_reentrant = True
    if use_reentrant and kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    if use_reentrant and (context_fn is not noop_context_fn or debug):
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    if not use_reentrant and determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of 'default' and 'none', but got {determinism_check!r}")
    if use_reentrant and not any(tensor.requires_grad for tensor in _tensors(args)):
        warn_user("None of the inputs have requires_grad=True. Gradients will be None")
    forward, _ = context_fn()
    given = [tensor.node() for tensor in _tensors((*args, *kwargs.values()))]
    start = next_serial()
    with forward:
        output = function(*args, **kwargs)
    if not is_grad_enabled():
        return output
    return _Region(start, given, _tensors((output,))).replaced(output)


def _tensors(values: Iterable[Any]) -> list[Tensor]:
    """The tensors in nested tuples, lists and dictionaries."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, dict):
            found += _tensors(value.values())
        elif isinstance(value, (tuple, list)):
            found += _tensors(value)
    return found


class _Region:
    """What a function recorded, between what it read and what it returned.

    Args:
        start: a serial before all of its nodes.
        given: the arguments' nodes.
        outputs: the tensors it returned.
    """

    def __init__(self, start: int, given: list[Node], outputs: list[Tensor]) -> None:
        self.start = start
        self.outputs = [output for output in outputs if output.requires_grad and output.node().serial > start]
        order = topological_order([output.node() for output in self.outputs], self._inputs)
        self.inside = [node for node in order if self._inputs(node)]
        self.delayed, self.others = self._boundary(order, set(given))

    def _inputs(self, node: Node) -> tuple[Node, ...]:
        return node.inputs if node.serial > self.start and node.value is None else ()

    def _boundary(self, order: list[Node], given: set[Node]) -> tuple[list[Node], list[Node]]:
        """What the region reads: first what it has to read anew, then what is stored anyway.

        Random numbers depend on integer scalars alone, so these are read anew.
        """
        outside = [node for node in order if not self._inputs(node)]
        delayed = [node for node in outside if _is_computed(node, given) or (node.op is scalar and node.dtype is int64)]
        others = [node for node in outside if node not in set(delayed) and is_tracked(node)]
        return delayed, others

    def replaced(self, output: Any) -> Any:
        """The function's output with its tensors as results of the checkpoint."""
        if not self.inside or callbacks_among(self.inside):
            return output
        repeated = self._repeated()
        new: dict[int, Tensor] = {}
        for dtype in dict.fromkeys(tensor.dtype for tensor in self.outputs):
            tensors = [tensor for tensor in self.outputs if tensor.dtype is dtype]
            first_new = next_serial()
            joined = Joined([repeated[tensor.node()] for tensor in tensors])
            whole = record_node(checkpoint_op, (joined.node, *self.delayed, *self.others), (len(self.delayed),))
            results = joined.parted(whole)
            mark_tracked(results, first_new)
            new |= {id(tensor): Tensor.from_node(node) for tensor, node in zip(tensors, results, strict=True)}
        return _mapped(output, new)

    def _repeated(self) -> dict[Node, Node]:
        """Per node of the region, one like it that is for the checkpoint alone and that no gradient is asked of.

        A tensor that the function put aside may be read, and then its node forgets how it was computed.
        """
        copies: dict[Node, Node] = {}
        for node in self.inside:
            inputs = tuple([copies.get(source, source) for source in node.inputs])
            copies[node] = Node(node.op, inputs, node.attrs, node.type)
            copies[node].origin = node.origin
        return copies


def _is_computed(node: Node, given: set[Node]) -> bool:
    """Whether a value that comes from outside is an activation, as opposed to a parameter or a number."""
    is_parameter = is_leaf(node) or is_of_inference(node)
    return node in given or (not is_parameter and node.op.kind is not Kind.LEAF and bool(node.inputs))


def _mapped(value: Any, new: dict[int, Tensor]) -> Any:
    if isinstance(value, Tensor):
        return new.get(id(value), value)
    if isinstance(value, dict):
        return type(value)({key: _mapped(item, new) for key, item in value.items()})
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_mapped(item, new) for item in value])
    if isinstance(value, (tuple, list)):
        return type(value)([_mapped(item, new) for item in value])
    return value


def checkpoint_sequential(
    functions: Sequential | Sequence[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Functions one after another, in ``segments`` parts of which all but the last are `checkpoint` nodes.

    Args:
        functions: a Sequential or a list of functions, each called with the result of the one before.
        segments: how many parts; at most the number of functions.
        input: of the first function.
        use_reentrant, preserve_rng_state: see `checkpoint`.

    Raises:
        ValueError: other keyword arguments; more segments than functions.
    """
    if use_reentrant is None:
        warn_user(
            "lazygrad.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is recommended.",
        )
        use_reentrant = True
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children()) if isinstance(functions, Sequential) else list(functions)
    length = len(steps) // segments
    if length == 0:
        raise ValueError(f"checkpoint_sequential: {len(steps)} functions cannot be parted into {segments} segments")
    starts = [length * i for i in range(segments)]
    for start, end in pairwise(starts):
        input = checkpoint(
            _in_sequence(steps[start:end]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state
        )
    return _in_sequence(steps[starts[-1] :])(input)


def _in_sequence(steps: Sequence[Callable[..., Any]]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return run
