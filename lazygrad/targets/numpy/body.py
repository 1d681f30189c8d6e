"""The body of a numpy kernel: one call per value on a block of it, with scratch arrays handed out by liveness."""

from __future__ import annotations

from math import prod

from lazygrad.codegen.kernel import Instruction, Literal, Operand
from lazygrad.ir.dtype import Category, bool_, float16
from lazygrad.ir.op import Refusal
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.shape import Shape
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.numpy.facts import NumpyFacts
from lazygrad.targets.numpy.ops import COPIES, FEW, PARTS, SELECT, UFUNCS, dtype_source, literal, reduction_ufunc
from lazygrad.targets.numpy.schedule import Loop


class Body:
    """Straight-line numpy calls for some values, with scratch arrays handed out by liveness.

    Attributes:
        values_of_lines: for each of the lines, once they are rendered, the value that it makes, or None.
    """

    def __init__(self, facts: NumpyFacts, loops: tuple[Loop, ...], values: list[int]) -> None:
        self.facts, self.kernel = facts, facts.kernel
        self.loops, self.values = loops, values
        self.block_sizes = tuple(
            next((loop.step for loop in loops if loop.axis == axis), size)
            for axis, size in enumerate(self.kernel.sizes)
        )
        self.location: dict[int, str] = {}
        self.scratch: list[tuple[Shape, str]] = []
        self.free: dict[tuple[Shape, str], list[str]] = {}
        self.owned: dict[int, tuple[tuple[Shape, str], str]] = {}
        self.values_of_lines: list[int | None] = []
        self._lines: list[str] | None = None

    def scratch_lines(self) -> list[str]:
        self.lines()
        if not self.scratch:
            return []
        specs = ", ".join(f"({shape}, {dtype_source(dtype)})" for shape, dtype in self.scratch)
        prefix = "t" if not self.loops else "buffer"
        names = ", ".join(f"{prefix}{i}" for i in range(len(self.scratch)))
        return [f"{names}{',' if len(self.scratch) == 1 else ''} = scratch({specs})"]

    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self._render()
        return self._lines

    def _render(self) -> list[str]:
        body: list[str] = []
        made: list[int | None] = []
        last_use = self._last_uses()
        for position, value in enumerate(self.values):
            lines = self._statement(value, position, last_use)
            body += lines
            made += [value] * len(lines)
        bindings = self._binding_lines()
        self.values_of_lines = [*[None] * len(bindings), *made]
        return bindings + body

    def _last_uses(self) -> dict[int, int]:
        last: dict[int, int] = {}
        for position, value in enumerate(self.values):
            for operand in self.kernel.instruction(value).operands:
                if isinstance(operand, int):
                    last[operand] = position
        return last

    def _binding_lines(self) -> list[str]:
        """At the top of a block, cut every array that spans a looped axis down to the block."""
        lines = []
        for i, name in enumerate(self.facts.load_names):
            index = self._index(self.kernel.loads[i].sizes)
            is_read = any(i == o for v in self.values for o in self.kernel.instruction(v).operands)
            if index and is_read and not self.kernel.loads[i].inside:
                lines.append(f"{self._block_name(name)} = {name}[{index}]")
        for position, store in enumerate(self.kernel.stores):
            name = self.facts.out_names[position]
            index = self._index(self.kernel.sizes_of(store.value))
            if store.value in self.values and index and store.value not in self.facts.accumulated:
                lines.append(f"{self._block_name(name)} = {name}[{index}]")
        if self.loops:
            for i, (shape, _) in enumerate(self.scratch):
                index = self._scratch_index(shape)
                lines.append(f"t{i} = buffer{i}[{index}]" if index else f"t{i} = buffer{i}")
        return lines

    def _block_name(self, name: str) -> str:
        return f"{name}_"

    def _index(self, sizes: Shape) -> str:
        """The slice of an array of these sizes that belongs to the current block; empty when it is all of it."""
        last = max((loop.axis for loop in self.loops if sizes[loop.axis] != 1), default=-1)
        parts = []
        for axis in range(last + 1):
            depth = next((d for d, loop in enumerate(self.loops) if loop.axis == axis and sizes[axis] != 1), None)
            parts.append(":" if depth is None else f"{block_start(depth)}:{block_stop(depth)}")
        return ", ".join(parts)

    def _scratch_index(self, shape: Shape) -> str:
        """The last block can be shorter than the scratch array; on the outermost axis any thread's last one."""
        parts, needed = [], False
        for axis, size in enumerate(shape):
            depth = next((d for d, loop in enumerate(self.loops) if loop.axis == axis and size != 1), None)
            if depth is None or (depth and self.loops[depth].extent % self.loops[depth].step == 0):
                parts.append(":")
            else:
                parts.append(f": {block_stop(depth)} - {block_start(depth)}")
                needed = True
        while parts and parts[-1] == ":":
            parts.pop()
        return ", ".join(parts) if needed else ""

    # Statements.

    def _statement(self, value: int, position: int, last_use: dict[int, int]) -> list[str]:
        instruction = self.kernel.instruction(value)
        masked = self._pending_masked(instruction)
        if masked and instruction.op is ew.contiguous:
            target = self._target(value, instruction, [])
            return [self._surround(masked[0], target), *self._extra_stores(value, target)]
        lines = [self._surround(load) for load in masked]
        operands = self._operands(instruction)
        if value in self.facts.accumulated:
            return lines + self._accumulate(value, instruction, operands, position, last_use)
        dying = [
            o
            for o in dict.fromkeys(instruction.operands)
            if isinstance(o, int) and last_use[o] == position and o in self.owned
        ]
        target = self._target(value, instruction, dying)
        if self._folds_few(instruction):
            axes = self._axes_text(instruction)
            lines.append(f"fold_few({reduction_ufunc(instruction.op)}, {operands[0]}, {axes}, {target})")
        else:
            if self._drops_imaginary_part(instruction):
                operands = [f"{operands[0]}.real"]
            lines += _compute(instruction, operands, target, self._axes_text(instruction))
        lines += self._extra_stores(value, target)
        for operand in dying:
            self._release(operand)
        return lines

    def _operands(self, instruction: Instruction) -> list[str]:
        """The operands in Python source. Where all are numbers, the first has its dtype: two of Python have 64 bits."""
        operands = [self._operand(operand) for operand in instruction.operands]
        numbers = [operand for operand in instruction.operands if not isinstance(operand, int)]
        if instruction.op in UFUNCS and len(numbers) == len(operands) and numbers[0].dtype.category is Category.INTEGER:
            operands[0] = f"{dtype_source(numbers[0].dtype.name)}({operands[0]})"
        return operands

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, int):
            if operand in self.location:
                return self.location[operand]
            name = self.facts.load_names[operand]
            return self._block_name(name) if self._index(self.kernel.loads[operand].sizes) else name
        if isinstance(operand, Literal):
            return literal(operand.value, operand.dtype)
        return self.facts.scalar_names[operand.index]

    def _target(self, value: int, instruction: Instruction, dying: list[int]) -> str:
        """Where the result goes: straight into an output, over a dying operand, or into scratch."""
        stored = self.facts.stored_at.get(value, ())
        if stored:
            name = self.facts.out_names[stored[0]]
            self.location[value] = self._block_name(name) if self._index(self.kernel.sizes_of(value)) else name
            return self.location[value]
        key = (self._block_shape(value), instruction.dtype.name)
        reusable = instruction.op in UFUNCS
        for operand in dying:
            owned_key, name = self.owned[operand]
            if reusable and owned_key == key:
                del self.owned[operand]
                self.owned[value] = (key, name)
                self.location[value] = name
                dying.remove(operand)
                return name
        return self._own(value, key)

    def _own(self, value: int, key: tuple[Shape, str]) -> str:
        """Scratch for a value."""
        available = self.free.get(key)
        name = available.pop() if available else self._new_scratch(key)
        self.owned[value] = (key, name)
        self.location[value] = name
        return name

    # Masked loads.

    def _pending_masked(self, instruction: Instruction) -> list[int]:
        """The masked loads it reads that were not put together yet."""
        numbers = [o for o in dict.fromkeys(instruction.operands) if isinstance(o, int) and self.kernel.is_load(o)]
        return [number for number in numbers if self.kernel.loads[number].inside and number not in self.location]

    def _surround(self, number: int, target: str | None = None) -> str:
        """Put a masked load together: the part of the array that belongs to the block, and its fill around it."""
        load = self.kernel.loads[number]
        assert load.fill is not None
        name = target or self._own(number, (self._block_shape(number), load.dtype.name))
        self.location[number] = name
        depths = {loop.axis: depth for depth, loop in enumerate(self.loops)}
        at = [block_start(depths[a]) if a in depths and size != 1 else "0" for a, size in enumerate(load.sizes)]
        before = tuple([begin for begin, _ in load.inside])
        place = f"({', '.join(at)}{',' if len(at) == 1 else ''})"
        return f"pad({name}, {self.facts.load_names[number]}, {self._operand(load.fill)}, {place}, {before})"

    def _block_shape(self, value: int) -> Shape:
        sizes = self.kernel.sizes_of(value)
        return tuple(size if size == 1 else block for block, size in zip(self.block_sizes, sizes, strict=True))

    def _new_scratch(self, key: tuple[Shape, str]) -> str:
        self.scratch.append(key)
        return f"t{len(self.scratch) - 1}"

    def _release(self, value: int) -> None:
        key, name = self.owned.pop(value)
        self.free.setdefault(key, []).append(name)

    def _extra_stores(self, value: int, target: str) -> list[str]:
        lines = []
        for position in self.facts.stored_at.get(value, ())[1:]:
            name = self.facts.out_names[position]
            destination = self._block_name(name) if self._index(self.kernel.sizes_of(value)) else name
            lines.append(f"np.copyto({destination}, {target})")
        return lines

    def _folds_few(self, instruction: Instruction) -> bool:
        """Whether the axes that a maximum folds are so short that numpy's own loop would be all overhead."""
        op = instruction.op
        if op.folding is None or not op.is_exact or instruction.span is Span.FULL or self.facts.schedule.serves_many:
            return False
        return prod(self.kernel.sizes[axis] for axis in self.facts.folded_axes(instruction)) in range(1, FEW)

    def _drops_imaginary_part(self, instruction: Instruction) -> bool:
        """Whether a cast turns complex numbers into real ones; truth values look at both parts."""
        if instruction.op is not ew.cast or instruction.dtype.is_complex or instruction.dtype is bool_:
            return False
        (operand,) = instruction.operands
        return self.kernel.dtype_of(operand).is_complex

    def _axes_text(self, instruction: Instruction) -> str:
        axes = sorted(self.facts.folded_axes(instruction))
        return str(axes[0]) if len(axes) == 1 else str(tuple(axes))

    def _accumulate(
        self, value: int, instruction: Instruction, operands: list[str], position: int, last_use: dict[int, int]
    ) -> list[str]:
        total = f"total{self.facts.accumulated.index(value)}"
        index = self._index(self.kernel.sizes_of(value))
        block = f"{total}[{index}]" if index else total
        ufunc = reduction_ufunc(instruction.op)
        partial = f"{ufunc}.reduce({operands[0]}, axis={self._axes_text(instruction)}, keepdims=True)"
        for operand in dict.fromkeys(instruction.operands):
            if isinstance(operand, int) and last_use[operand] == position and operand in self.owned:
                self._release(operand)
        return [f'{ufunc}({block}, {partial}, out={block}, casting="unsafe")']


def block_start(depth: int) -> str:
    """The name of the index at which a block begins along the axis of a loop."""
    return "ijklmn"[depth]


def block_stop(depth: int) -> str:
    """The name of the index at which it ends."""
    return f"{block_start(depth)}_end"


def _compute(instruction: Instruction, operands: list[str], target: str, axes: str) -> list[str]:
    op = instruction.op
    if op in PARTS:
        return [f"np.copyto({target}, {operands[0]}.{PARTS[op]})"]
    if op in COPIES:
        copy = f'np.copyto({target}, {operands[-1]}, casting="unsafe")'
        check = f"require({', '.join(operands)}, {', '.join(map(repr, instruction.attrs))})"
        return [check, copy] if op is ew.require else [copy]
    if op is SELECT:
        return [f"select({target}, {', '.join(operands)})"]
    if op.folding is not None:
        return [f"{reduction_ufunc(op)}.reduce({operands[0]}, axis={axes}, keepdims=True, out={target})"]
    if op in (ew.maximum, ew.minimum) and instruction.dtype is float16:
        operands = operands[::-1]  # of two zeros numpy takes the second, but of float16 the first
    call = f"{UFUNCS[op]}({', '.join(operands)}, out={target})"
    return [f"refuse_zero({operands[1]})", call] if _may_divide_by_zero(instruction) else [call]


def _may_divide_by_zero(instruction: Instruction) -> bool:
    """Whether its divisor must be looked at: numpy would answer 0."""
    op = instruction.op
    if op.refuses is not Refusal.ZERO_DIVISOR or not op.may_refuse(instruction.attrs, instruction.dtype):
        return False
    divisor = instruction.operands[1]
    return not (isinstance(divisor, Literal) and divisor.value != 0)
