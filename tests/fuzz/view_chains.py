"""Random chains of views, `view(dtype)` among them, and of writes through them, on both libraries.

A program is a list of instructions of four small integers, as in `tests.fuzz.elements`: what to do, and three operands.
Floating-point numbers are moved and never computed with: most bytes read as floats are no numbers, of which
processors keep other bits. Copies are row-major, and what lies in several places is not computed with in place, since
results depend on layouts and orders that lazygrad does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Instruction = tuple[int, int, int, int]
operand = st.integers(0, 23)
chain_programs = st.lists(st.tuples(st.integers(0, 1 << 10), operand, operand, operand), min_size=4, max_size=24)

DTYPES = ("float32", "uint8", "float64", "int32", "int64", "int16", "float16", "bfloat16", "complex64", "int8",
          "complex128")  # fmt: skip
SHAPES = ((4, 8), (16,), (2, 4, 8), (3, 8), (1, 8), (6, 2), (2, 3, 2), (40, 8))
_COUNTS = ("uint8", "int8", "int16", "int32", "int64")


class Chains:
    """One run of a program.

    Attributes:
        tensors: what was made, in order; the first have memory of their own.
        seen: what the program looked at.
        refused: of the instructions that were refused, the number and the class of the error.
        is_tried: whether nothing of the program is refused, as a run before found.
    """

    def __init__(self, lib: Any, tensors: list[Any]) -> None:
        self.lib = lib
        self.tensors = list(tensors)
        self.seen: list[Any] = []
        self.refused: dict[int, type[Exception]] = {}
        self.is_tried = False

    def run(self, program: list[Instruction]) -> Chains:
        """Follow the program; what is refused is written down and passed by."""
        for position, (number, *operands) in enumerate(program):
            try:
                INSTRUCTIONS[number % len(INSTRUCTIONS)](self, *operands)
            except (RuntimeError, ValueError, IndexError, TypeError) as error:
                self.refused[position] = type(error)
        return self

    def follow(self, program: list[Instruction]) -> list[Any]:
        """Follow a program of which nothing is refused; row-major copies of what it made."""
        self.is_tried = True
        for number, *operands in program:
            INSTRUCTIONS[number % len(INSTRUCTIONS)](self, *operands)
        return [tensor.contiguous().clone() for tensor in self.tensors]

    def tensor(self, i: int) -> Any:
        """One of the latest more often than one of the first."""
        return self.tensors[-1 - i % min(len(self.tensors), 4)] if i % 3 else self.tensors[i % len(self.tensors)]

    def keep(self, tensor: Any) -> None:
        """Keep a result. Strides of what is empty are none that anybody steps."""
        if 0 < tensor.numel() <= 4096:
            self.tensors.append(tensor)

    def expect_counts(self, x: Any) -> None:
        """Refuse what is not of whole numbers."""
        if not self.is_tried and str(x.dtype).rpartition(".")[2] not in _COUNTS:
            raise ValueError("not of whole numbers")

    def expect_no_negative(self, x: Any) -> None:
        """Refuse the imaginary part of a conjugate, whose memory lazygrad does not stride."""
        if not self.is_tried and x.is_neg():
            raise RuntimeError("a negative view")

    def expect_apart(self, x: Any, y: Any = None) -> None:
        """Refuse a write to ``x``, of ``y``, whose result depends on the order of elements or rounds bytes."""
        if self.is_tried:
            return
        if not _is_apart_from_itself(x):
            raise ValueError("elements lie in one place")
        if y is not None and (x.dtype != y.dtype or x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()):
            raise ValueError("the copy depends on the order of elements, or has another dtype")


# Views.


def as_dtype(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).view(getattr(run.lib, DTYPES[j % len(DTYPES)])))


def twice_as_dtype(run: Chains, i: int, j: int, k: int) -> None:
    first, second = DTYPES[j % len(DTYPES)], DTYPES[k % len(DTYPES)]
    run.keep(run.tensor(i).view(getattr(run.lib, first)).view(getattr(run.lib, second)))


def sliced(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.keep(x[(slice(None),) * (j % x.ndim) + (slice(k % 3, None, 1 + k % 2),)])


def cropped(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.keep(x[..., : 8 - k % 4 * 2])


def selected(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.keep(x.select(j % max(x.ndim, 1), k % 4))


def transposed(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.keep(x.transpose(j % max(x.ndim, 1), k % max(x.ndim, 1)))


def expanded(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).unsqueeze(0).expand(2, *run.tensor(i).shape))


def unsqueezed(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).unsqueeze(j % 2 - k % 2))


def squeezed(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).squeeze())


def viewed(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).view(_target(j)))


def reshaped(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).reshape(_target(j)))


def _target(j: int) -> tuple[int, ...]:
    return ((-1,), (2, -1), (-1, 4), (-1, 2), (4, -1, 2))[j % 5]


def strided(run: Chains, i: int, j: int, k: int) -> None:
    run.expect_no_negative(run.tensor(i))
    run.keep(run.tensor(i).as_strided((2, 2), (1 + j % 4, 1 + k % 2), k % 5))


def diagonal(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).diagonal(j % 3 - 1, 0, -1))


def unfolded(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).unfold(-1, 2, 1 + j % 2))


def last_part(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).chunk(2, dim=-1)[-1])


def detached(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).detach())


def data(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).data)


def conjugated(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).conj())


def real_part(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).real)


def imaginary_part(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).imag)


def pairs(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.lib.view_as_real(run.tensor(i)))


def numbers_of_pairs(run: Chains, i: int, j: int, k: int) -> None:
    if run.tensor(i).dtype != run.lib.float16:  # lazygrad has no complex numbers of 32 bits
        run.keep(run.lib.view_as_complex(run.tensor(i)))


# New memory.


def cloned(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).contiguous().clone())


def made_contiguous(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.tensor(i).contiguous())


def counted_on(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.expect_counts(x)
    run.keep(x.contiguous() * 3 + j)


def joined(run: Chains, i: int, j: int, k: int) -> None:
    run.keep(run.lib.cat([run.tensor(i), run.tensor(i)], -1))


# Writes.


def filled(run: Chains, i: int, j: int, k: int) -> None:
    run.tensor(i).fill_(j)


def zeroed(run: Chains, i: int, j: int, k: int) -> None:
    run.tensor(i).zero_()


def increased(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.expect_counts(x)
    run.expect_apart(x)
    x.add_(j)


def multiplied(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.expect_counts(x)
    run.expect_apart(x)
    x.mul_(j)


def assigned(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    x[..., j % 4] = k


def part_assigned(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    x[j % 3 :] = k


def copied(run: Chains, i: int, j: int, k: int) -> None:
    x, y = run.tensor(i), run.tensor(j)
    run.expect_apart(x, y)
    x.copy_(y)


def copied_to_part(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    x[..., :4] = x[..., 4:8].clone()


def _is_apart_from_itself(x: Any) -> bool:
    """Whether no two elements lie in one place."""
    places = {0}
    for size, stride in zip(x.shape, x.stride(), strict=True):
        places = {place + stride * i for place in places for i in range(size)}
    return len(places) == x.numel()


# Looks.


def looked_at(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.seen.append(x.tolist())


def first_element(run: Chains, i: int, j: int, k: int) -> None:
    run.seen.append(run.tensor(i).reshape(-1)[0].item())


def layout(run: Chains, i: int, j: int, k: int) -> None:
    x = run.tensor(i)
    run.seen.append((x.storage_offset(), str(x.dtype).rpartition(".")[2], x.is_contiguous(), x.is_conj(), x.is_neg()))
    run.seen.append(strides_that_count(x))


def strides_that_count(x: Any) -> list[tuple[int, int]] | None:
    """Sizes and strides of dimensions along which something is stepped; None where there is no element."""
    return [pair for pair in zip(x.shape, x.stride(), strict=True) if pair[0] != 1] if x.numel() else None


def same_address(run: Chains, i: int, j: int, k: int) -> None:
    if run.tensor(i).numel() and run.tensor(j).numel():
        run.seen.append(run.tensor(i).data_ptr() == run.tensor(j).data_ptr())


Step = Callable[[Chains, int, int, int], None]
MAKING: tuple[Step, ...] = (
    as_dtype, as_dtype, as_dtype, twice_as_dtype, sliced, cropped, selected, transposed, expanded, unsqueezed, squeezed,
    viewed, reshaped, strided, diagonal, unfolded, last_part, detached, data, conjugated, real_part, imaginary_part,
    pairs, numbers_of_pairs, cloned, made_contiguous, counted_on, counted_on, joined,
)  # fmt: skip
WRITES: tuple[Step, ...] = (
    filled, zeroed, increased, multiplied, assigned, part_assigned, copied, copied_to_part,
)  # fmt: skip
LOOKS: tuple[Step, ...] = (looked_at, first_element, layout, same_address)
INSTRUCTIONS = MAKING + WRITES + LOOKS
