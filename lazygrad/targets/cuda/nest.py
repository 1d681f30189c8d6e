"""How a kernel is spread over a grid: which axes number the units, which the threads of a team walk together.

A unit is what one team computes: a row, with its reductions. The members of a team share out the unit's elements, and
combine their running values at the end of each pass. Five kinds of team cover all kernels:

- `GRID`: nothing is reduced, so there is one unit, and all threads walk it;
- `TILES`: nor here, but some arrays lie along another axis than the last one: a block takes tiles of both axes, and
  turns those arrays in shared memory;
- `LANES`: rows lie along the last axis, and up to 32 neighbouring threads take one;
- `BLOCK`: rows lie along the last axis and are long: a block takes one;
- `ACROSS`: rows lie across the last axis, so neighbouring threads take neighbouring rows, which are read side by side,
  and the warps of a block share out their elements.

Where there are too few rows for the device, rows are cut into chunks. Each chunk leaves its totals in memory, and a
second kernel combines them. So do the totals of column reductions, of which every team keeps its own. Chunks do not
depend on the device: results are the same on every one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod

from lazygrad.codegen.clike.passes import PassPlan, plan_passes
from lazygrad.codegen.kernel import Kernel, Load
from lazygrad.ir.dtype import DType
from lazygrad.passes.fusion_legality import Span

WARP = 32
TILE = WARP  # elements of a tile along either axis: a warp reads a line of it
_MOST_TURNED = 4
_BLOCK = 256  # threads where nothing asks for another number
_LARGEST_BLOCK = 512  # which leaves each thread 128 registers
_MOST_BLOCKS = 1 << 12  # some times what any device runs at once; threads go on where there is more to do
_PACKET_BYTES = 16
_LANES_PACKETS = 8 * WARP  # packets of a row that a warp walks; longer rows take a block
_RESIDENT_PACKETS = 8  # of a row that one thread keeps in registers
_RESIDENT_BYTES = 256  # of registers for everything that it keeps
_ENOUGH_TEAMS = 1 << 9  # blocks that keep a large device busy
_CHUNK_ELEMENTS = 1 << 11  # least work of a chunk
_COLUMN_TEAMS = 256  # teams that keep totals of columns
_MOST_CHUNKS = 512


class Team(Enum):
    """See the module's text."""

    GRID = "grid"
    TILES = "tiles"
    LANES = "lanes"
    BLOCK = "block"
    ACROSS = "across"


@dataclass(frozen=True, slots=True)
class Nest:
    """How a kernel is spread.

    Attributes:
        team: see the module's text.
        units: the axes that number the units, outermost first.
        elements: the axes that a team walks, outermost first.
        members: threads of a team.
        block: threads of a block.
        grid: blocks.
        width: neighbouring elements along the last axis that a thread takes at a time.
        resident: how many packets of a unit each thread keeps in registers, 0 where that would be too many.
        split: reductions that a second kernel finishes.
        chunks: parts that the elements of a unit are cut into.
        turned: loads that are turned in shared memory, where teams take tiles of the two axes in ``elements``.
    """

    team: Team
    units: tuple[int, ...]
    elements: tuple[int, ...]
    members: int
    block: int
    grid: int
    width: int
    resident: int
    split: frozenset[int]
    chunks: int
    turned: frozenset[int] = frozenset()

    def teams(self, units: int) -> int:
        """How many teams there are, which share out ``units`` units, each for itself."""
        return self.grid * (self.block // self.members)


@dataclass(frozen=True, slots=True)
class Variant:
    """A kernel, and which of its arrays begin at a multiple of 16 bytes; equal ones share their source."""

    kernel: Kernel
    aligned_loads: tuple[bool, ...]
    aligned_stores: tuple[bool, ...]


def plan_nest(variant: Variant) -> Nest:
    """Choose how a kernel is spread."""
    kernel = variant.kernel
    reductions = [value for value in kernel.values if kernel.is_reduction(value)]
    has_rows = any(instruction.span is Span.ROW for instruction in kernel.instructions)
    columns = frozenset(value for value in reductions if kernel.span_of(value) is Span.COLUMN)
    axes = tuple(range(len(kernel.sizes)))
    if not has_rows and not columns:
        turned, across = _turned_loads(kernel)
        if turned:
            return _tiles(kernel, turned, across)
        width = packet_width(variant)
        blocks = _blocks(prod(kernel.sizes) // width, _BLOCK)
        return Nest(Team.GRID, (), axes, _BLOCK * blocks, _BLOCK, blocks, width, 0, frozenset(), 1)
    elements = tuple(axis for axis in axes if axis in kernel.row_axes)
    units = tuple(axis for axis in axes if axis not in kernel.row_axes)
    can_split = bool(reductions) and not columns and not kernel.needs_whole_row
    if axes and axes[-1] in units and not columns:
        return _across(kernel, units, elements, reductions if can_split else [])
    return _along(variant, units, elements, reductions if can_split else [], columns)


def _turned_loads(kernel: Kernel) -> tuple[frozenset[int], int]:
    """Loads whose neighbours in memory lie along one other axis than the last, if both are long; and that axis."""
    found: dict[int, list[int]] = {}
    last = len(kernel.sizes) - 1
    for number, load in enumerate(kernel.loads if last > 0 else ()):
        if (
            not load.inside
            and load.varies_along(last)
            and abs(load.strides[last]) != 1
            and load.sizes[last] >= TILE // 2
        ):
            for axis in range(last):
                if load.strides[axis] == 1 and load.sizes[axis] >= TILE // 2:
                    found.setdefault(axis, []).append(number)
    if not found:
        return frozenset(), -1
    across = max(found, key=lambda axis: len(found[axis]))
    return frozenset(found[across][:_MOST_TURNED]), across


def _tiles(kernel: Kernel, turned: frozenset[int], across: int) -> Nest:
    last = len(kernel.sizes) - 1
    units = tuple(axis for axis in range(last) if axis != across)
    tiles = _extent(kernel, units) * prod(-(-kernel.sizes[axis] // TILE) for axis in (across, last))
    return Nest(Team.TILES, units, (across, last), _BLOCK, _BLOCK, _grid(tiles, 1), 1, 0, frozenset(), 1, turned)


def _along(
    variant: Variant, units: tuple[int, ...], elements: tuple[int, ...], splittable: list[int], columns: frozenset[int]
) -> Nest:
    kernel = variant.kernel
    width = packet_width(variant) if elements and elements[-1] == len(kernel.sizes) - 1 else 1
    extent, count = _extent(kernel, elements) // width, _extent(kernel, units)
    if extent <= _LANES_PACKETS and (count >= WARP or extent <= WARP):
        team, members, block = Team.LANES, min(WARP, _power_of_two(extent)), _BLOCK
    else:
        members = min(_LARGEST_BLOCK, max(2 * WARP, _power_of_two(-(-extent // 4))))
        team, block = Team.BLOCK, members
    per_block = block // members
    if splittable and count < _ENOUGH_TEAMS and extent * width >= 2 * _CHUNK_ELEMENTS:
        chunks = min(_MOST_CHUNKS, -(-_ENOUGH_TEAMS // count), extent * width // _CHUNK_ELEMENTS)
        grid = _grid(count * chunks, 1)
        return Nest(Team.BLOCK, units, elements, _BLOCK, _BLOCK, grid, width, 0, frozenset(splittable), chunks)
    grid = min(_grid(count, per_block), max(1, _COLUMN_TEAMS // per_block)) if columns else _grid(count, per_block)
    packets = -(-extent // members)
    kept = _walked_again(kernel)
    resident = packets if packets <= _RESIDENT_PACKETS and packets * width * 4 * kept <= _RESIDENT_BYTES else 0
    return Nest(team, units, elements, members, block, grid, width, resident, columns, 1)


def _across(kernel: Kernel, units: tuple[int, ...], elements: tuple[int, ...], splittable: list[int]) -> Nest:
    extent, count = _extent(kernel, elements), _extent(kernel, units)
    groups = -(-count // WARP)
    members = 1 if groups >= 4 * _ENOUGH_TEAMS else min(WARP // 2, _power_of_two(max(1, extent // 8)))
    chunks = 1
    if splittable and groups < _ENOUGH_TEAMS:
        chunks = max(1, min(_MOST_CHUNKS, _ENOUGH_TEAMS // max(1, groups), extent // (8 * members)))
    split = frozenset(splittable) if chunks > 1 else frozenset[int]()
    grid = _grid(groups * chunks, 1)
    return Nest(Team.ACROSS, units, elements, members, WARP * members, grid, 1, 0, split, chunks)


def _walked_again(kernel: Kernel) -> int:
    """How many arrays a thread would keep for later passes, roughly."""
    expensive = sum(kernel.instruction(v).op.is_expensive for v in kernel.values if kernel.span_of(v) is Span.FULL)
    return max(1, len(kernel.loads) + min(expensive, 4))


def _extent(kernel: Kernel, axes: tuple[int, ...]) -> int:
    return prod(kernel.sizes[axis] for axis in axes)


def _power_of_two(count: int) -> int:
    """The least power of two that is not below ``count``."""
    return 1 << max(0, count - 1).bit_length()


def _blocks(threads: int, block: int) -> int:
    return _grid(threads, block)


def _grid(teams: int, per_block: int) -> int:
    return max(1, min(_MOST_BLOCKS, -(-teams // per_block)))


# Packets.


def packet_width(variant: Variant) -> int:
    """How many neighbours along the last axis can be read and written at once; 1 where nothing can."""
    kernel = variant.kernel
    if not kernel.sizes or 0 in kernel.sizes:
        return 1
    sizes = [kernel.dtype_of(store.value).itemsize for store in kernel.stores if _is_full(kernel, store.value)]
    sizes += [load.dtype.itemsize for load in kernel.loads if load.varies_along(len(kernel.sizes) - 1)]
    width = _PACKET_BYTES // max(sizes, default=_PACKET_BYTES)
    while width > 1 and not any(
        [packs_load(variant, number, width) for number in range(len(kernel.loads))]
        + [packs_store(variant, position, width) for position in range(len(kernel.stores))]
    ):
        width //= 2
    return width


def packs_load(variant: Variant, number: int, width: int) -> bool:
    """Whether a load reads ``width`` neighbours as one packet."""
    kernel, load = variant.kernel, variant.kernel.loads[number]
    whole = not load.inside and load.sizes[-1:] == kernel.sizes[-1:]
    return whole and _packs(load.dtype, load.strides, load.offset, variant.aligned_loads[number], kernel, width)


def packs_store(variant: Variant, position: int, width: int) -> bool:
    """Whether an output is written in packets of ``width`` neighbours."""
    kernel, store = variant.kernel, variant.kernel.stores[position]
    dtype, aligned = kernel.dtype_of(store.value), variant.aligned_stores[position]
    return _is_full(kernel, store.value) and _packs(dtype, store.strides, 0, aligned, kernel, width)


def _packs(dtype: DType, strides: tuple[int, ...], offset: int, aligned: bool, kernel: Kernel, width: int) -> bool:
    if width == 1 or not aligned or not strides or strides[-1] != 1 or kernel.sizes[-1] % width:
        return False
    fits = width * dtype.itemsize <= _PACKET_BYTES
    return fits and all(place % width == 0 for place in (offset, *strides[:-1]))


def _is_full(kernel: Kernel, value: int) -> bool:
    return kernel.span_of(value) is Span.FULL


def reads_once(kernel: Kernel, load: Load, nest: Nest) -> bool:
    """Whether a load is the same for all elements of a unit."""
    return not any(load.varies_along(axis) for axis in nest.elements)


def pass_plan(kernel: Kernel, nest: Nest) -> PassPlan:
    """The passes of a kernel; what a thread keeps in between lies in its registers."""
    per_value = nest.resident * nest.width * 4
    return plan_passes(kernel, (_RESIDENT_BYTES // 2) // per_value if per_value else 0, nest.split)
