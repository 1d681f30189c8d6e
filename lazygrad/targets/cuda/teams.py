"""How the threads of a kernel walk: teams over units, the members of a team over a unit's elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import prod

from lazygrad.codegen.clike.places import Places
from lazygrad.codegen.clike.statements import Statements
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.facts import CudaFacts
from lazygrad.targets.cuda.nest import TILE, WARP, Team


class Teams:
    """Writes the loops of a kernel into its statements."""

    def __init__(self, facts: CudaFacts, places: Places, statements: Statements) -> None:
        self.facts, self.kernel, self.nest = facts, facts.kernel, facts.nest
        self.places, self.out = places, statements.out

    def _each(self, index: str, begin: str, end: int | str, step: int) -> AbstractContextManager[None]:
        """From ``begin`` on in steps. Threads that come but once need no loop, nor registers for what is the same in
        each turn."""
        declared = f"{self.facts.at} {index} = {begin}"
        if isinstance(end, int) and end <= step:
            return self.out.block(f"if (const {declared}; {index} < {end})")
        return self.out.block(f"for ({declared}; {index} < {end}; {index} += {step})")

    def shared_memory(self, values: Sequence[int]) -> None:
        """Declare what the running values of a unit are combined in."""
        nest = self.nest
        count = {Team.BLOCK: nest.block // WARP, Team.ACROSS: nest.block if nest.members > 1 else 0}.get(nest.team, 0)
        for value in values if count else ():
            self.out.add(CUDA.shared_array(self.facts.total_dtype(value), f"shared{value}", count))

    def members(self, has_columns: bool) -> None:
        """Declare which member of its team a thread is, and where teams leave totals of columns, which team."""
        nest, at = self.nest, self.facts.at
        if nest.team is Team.LANES:
            member = f"threadIdx.x % {nest.members}" if nest.members > 1 else "0"
        else:
            member = "threadIdx.x" if nest.team is Team.BLOCK else f"threadIdx.x / {WARP}"
        self.out.add(f"const {at} member = {member};")
        if has_columns:
            per_block = nest.block // nest.members
            self.out.add(f"const {at} team = blockIdx.x * {per_block} + threadIdx.x / {nest.members};")

    @contextmanager
    def each_unit(self) -> Iterator[None]:
        """The units of a team."""
        nest, facts, at, out = self.nest, self.facts, self.facts.at, self.out
        per_block = nest.block // nest.members
        if nest.team is Team.LANES:
            first = f"blockIdx.x * {per_block} + threadIdx.x / {nest.members}"
            with self._each("unit", first, facts.units, nest.grid * per_block):
                out.add("const bool is_writer = member == 0;")
                self.decode(nest.units, "unit")
                yield
            return
        groups = facts.units if nest.team is Team.BLOCK else -(-facts.units // WARP)
        parts, chunks = groups * nest.chunks, nest.chunks
        with self._each("part", "blockIdx.x", parts, nest.grid):
            group = f"part / {chunks}" if chunks > 1 else "part"
            if chunks > 1:
                out.add(f"const {at} chunk = part % {chunks};")
            if nest.team is Team.BLOCK:
                out.add(f"const {at} unit = {group};", "const bool is_writer = member == 0;")
            else:
                out.add(f"const {at} wanted = {f'({group})' if chunks > 1 else group} * {WARP} + threadIdx.x % {WARP};")
                out.add(f"const bool is_inside = wanted < {facts.units}, is_writer = is_inside && member == 0;")
                out.add(f"const {at} unit = is_inside ? wanted : {facts.units - 1};")
            self.decode(nest.units, "unit")
            yield

    @contextmanager
    def each_tile(self) -> Iterator[None]:
        """Tiles with what is turned of them in shared memory; one more column keeps a tile's columns in banks of their
        own."""
        facts, at, out = self.facts, self.facts.at, self.out
        across, last = self.nest.elements
        counts = [-(-self.kernel.sizes[axis] // TILE) for axis in (across, last)]
        for load in sorted(self.nest.turned):
            out.add(CUDA.shared_tile(self.kernel.loads[load].dtype, f"turned{load}", TILE, TILE + 1))
        with self._each("part", "blockIdx.x", facts.units * prod(counts), self.nest.grid):
            out.add(f"const {at} begin{last} = part % {counts[1]} * {TILE};")
            out.add(f"const {at} begin{across} = part / {counts[1]} % {counts[0]} * {TILE};")
            self.decode(self.nest.units, f"(part / {prod(counts)})")
            out.add("__syncthreads(); /* the tile before has been read */")
            with self.each_line(last, across):
                for load in sorted(self.nest.turned):
                    out.add(f"turned{load}[line][threadIdx.x % {TILE}] = {Places.loaded(self.places, load)};")
            out.add("__syncthreads();")
            yield

    @contextmanager
    def each_line(self, axis: int, along: int) -> Iterator[None]:
        """The elements of a tile, a line at a time to a warp, with the lanes along an axis."""
        sizes, at, out = self.kernel.sizes, self.facts.at, self.out
        step = self.nest.block // TILE
        with out.block(f"for (i32 line = threadIdx.x / {TILE}; line < {TILE}; line += {step})"):
            out.add(f"const {at} i{axis} = begin{axis} + line, i{along} = begin{along} + threadIdx.x % {TILE};")
            with out.block(f"if (i{axis} < {sizes[axis]} && i{along} < {sizes[along]})"):
                yield

    def decode(self, axes: Sequence[int], number: str, width: int = 1) -> None:
        """Declare the indices along ``axes`` of what ``number`` counts; of packets where ``width`` is not 1."""
        step, sizes, lines = 1, self.kernel.sizes, []
        for position, axis in reversed(list(enumerate(axes))):
            is_packed = axis == self.facts.last and width > 1
            size = sizes[axis] // width if is_packed else sizes[axis]
            text = f"{number} / {step}" if step > 1 else number
            text = f"{text} % {size}" if position else text
            name = f"first{axis}" if axis == self.facts.last and axis in self.nest.elements else f"i{axis}"
            text = f"({text}) * {width}" if is_packed else text
            lines.append(f"const {self.facts.at} {name} = {text};")
            step *= max(size, 1)
        self.out.add(*reversed(lines))

    @contextmanager
    def each_packet(self) -> Iterator[None]:
        """The packets of a unit that are a member's own."""
        nest, at, packets, out = self.nest, self.facts.at, self.facts.packets, self.out
        end: int | str
        if nest.team is Team.TILES:
            with self.each_line(*nest.elements):
                yield
            return
        if nest.resident:
            out.add("#pragma unroll")
            with out.block(f"for (i32 k = 0; k < {nest.resident}; k++)"):
                out.add(f"const {at} packet = k * {nest.members} + member;")
                is_whole = packets % nest.members == 0
                with out.block("" if is_whole else f"if (packet < {packets})"):
                    yield
            return
        begin, end = "member", packets
        if nest.team is Team.GRID:
            begin = f"({at})blockIdx.x * {nest.block} + threadIdx.x"
        elif nest.chunks > 1:
            length = -(-packets // nest.chunks)
            stop = f"(chunk + 1) * {length}"
            begin, end = f"chunk * {length} + member", f"({stop} < {packets} ? {stop} : {packets})"
        if nest.team is Team.ACROSS:
            end = f"(is_inside ? {end} : 0)"
        with self._each("packet", begin, end, nest.members):
            yield

    def wait(self) -> str:
        """Until all members see what each of them wrote."""
        if self.nest.team is Team.BLOCK:
            return "__syncthreads();"
        lanes = (1 << self.nest.members) - 1
        return f"__syncwarp({lanes:#x}u << (threadIdx.x % {WARP} & ~{self.nest.members - 1}));"
