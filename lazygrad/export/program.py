"""What a function or a module does with its arguments, as a graph without anything else around it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazygrad.grad_mode import no_grad
from lazygrad.host.buffer import on_host
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node, TensorType, tensor_type
from lazygrad.ir.primitives.leaf import buffer, leaf_node, placeholder, scalar
from lazygrad.levels import Level, Writable, running
from lazygrad.nn.core.module import Module
from lazygrad.pytree import Structure, flatten
from lazygrad.runtime.realize import realize
from lazygrad.runtime.recording import plain
from lazygrad.tensor import Tensor


class ExportError(RuntimeError):
    """A function does what a file cannot repeat; the message says what, and what to do."""


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor that is given at each call."""

    name: str
    type: TensorType


@dataclass(frozen=True, slots=True)
class Program:
    """What a function does.

    Attributes:
        name: of the function, or of the module's class.
        graph: its roots are the tensors that are returned. Slots of buffers count the inputs and then the constants.
        inputs: the tensors among the arguments.
        constants: the values that the function reads beside them, by name; those of a module as in its ``state_dict``.
        scalars: the numbers that have slots of their own.
        structure: what is returned. Its leaves are ``results``.
        results: numbers of roots, and ``None`` where something else than a tensor is returned.
        others: what is returned where ``results`` has ``None``.
    """

    name: str
    graph: Graph
    inputs: tuple[Input, ...]
    constants: dict[str, np.ndarray]
    scalars: tuple[float, ...]
    structure: Structure
    results: tuple[int | None, ...]
    others: tuple[Any, ...]


def recorded(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    open_axes: Mapping[str, int] | None = None,
    size: int | None = None,
) -> Program:
    """Run ``function`` on stand-ins for the tensors among its arguments. A module is in evaluation mode meanwhile.

    Args:
        function: a function, or a module.
        args, kwargs: its arguments; of tensors, in nested containers too, only shapes and dtypes matter.
        open_axes: by name of an input, the dimension that gets another ``size``.
        size: of these dimensions.

    Raises:
        ExportError: what the function does depends on values, on random numbers, or changes tensors that last; it
            returns no tensor; an input that is named is not there.
    """
    leaves, structure = flatten((tuple(args), dict(kwargs)))
    paths = _paths(function, args, kwargs)
    level = _ExportLevel()
    inputs: dict[Node, Input] = {}
    for i, (name, leaf) in enumerate(zip(paths, leaves, strict=True)):
        if isinstance(leaf, Tensor):
            shape = _resized(name, leaf.shape, (open_axes or {}).get(name), size)
            node = leaf_node(placeholder, (), tensor_type(shape, leaf.dtype, leaf.device))
            inputs[node] = Input(name, node.type)
            leaves[i] = Tensor.from_node(node)
    unknown = set(open_axes or {}) - {each.name for each in inputs.values()}
    if unknown:
        raise ExportError(f"there is no input {sorted(unknown)[0]!r}; inputs: {_listed(inputs.values())}")
    own_args, own_kwargs = structure.unflatten(leaves)
    with _evaluating(function), no_grad(), running(level):
        outputs, kind = flatten(function(*own_args, **own_kwargs))
        roots = [output.node() for output in outputs if isinstance(output, Tensor)]
    if not roots:
        raise ExportError("the function returns no tensor")
    realize(_captured(roots, level.first))
    places = iter(range(len(roots)))
    results = tuple([next(places) if isinstance(output, Tensor) else None for output in outputs])
    graph, constants, scalars = _program(roots, {node: each.name for node, each in inputs.items()}, _names(function))
    name = type(function).__name__ if isinstance(function, Module) else getattr(function, "__name__", "function")
    others = tuple([None if isinstance(output, Tensor) else output for output in outputs])
    return Program(name, graph, tuple(inputs.values()), constants, scalars, kind, results, others)


class _ExportLevel(Level):
    """Refuses what would happen once, when the file is written, instead of at each call."""

    def check_random(self) -> None:
        raise ExportError(
            "random numbers are drawn, which would be the same ones at each call: draw them outside and pass them, or "
            "leave out what draws them, as modules do in evaluation mode"
        )

    def check_write(self, storage: Writable, value: Node) -> None:
        if self.captures(storage):
            raise ExportError(
                "a tensor that was there before the call is written to, such as a running statistic or a cache: pass "
                "it as an argument and return what it becomes"
            )


@contextmanager
def _evaluating(function: Callable[..., Any]) -> Iterator[None]:
    modules = list(function.modules()) if isinstance(function, Module) else []
    training = [module.training for module in modules]
    if isinstance(function, Module):
        function.eval()
    try:
        yield
    finally:
        for module, mode in zip(modules, training, strict=True):
            module.training = mode


def _paths(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
    """A name for each leaf of the arguments: that of the parameter, and where it lies in a container."""
    called = function.forward if isinstance(function, Module) else function
    try:
        positional = inspect.signature(called).bind_partial(*args).arguments
    except (
        TypeError,
        ValueError,
    ):  # it has no signature that can be read, or refuses these arguments when it is called
        positional = {f"input{i}": arg for i, arg in enumerate(args)}
    return [path for name, value in [*positional.items(), *kwargs.items()] for path in _within(name, value)]


def _within(name: str, value: Any) -> list[str]:
    if flatten(value)[1].kind is None:
        return [name]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return [path for key, item in items for path in _within(f"{name}_{key}", item)]


def _resized(name: str, shape: tuple[int, ...], axis: int | None, size: int | None) -> tuple[int, ...]:
    if axis is None or size is None:
        return tuple(shape)
    if not -len(shape) <= axis < len(shape):
        raise ExportError(f"input {name!r} has {len(shape)} dimensions, and none with number {axis}")
    axis %= len(shape)
    return (*shape[:axis], size, *shape[axis + 1 :])


def _listed(inputs: Any) -> str:
    return ", ".join([each.name for each in inputs]) or "none"


def _names(function: Callable[..., Any]) -> dict[Node, str]:
    """The nodes that a module's parameters and buffers hold, as its ``state_dict`` calls them."""
    if not isinstance(function, Module):
        return {}
    members = [*function.named_parameters(), *function.named_buffers()]
    return {tensor.node(): name for name, tensor in reversed(members)}  # of several names the first


def _captured(roots: Sequence[Node], first: int) -> list[Node]:
    """What the function reads of values that were recorded before it ran and are not computed yet."""
    is_older = {node: node.serial < first and bool(node.inputs) for node in topological_order(roots, _pending_inputs)}
    read = [source for node, older in is_older.items() if not older for source in _pending_inputs(node)]
    return [node for node in dict.fromkeys([*read, *roots]) if is_older[node] and node.value is None]


def _pending_inputs(node: Node) -> tuple[Node, ...]:
    return node.inputs if node.value is None else ()


def _program(
    roots: Sequence[Node], inputs: Mapping[Node, str], names: Mapping[Node, str]
) -> tuple[Graph, dict[str, np.ndarray], tuple[float, ...]]:
    """The nodes below ``roots`` as pure data, with slots for inputs, computed values and runtime numbers."""
    copies = {node: leaf_node(buffer, (slot,), node.type) for slot, node in enumerate(inputs)}
    constants: dict[str, np.ndarray] = {}
    scalars: list[float] = []
    called = {copies[node]: name for node, name in inputs.items()}
    for node in topological_order(roots, _pending_inputs):
        if node in copies:
            continue
        if node.value is not None:
            name = _unused(names.get(node) or f"constant_{len(constants)}", constants)
            copy = leaf_node(buffer, (len(inputs) + len(constants),), node.type)
            constants[name] = on_host(node.value, node.type)
            called[copy] = name
        elif node.op is scalar:
            copy = leaf_node(scalar, (node.attrs[0], len(scalars)), node.type)
            scalars.append(node.attrs[0])
        else:
            sources = tuple([copies[source] for source in node.inputs])
            copy = Node(node.op, sources, plain(node.attrs), node.type)
        copy.origin = node.origin
        copies[node] = copy
    return Graph([copies[root] for root in roots], called), constants, tuple(scalars)


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    while name in taken:
        name += "_"
    return name
