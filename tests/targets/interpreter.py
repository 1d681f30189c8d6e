"""A target that interprets the kernel form, one instruction after another, on whole numpy arrays.

It is written against the public interface alone: `lazygrad.targets.base`, `lazygrad.targets.devices`, the forms that a
target is given, and the host's calls. `docs/add_a_target.md` follows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from lazygrad.codegen.kernel import Instruction, Kernel, Literal, Load, Operand, RuntimeScalar
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.host import numpy_support as support
from lazygrad.host.buffer import Buffer
from lazygrad.host.calls import calls
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import Category, bool_
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.view import View
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.memory.slots import Place
from lazygrad.passes.destinations import runs_elsewhere
from lazygrad.passes.views import view_of
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.realize import cache
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.devices import register_target, unregister_target
from lazygrad.targets.executable import Executable

# Ops that numpy calls by another name; it has all others by their own, or `numpy_support` has them.
_NAMES = {
    "neg": "negative", "abs": "absolute", "sub": "subtract", "mul": "multiply", "div": "divide", "round": "rint",
    "floor_div": "floor_divide", "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal", "conj": "conjugate", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "shift_left": "left_shift",
    "shift_right": "right_shift", "lgamma": "gammaln", "digamma": "psi",
}  # fmt: skip
_OWN: dict[str, Callable[..., None]] = {
    "pow": support.power, "sign": support.sign, "remainder": support.remainder, "complex": support.complex_of_parts,
    "trigamma": support.trigamma,
}  # fmt: skip
_REDUCTIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
_DIVISIONS = ("floor_div", "remainder", "fmod")


@dataclass(frozen=True)
class Listing:
    """The kernels and calls of a program as text; nothing reads it but people."""

    text: str


class Interpreter(Target[Listing]):
    """numpy, an instruction at a time."""

    name = "interpreter"
    suffix = ".txt"

    def overwriting(self, kernel: Kernel) -> MayOverwrite:
        return lambda store, load: True  # stores come after all else

    def render(self, program: LoweredProgram) -> Listing:
        kernels = iter(program.kernels)
        steps = [g.nodes[0].op.name if g.is_library else str(next(kernels).kernel) for g in program.schedule.steps]
        return Listing("\n".join(steps))

    def load(self, source: Listing, program: LoweredProgram) -> Interpretation:
        return Interpretation(program)


class Interpretation(Executable):
    """A program with its arena."""

    def __init__(self, program: LoweredProgram) -> None:
        self._schedule, self._memory, self._kernels = program.schedule, program.memory, program.kernels
        self._arena = np.empty(program.memory.arena_bytes, np.uint8)
        self.runs = 0

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        self.runs += 1
        arrays = self._arrays(inputs, outputs)
        kernels = iter(self._kernels)
        with np.errstate(all="ignore"):
            for group in self._schedule.steps:
                if group.is_library:
                    self._call(group.nodes[0], arrays, scalars)
                else:
                    _run_kernel(next(kernels), arrays, scalars)

    def _arrays(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> dict[Node, np.ndarray]:
        """Where the plan's stored values lie."""
        arrays: dict[Node, np.ndarray] = {}
        for node, slot in self._memory.slots.items():
            if slot.place is Place.ARENA:
                offset = self._memory.temporaries[slot.index].offset
                arrays[node] = np.ndarray(node.shape, to_numpy(node.dtype), self._arena, offset)
            else:
                array = (inputs if slot.place is Place.INPUT else outputs)[slot.index].array
                assert array is not None
                arrays[node] = array.reshape(node.shape)
        for node, destination in self._schedule.destinations.items():
            arrays[node] = _seen(arrays[destination.root], destination.view)
        return arrays

    def _call(self, node: Node, arrays: dict[Node, np.ndarray], scalars: Sequence[Any]) -> None:
        def operand(source: Node) -> Any:
            base, view = view_of(source)
            if base.op is constant:
                return base["value"]
            return scalars[base["slot"]] if base.op is scalar else _seen(arrays[base], view)

        out = arrays[node]
        if node.op is not concat:
            calls[node.op.name](out, *map(operand, node.inputs), **dict(node.named_attrs()))
            return
        for run in runs_elsewhere(node, self._schedule.destinations):
            piece = out[(slice(None),) * node["axis"] + (slice(run.start, run.stop),)]
            calls["concat"](piece, *map(operand, run.parts), axis=node["axis"])


def _seen(array: np.ndarray, view: View) -> np.ndarray:
    """A view of a row-major array."""
    return _strided(array, view.shape, view.strides, view.offset)


def _strided(array: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> np.ndarray:
    return as_strided(array.reshape(-1)[offset:], shape, [stride * array.itemsize for stride in strides])


def _run_kernel(lowered: LoweredKernel, arrays: dict[Node, np.ndarray], scalars: Sequence[Any]) -> None:
    kernel = lowered.kernel
    values: list[np.ndarray] = []

    def value(operand: Operand) -> np.ndarray:
        if isinstance(operand, Literal):
            return np.asarray(operand.value).astype(to_numpy(operand.dtype))
        if isinstance(operand, RuntimeScalar):
            return np.asarray(scalars[lowered.scalars[operand.index]["slot"]]).astype(to_numpy(operand.dtype))
        return values[operand]

    for node, load in zip(lowered.arguments, kernel.loads, strict=True):
        values.append(_loaded(arrays[view_of(node)[0]], load, value))
    for instruction in kernel.instructions:
        axes = tuple(sorted(kernel.narrowed_axes(instruction.span)))
        result = _computed(instruction, [value(operand) for operand in instruction.operands], axes)
        values.append(np.broadcast_to(result, kernel.sizes_of(len(values))))  # of numbers alone there is one element
    results = [np.array(values[store.value]) for store in kernel.stores]  # copied: an output may lie over an input
    for node, store, result in zip(lowered.outputs, kernel.stores, results, strict=True):
        strides = [stride * result.itemsize for stride in store.strides]
        as_strided(arrays[node], result.shape, strides)[...] = result


def _loaded(array: np.ndarray, load: Load, value: Callable[[Operand], np.ndarray]) -> np.ndarray:
    if not load.inside:
        return _strided(array, load.sizes, load.strides, load.offset)
    assert load.fill is not None
    start = load.offset + sum(begin * stride for (begin, _), stride in zip(load.inside, load.strides, strict=True))
    whole = np.empty(load.sizes, array.dtype)
    whole[...] = value(load.fill)
    whole[tuple(slice(*ends) for ends in load.inside)] = _strided(array, load.array_sizes, load.strides, start)
    return whole


def _computed(instruction: Instruction, operands: list[np.ndarray], axes: tuple[int, ...]) -> np.ndarray:
    name, dtype = instruction.op.name, to_numpy(instruction.dtype)
    if name.startswith("reduce_"):
        return _REDUCTIONS[name.removeprefix("reduce_")].reduce(operands[0], axis=axes, keepdims=True, dtype=dtype)
    if name in ("contiguous", "clone", "cast", "after", "require"):
        if name == "require":
            support.require(*operands, *instruction.attrs)
        drops = instruction.dtype.category is not Category.COMPLEX and instruction.dtype is not bool_
        return (operands[-1].real if drops else operands[-1]).astype(dtype)
    if name == "where":
        return np.where(*operands).astype(dtype)
    if name in ("real", "imag"):
        return getattr(operands[0], name)
    if name in _DIVISIONS and dtype.kind in "iu":
        support.refuse_zero(operands[1])
    out = np.empty(np.broadcast_shapes(*[operand.shape for operand in operands]), dtype)
    called = _NAMES.get(name, name)
    function = _OWN.get(name) or getattr(np, called, None) or getattr(support.special, called)
    function(*operands, out=out)
    return out


@contextmanager
def interpreting() -> Iterator[None]:
    """Within this context there is a third target on the CPU, and plans of this thread run on it."""
    register_target("cpu", "interpreter", Interpreter)
    cache.clear()  # plans that were made before do not know it
    try:
        with backend("interpreter"):
            yield
    finally:
        unregister_target("cpu", "interpreter")
        cache.clear()
