"""Where the inputs of a call's program come from, and where its outputs go: what a replay needs to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

from lazygrad.autograd_meta import AutogradMeta
from lazygrad.compiling.capture import Count, Numbers
from lazygrad.compiling.results import Build
from lazygrad.host.buffer import same_contents
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import Scalar
from lazygrad.ir.node import TensorType
from lazygrad.ir.origin import Origin

if TYPE_CHECKING:
    from lazygrad.runtime.partitioned_plan import AnyPlan
    from lazygrad.runtime.parts import Part
    from lazygrad.runtime.random_drawing import Drawing
    from lazygrad.tensor import Tensor


class Role(Enum):
    """What a value of the program is to the rest of the world; what comes with it is in parentheses."""

    ARGUMENT = "the value of an argument"  # (its number)
    ARGUMENT_STORAGE = "the contents an argument is a part of"  # (its number)
    STORAGE = "the contents of a tensor that lives on"  # (its Storage)
    VIEW = "a part of a tensor that lives on, as a value of its own"  # (the Tensor)
    GRADIENT = "a new tensor in .grad"  # (whose gradient it is)
    GRADIENT_STORAGE = "the contents of .grad"  # (whose gradient it is)
    DRAWN = "random numbers drawn on the host"  # (their place in the drawings)
    CONSTANT = "made in the call from Python values"  # (its Buffer)
    RESULT = "the contents of a returned tensor"  # (its number among such)


class Binding(NamedTuple):
    """One input or output of the program, and what it is to the world."""

    role: Role
    of: Any

    def same(self, other: Binding) -> bool:
        """Whether both are the same place, or constants with the same bytes."""
        if self.role is not other.role:
            return False
        if self.role is Role.CONSTANT:
            return same_contents(self.of, other.of)
        return self.of is other.of or (isinstance(self.of, int) and self.of == other.of)


class Output(NamedTuple):
    """An output of the program.

    Attributes:
        end: where it goes.
        type: of the tensor's contents, which may be reshaped there.
        number: of the plan's output.
        meta: what autograd knows about the value, which all that replays compute share.
        writes, unseen_writes: how many in-place updates of the storage the call counted.
    """

    end: Binding
    type: TensorType
    number: int
    meta: AutogradMeta
    origin: Origin | None
    writes: int
    unseen_writes: int

    def differs(self, other: Output) -> bool:
        """Whether two values at the same place are of another kind."""
        known = [(o.meta.tracked, o.meta.of_inference, o.meta.consumed is None) for o in (self, other)]
        return known[0] != known[1] or self[1:3] + self[5:] != other[1:3] + other[5:]


class Returned(NamedTuple):
    """One returned tensor: an ARGUMENT, a STORAGE (the very tensor), a GRADIENT, or a view of a RESULT.

    Attributes:
        end: see above.
        chain, detached, is_view: how it looks at its contents.
    """

    end: Binding
    chain: tuple[Any, ...] = ()
    detached: bool = False
    is_view: bool = False


class Number(NamedTuple):
    """A scalar that is the ``position``-th result of the action number ``action``."""

    action: int
    position: int


@dataclass
class Bindings:
    """One recorded call.

    Attributes:
        plan: the program.
        inputs: per input slot, where it comes from.
        input_types: their types.
        outputs: where its outputs go.
        parts: of inputs, which have the slots after theirs.
        scalars: per scalar slot a number, a `Number` or a `Drawn`.
        actions: step counts and numbers, in order.
        blocks: how far the generator of in-graph randomness of each device moves.
        drawings: the arrays of random numbers that are drawn on the host, in order.
        with_gradient, without_gradient: reachable leaves by whether they have a gradient when the call begins.
        returned: the returned tensors.
        build: makes the returned value of them.
        result_key: what the returned value is made of.
        argument_chains: per argument whose storage is used, how it looks at it.
    """

    plan: AnyPlan
    inputs: list[Binding]
    input_types: list[TensorType]
    outputs: list[Output]
    parts: list[Part]
    scalars: list[Any]
    actions: list[Count | Numbers]
    blocks: Mapping[Device, int]
    drawings: list[Drawing]
    with_gradient: list[Tensor]
    without_gradient: list[Tensor]
    returned: list[Returned]
    build: Build
    result_key: tuple[Any, ...]
    argument_chains: dict[int, tuple[Any, ...]]

    def difference(self, other: Bindings) -> str | None:
        """What a second recording of the same call did otherwise, in words; None for nothing."""
        if self.plan is not other.plan:
            return "the recorded operations differ"
        if not _all_same(self.inputs, other.inputs):
            return "the operations read other tensors, or tensors made in the call have other values"
        if not _all_same([o.end for o in self.outputs], [o.end for o in other.outputs]):
            return "the results are kept elsewhere"
        if any(before.differs(now) for before, now in zip(self.outputs, other.outputs, strict=True)):
            return "the results are of another kind"
        if self.parts != other.parts:
            return "the operations read other parts of tensors"
        for before, now in zip(self.scalars, other.scalars, strict=True):
            if not _same_scalar(before, now):
                return f"the number {before} became {now}"
        if self.result_key != other.result_key or not _all_same(
            [r.end for r in self.returned], [r.end for r in other.returned]
        ):
            return "the returned values differ"
        if [r[1:] for r in self.returned] != [r[1:] for r in other.returned]:
            return "the returned tensors are other views"
        if self.argument_chains != other.argument_chains:
            return "an argument is another view"
        if self.blocks != other.blocks or self.drawings != other.drawings or len(self.actions) != len(other.actions):
            return "it draws other random numbers, or makes more optimizer steps"
        if not _identical(self.with_gradient, other.with_gradient):
            return "other gradients are there when the call begins"
        return None


def _all_same(ends: Sequence[Binding], others: Sequence[Binding]) -> bool:
    return len(ends) == len(others) and all(end.same(other) for end, other in zip(ends, others, strict=True))


def _identical(values: Sequence[object], others: Sequence[object]) -> bool:
    return len(values) == len(others) and all(map(is_, values, others))


def _same_scalar(before: Scalar | tuple[Any, ...], now: Scalar | tuple[Any, ...]) -> bool:
    if isinstance(before, float) and isinstance(now, float):
        return before.hex() == now.hex()
    return type(before) is type(now) and before == now
