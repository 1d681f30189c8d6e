"""How a C kernel walks its axes: which is vectorized, which make up the units that threads share, which lie between.

Units are independent pieces, numbered from 0, that threads divide. Four shapes of loop nest cover all kernels:

- `ROWS`: a unit holds a whole row, and the innermost loop runs along it (or, without rows, along the last axis);
- `LANES`: rows do not lie along the vectorized axis, so a unit is a tile of that axis, and every row value is a
  small array with one element per lane;
- `SHORT`: rows are so short that each lane of the vectorized axis handles a row of its own;
- `SPLIT`: there are too few rows to share out, so units cut through them; fixed chunks of units add up their own
  totals and a second function combines those, in order. Results do not depend on the number of threads.

Column reductions are always finished by the second function, whatever the shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod

from lazygrad.codegen.kernel import Kernel
from lazygrad.ir.op import Kind
from lazygrad.passes.fusion_legality import Span

TILE = 512  # lanes of a unit: 2 KB per f32 row value
_STREAM_TILE = 4096  # elements of a unit where the vectorized axis itself is shared out
STAGED_TILE = 64  # a tile turned in a buffer: 16 KB of f32
_MAX_STAGED = 4
# What a unit that walks its rows twice may cover. It need not fit a cache: reading far between rows in pieces of 2 KB
# twice was faster, by two on 4096 x 4096, than reading pieces of 256 B once and then from the cache.
_REUSED_ELEMENTS = 1 << 21
_FEW_UNITS = 16  # fewer pieces than this share badly
_SHORT_ROW = 16  # shorter rows leave vector registers empty
_WRITTEN_OUT_EXPENSIVE = (
    4  # gcc vectorizes few functions such as exp side by side, and compiles more of them for minutes
)
_CHUNK_WORK = 1 << 15
_TOTAL_WORK = 32  # and this much for each of a chunk's totals, which are written, and read when they are combined
_MAX_CHUNKS = 64
_EXPENSIVE_WORK = 8  # scalar operations in one exp, roughly


Tiles = tuple[tuple[int, int], ...]


class LoopShape(Enum):
    """See the module's text."""

    ROWS = "rows"
    LANES = "lanes"
    SHORT = "short"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class LoopNest:
    """The loops of a kernel.

    Attributes:
        shape: see the module's text.
        vector: the vectorized axis; None for a kernel of one element.
        units: axes whose product numbers the units, outermost first.
        tiles: pairs of an axis and a length: units also number the tiles of that axis that are this long.
        middle: axes looped over inside a unit, outside the vectorized loop (inside it where rows are short).
        split: reductions finished by a second function.
        staged: loads that run along another axis than the vector axis; a unit first copies its tile of them, turned.
        extent: how many units there are.
        chunks: into how many fixed parts the units are cut where reductions are split.
        work: scalar operations in the whole kernel, roughly.
    """

    shape: LoopShape
    vector: int | None
    units: tuple[int, ...]
    tiles: Tiles
    middle: tuple[int, ...]
    split: frozenset[int]
    staged: frozenset[int]
    extent: int
    chunks: int
    work: int

    @property
    def tile(self) -> int | None:
        """The length of a unit's tile of the vector axis, if it does not cover all of it."""
        return dict(self.tiles).get(self.vector if self.vector is not None else -1)


def plan_loops(kernel: Kernel) -> LoopNest:
    """Choose the loops of ``kernel``."""
    reductions = [value for value in kernel.values if kernel.is_reduction(value)]
    split = frozenset(v for v in reductions if kernel.span_of(v) is Span.COLUMN)
    work = _work(kernel)
    if not kernel.sizes:
        return LoopNest(LoopShape.ROWS, None, (), (), (), split, frozenset(), 1, 1, work)
    has_rows = any(instruction.span is Span.ROW for instruction in kernel.instructions)
    rows = kernel.row_axes if has_rows else frozenset[int]()
    vector = _vector_axis(kernel, rows) if not split else len(kernel.sizes) - 1
    shape = _shape(kernel, rows, vector, bool(split))
    units, tiles = _unit_axes(kernel, shape, rows, vector, split)
    few = _extent(kernel, units, tiles) < _FEW_UNITS and work > _CHUNK_WORK
    if few and rows and reductions and not split and not kernel.needs_whole_row:
        shape, split, vector = LoopShape.SPLIT, frozenset(reductions), len(kernel.sizes) - 1
        units, tiles = _unit_axes(kernel, shape, rows, vector, split)
    staged = frozenset[int]()
    if not rows and not split:
        staged, across = _turned_loads(kernel, vector)
        if staged:
            units = tuple(axis for axis in range(len(kernel.sizes)) if axis not in (across, vector))
            tiles = ((across, STAGED_TILE), (vector, STAGED_TILE))
    middle = tuple(axis for axis in range(len(kernel.sizes)) if axis not in units and axis != vector)
    extent = _extent(kernel, units, tiles)
    totals = sum([prod(kernel.sizes_of(value)) for value in split])
    chunks = max(1, min(_MAX_CHUNKS, extent, work // max(_CHUNK_WORK, _TOTAL_WORK * totals))) if split else 1
    return LoopNest(shape, vector, units, tiles, middle, split, staged, extent, chunks, work)


def _work(kernel: Kernel) -> int:
    per_element = len(kernel.loads) + len(kernel.stores)
    for instruction in kernel.instructions:
        if instruction.span is Span.FULL or instruction.op.kind is Kind.REDUCTION:
            per_element += _EXPENSIVE_WORK if instruction.op.is_expensive else 1
    return prod(kernel.sizes) * per_element


def _vector_axis(kernel: Kernel, rows: frozenset[int]) -> int:
    """The last axis, unless rows lie along it and are short; then the innermost axis across rows."""
    last = len(kernel.sizes) - 1
    across = [axis for axis in range(len(kernel.sizes)) if axis not in rows]
    if last in rows and across and _row_extent(kernel, rows) < _SHORT_ROW and kernel.sizes[across[-1]] >= 8:
        return across[-1]
    return last


def _row_extent(kernel: Kernel, rows: frozenset[int]) -> int:
    return prod(kernel.sizes[axis] for axis in rows)


def _shape(kernel: Kernel, rows: frozenset[int], vector: int, has_columns: bool) -> LoopShape:
    if not rows or vector in rows:
        return LoopShape.ROWS
    longest = _WRITTEN_OUT_EXPENSIVE if _is_expensive(kernel) else _SHORT_ROW - 1
    short = _row_extent(kernel, rows) <= longest and not has_columns
    return LoopShape.SHORT if short else LoopShape.LANES


def _is_expensive(kernel: Kernel) -> bool:
    return any(instruction.span is Span.FULL and instruction.op.is_expensive for instruction in kernel.instructions)


def _unit_axes(
    kernel: Kernel, shape: LoopShape, rows: frozenset[int], vector: int, split: frozenset[int]
) -> tuple[tuple[int, ...], Tiles]:
    """The axes that number the units, and the tiles that units cover."""
    length = kernel.sizes[vector]
    outer = tuple(axis for axis in range(len(kernel.sizes)) if axis != vector)
    across = tuple(axis for axis in outer if axis not in rows)
    if shape is LoopShape.LANES:
        return across, ((vector, max(1, min(_lane_tile(kernel, rows), length))),)
    if shape is LoopShape.SHORT:
        parts = max(1, _MAX_CHUNKS // max(1, _extent(kernel, across, ())))  # tiles that make enough units
        tile = max(_SHORT_ROW, min(_STREAM_TILE, length // parts))
        return across, ((vector, tile),) if tile < length else ()
    if shape is LoopShape.ROWS and rows:
        return across, ()
    units = _leading(kernel, outer)
    if _extent(kernel, units, ()) >= 2 * _FEW_UNITS or length <= _STREAM_TILE:
        return units, ()
    # Split sums add a tile at a time into their totals, so short tiles are also accurate ones.
    return outer, ((vector, TILE if _folds(kernel, split, vector) else _STREAM_TILE),)


def _turned_loads(kernel: Kernel, vector: int) -> tuple[frozenset[int], int]:
    """Full-sized loads whose neighbours in memory lie along one other axis, if it is long enough; and that axis."""
    found: dict[int, list[int]] = {}
    for number, load in enumerate(kernel.loads):
        if load.sizes[vector] < _SHORT_ROW or load.strides[vector] in (0, 1, -1):
            continue
        along = [a for a, stride in enumerate(load.strides) if stride == 1 and load.sizes[a] >= _SHORT_ROW]
        if along:
            found.setdefault(along[0], []).append(number)
    if not found:
        return frozenset(), -1
    axis = max(found, key=lambda a: len(found[a]))
    return frozenset(found[axis][:_MAX_STAGED]), axis


def _lane_tile(kernel: Kernel, rows: frozenset[int]) -> int:
    if not kernel.needs_whole_row:
        return TILE
    fitting = _REUSED_ELEMENTS // max(1, _row_extent(kernel, rows)) // _SHORT_ROW * _SHORT_ROW
    return max(_SHORT_ROW, min(TILE, fitting))


def _leading(kernel: Kernel, outer: tuple[int, ...]) -> tuple[int, ...]:
    """As few leading axes as give enough units."""
    count = 1
    for taken, axis in enumerate(outer):
        if count >= 4 * _FEW_UNITS:
            return outer[:taken]
        count *= kernel.sizes[axis]
    return outer


def _folds(kernel: Kernel, split: frozenset[int], axis: int) -> bool:
    return any(axis in kernel.narrowed_axes(kernel.span_of(value)) for value in split)


def _extent(kernel: Kernel, units: tuple[int, ...], tiles: Tiles) -> int:
    return prod(kernel.sizes[axis] for axis in units) * prod(-(-kernel.sizes[axis] // length) for axis, length in tiles)
