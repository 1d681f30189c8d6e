"""A numpy plan as text, with the shapes of its arrays in Python source: of one size, or of a range of sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lazygrad.export.program import ExportError
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.polynomial import NotDynamic, Polynomial, Quantity, fitted
from lazygrad.ir.shape import numel
from lazygrad.memory.arena import Temporary
from lazygrad.memory.slots import Place
from lazygrad.runtime.dynamic.graph_template import GraphTemplate
from lazygrad.runtime.dynamic.range_plan import NARROWEST, RangePlan
from lazygrad.runtime.plan import Plan
from lazygrad.targets.numpy.ops import dtype_source

SIZE = "size"  # what the open extent is called in the file


@dataclass(frozen=True, slots=True)
class Layout:
    """A plan and the arrays it runs on.

    Attributes:
        text: a module with ``run(inputs, outputs, arena, scalars)``.
        numbers: source of what names in ``text`` stand for that it leaves open.
        outputs, temporaries: arguments of `numpy.empty` and of `memory_for`, one per array.
        arena_bytes: for all temporaries.
        roots: source of each result, given ``inputs`` and ``outputs``.
        root_shapes: source of their shapes.
        is_open: whether the others read the size.
    """

    text: str
    numbers: dict[str, str]
    outputs: list[str]
    temporaries: list[str]
    arena_bytes: int
    roots: list[str]
    root_shapes: Sequence[str]
    is_open: bool


def fixed_layout(graph: Graph) -> Layout:
    """The plan of a program as it was recorded.

    Raises:
        ExportError: it does not compute on the CPU.
    """
    plan = Plan(graph)
    if not plan.device.computes or plan.targets[0].name != "numpy":
        raise ExportError(f"the function computes on {plan.device}; move the model and the example to the CPU")
    text = plan.sources["numpy"].text
    return _layout(plan, text, {}, lambda node: _source(node.shape), [_source(r.shape) for r in graph.roots], False)


def ranged_layout(graphs: Sequence[Graph], low: int, high: int) -> Layout:
    """One plan for all sizes of a range.

    Args:
        graphs: the program at ``high``, ``low`` and the size in the middle.
        low, high: the first and the last size.

    Raises:
        ExportError: no plan serves all of them; the message says why.
    """
    if high - low < NARROWEST:
        raise ExportError(f"a plan for many sizes needs a range of at least {NARROWEST + 1}, but got {low} to {high}")
    try:
        template = GraphTemplate(graphs[0], graphs[1])
        if template.size_of(graphs[2]) is None:
            raise NotDynamic("between these sizes it is another program")
        ranged = RangePlan(template, {}, low, high)
    except NotDynamic as reason:
        raise ExportError(f"no plan serves all sizes from {low} to {high}: {reason}") from reason
    _check_sizes(ranged, ranged.plan.memory.temporaries)
    numbers = {name: _quantity_source(number) for name, number in ranged.code.numbers.items()}
    roots = [_polynomials_source(shape) for shape in _root_shapes(graphs, [high, low, (low + high) // 2])]

    def shape(node: Node) -> str:
        return _polynomials_source(ranged.shapes[node])

    return _layout(ranged.plan, ranged.code.text, numbers, shape, roots, True)


def _layout(
    plan: Plan,
    text: str,
    numbers: dict[str, str],
    shape: Callable[[Node], str],
    root_shapes: Sequence[str],
    is_open: bool,
) -> Layout:
    schedule, memory = plan.schedule, plan.memory
    roots = []
    for root, own in zip(schedule.roots, root_shapes, strict=True):
        slot = memory.slots[root]
        array = f"outputs[{slot.index}]" if slot.place is Place.OUTPUT else f"inputs[{slot.index}].copy()"
        roots.append(f"{array}.reshape({own})")
    return Layout(
        text,
        numbers,
        [f"{shape(node)}, {dtype_source(node.dtype.name)}" for node in schedule.outputs],
        [f"({shape(t.node)}, {dtype_source(t.node.dtype.name)}, {t.offset})" for t in memory.temporaries],
        memory.arena_bytes,
        roots,
        root_shapes,
        is_open,
    )


def _root_shapes(graphs: Sequence[Graph], sizes: Sequence[int]) -> list[list[Polynomial]]:
    found = []
    for same in zip(*[graph.roots for graph in graphs], strict=True):
        extents = [fitted(sizes, extents) for extents in zip(*[root.shape for root in same], strict=True)]
        found.append([extent for extent in extents if extent is not None])
        if len(found[-1]) < len(extents):
            raise ExportError(f"the shape of a result, {same[0].type}, does not follow from the size")
    return found


def _check_sizes(ranged: RangePlan, temporaries: Sequence[Temporary]) -> None:
    """The arena is that of the upper end: at no size may a value need more room than it has there."""
    rooms = [(ranged.shapes[temporary.node], numel(temporary.node.shape)) for temporary in temporaries]
    for size in range(ranged.low, ranged.high + 1):
        if not ranged.serves(size):
            raise ExportError(f"no plan serves all sizes from {ranged.low} to {ranged.high}: {size} needs its own")
        if any(numel(tuple([extent.at(size) for extent in shape])) > room for shape, room in rooms):
            raise ExportError(f"no plan serves all sizes: a value is larger at {size} than at {ranged.high}")


def _source(shape: Sequence[int]) -> str:
    return repr(tuple(shape))


def _polynomials_source(shape: Sequence[Polynomial]) -> str:
    return f"({', '.join(map(_polynomial_source, shape))}{',' if len(shape) == 1 else ''})"


def _polynomial_source(polynomial: Polynomial) -> str:
    terms = []
    for power, coefficient in enumerate(polynomial.coefficients):
        factors = [str(coefficient)] if power == 0 or coefficient != 1 else []
        if coefficient:
            terms.append(" * ".join(factors + [SIZE] * power))
    return " + ".join(reversed(terms)) or "0"


def _quantity_source(quantity: Quantity) -> str:
    integer = _polynomial_source(quantity.polynomial)
    if quantity.is_reciprocal:
        return f"1.0 / ({integer})"
    return f"float({integer})" if quantity.is_float else integer
