"""The launch table of a plan: what is asked of the device, in order, and where the parameters come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lazygrad.ir.dtype import DType
from lazygrad.memory.slots import Place
from lazygrad.targets.cuda.driver import Launch, LibraryCall, Product


@dataclass(frozen=True, slots=True)
class Address:
    """Memory of a plan.

    Attributes:
        place: an input, an output or the arena.
        index: which input or output.
        offset: bytes from where that begins.
    """

    place: Place
    index: int
    offset: int = 0

    def __add__(self, offset: int) -> Address:
        return Address(self.place, self.index, self.offset + offset)

    def __str__(self) -> str:
        base = "arena" if self.place is Place.ARENA else f"{self.place.value}{self.index}"
        return f"{base} + {self.offset:,}" if self.offset else base


@dataclass(frozen=True, slots=True)
class Number:
    """A runtime scalar, or of a complex one its real or imaginary ``part``; a kernel gets its address.

    Attributes:
        slot: of the plan.
        dtype: of the scalar.
    """

    slot: int
    dtype: DType
    part: str = ""

    def __str__(self) -> str:
        return f"scalar{self.slot}" + (f".{self.part}" if self.part else "")


@dataclass(frozen=True, slots=True)
class Table:
    """Addresses and whole numbers of 64 bits, handed over as one structure by value."""

    entries: tuple[Address | int, ...]

    def __str__(self) -> str:
        return f"{{{', '.join(map(str, self.entries))}}}"


Parameter: TypeAlias = Address | Number | Table | int  # an int is handed over as i32


@dataclass(frozen=True, slots=True)
class KernelStep:
    """A launch of a kernel."""

    launch: Launch
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        grid = " x ".join(str(size) for size in self.launch.grid if size != 1) or "1"
        return f"{self.launch.kernel}<{grid} blocks of {self.launch.block}>({', '.join(map(str, self.parameters))})"


@dataclass(frozen=True, slots=True)
class ProductStep:
    """A product of matrices."""

    product: Product
    a: Address
    b: Address
    out: Address

    def __str__(self) -> str:
        batch, rows, columns, inner = self.product.sizes
        of = [
            f"{a}{' transposed' if t else ''}" for a, (_, _, t) in ((self.a, self.product.a), (self.b, self.product.b))
        ]
        sizes = f"{f'{batch} x ' if batch > 1 else ''}[{rows}, {inner}] @ [{inner}, {columns}]"
        return f"multiply {self.product.dtype.short} {sizes}({', '.join(of)}, {self.out})"


@dataclass(frozen=True, slots=True)
class LibraryStep:
    """A call of one of the device's libraries.

    Attributes:
        call: what is computed.
        operands, results: where its arrays lie.
        word: where it says that it refuses an operand, if it may.
    """

    call: LibraryCall
    operands: tuple[Address, ...]
    results: tuple[Address, ...]
    word: Address | None = None

    def __str__(self) -> str:
        read, made = (
            [f"{layout} {address}" for layout, address in zip(layouts, addresses, strict=True)]
            for layouts, addresses in ((self.call.operands, self.operands), (self.call.results, self.results))
        )
        options = [f"{name}={value!r}" for name, value in self.call.options]
        refusing = [] if self.word is None else [f"refused={self.word}"]
        return f"call {self.call.routine}({', '.join([*read, *options, *refusing])}) -> {', '.join(made)}"


@dataclass(frozen=True, slots=True)
class CopyStep:
    """A copy of ``size`` bytes."""

    source: Address
    target: Address
    size: int

    def __str__(self) -> str:
        return f"copy {self.size:,} bytes({self.source}, {self.target})"


@dataclass(frozen=True, slots=True)
class FillStep:
    """``size`` bytes set to ``byte``."""

    target: Address
    byte: int
    size: int

    def __str__(self) -> str:
        return f"fill {self.size:,} bytes with {self.byte}({self.target})"


@dataclass(frozen=True, slots=True)
class CheckStep:
    """The host looks whether an operand was refused, before anything is written over an input.

    Attributes:
        words: one i32 for each step that may refuse.
        steps: their numbers in the schedule.
    """

    words: Address
    steps: tuple[int, ...]

    def __str__(self) -> str:
        return f"check what {len(self.steps)} steps refused({self.words})"


Step: TypeAlias = KernelStep | ProductStep | LibraryStep | CopyStep | FillStep | CheckStep


@dataclass(frozen=True, slots=True)
class Entry:
    """A step of the table.

    Attributes:
        step: what is done.
        number: of the schedule's step that it is part of.
    """

    step: Step
    number: int
