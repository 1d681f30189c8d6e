"""What is measured: a case is one piece of work, and the contenders are those who do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from tests.benchmarks.frameworks import Framework

Scale = Literal["full", "small"]
"""The sizes that are measured, or sizes that a test runs in milliseconds."""

Value = TypeVar("Value")

LAZYGRAD = "lazygrad"
PEERS = ("eager", "compile", "jax")
LABELS = {LAZYGRAD: "lazygrad", "eager": "torch eager", "compile": "torch.compile", "jax": "JAX jit"}


def at(scale: Scale, full: Value, small: Value) -> Value:
    """The size at that scale."""
    return full if scale == "full" else small


def identity(outputs: Sequence[Any]) -> Sequence[Any]:
    return outputs


@dataclass(frozen=True)
class Program:
    """Work that is ready to be done again and again.

    Attributes:
        function: does it once and returns its outputs, which may still be pending.
        arguments: what it is called with, so that a compiler sees inputs and not constants.
        as_torch: brings outputs to torch's layout, for comparing; never timed.
    """

    function: Callable[..., Sequence[Any]]
    arguments: Sequence[Any] = ()
    as_torch: Callable[[Sequence[Any]], Sequence[Any]] = identity

    def __call__(self) -> Sequence[Any]:
        return self.function(*self.arguments)


Prepare = Callable[[Framework, Scale], Program]


@dataclass(frozen=True)
class Contender:
    """One way to do the work.

    Attributes:
        peer: `LAZYGRAD` or one of `PEERS`: whose library, and how it is used.
        prepare: makes inputs and model; runs in the contender's own process.
        variant: tells apart several contenders of one peer, as in "fused".
    """

    peer: str
    prepare: Prepare
    variant: str = ""

    @property
    def label(self) -> str:
        return f"{LABELS[self.peer]}, {self.variant}" if self.variant else LABELS[self.peer]


@dataclass(frozen=True)
class Work:
    """The least any program must do at the full scale, for the roofline.

    Attributes:
        bytes: inputs and state read once, outputs and state written once; what lies between stays in the cache.
        flops: of matrix products and convolutions, a multiplication and an addition being two.
    """

    bytes: float
    flops: float = 0.0


@dataclass(frozen=True)
class Case:
    """Work that several contenders do; the first of them is the lazygrad that is compared with the others.

    Attributes:
        name: for the command line.
        title: for the tables.
        contenders: all who do it.
        work: see `Work`; None where a roofline would say nothing.
        target: the ratio of the best peer's time to ours to be reached.
        against: peers that count for the ratio; the others are only shown.
        tolerance: largest difference from torch's outputs, relative to the largest element of each.
        checked_calls: successive calls whose outputs are compared; more than one for programs with state.
    """

    name: str
    title: str
    contenders: tuple[Contender, ...]
    work: Work | None = None
    target: float | None = None
    against: tuple[str, ...] = PEERS
    tolerance: float = 1e-4
    checked_calls: int = 1

    def contender(self, label: str) -> Contender:
        return next(contender for contender in self.contenders if contender.label == label)


def compiled(program: Prepare) -> Prepare:
    """The same program with its whole function compiled by the framework's ``compile``."""

    def prepare(framework: Framework, scale: Scale) -> Program:
        plain = program(framework, scale)
        return Program(framework.compile(plain.function), plain.arguments, plain.as_torch)

    return prepare


def contenders(program: Prepare, jax: Prepare, *others: Contender) -> tuple[Contender, ...]:
    """The usual field: one program for lazygrad and torch, both eager and compiled as a whole, and JAX's own.

    Args:
        program: in PyTorch's words.
        jax: returns an already jitted program.
        others: further contenders.
    """
    usual = (
        Contender(LAZYGRAD, program),
        Contender("eager", program),
        Contender("compile", compiled(program)),
        Contender("jax", jax),
    )
    return tuple(sorted((*usual, *others), key=lambda contender: (LAZYGRAD, *PEERS).index(contender.peer)))
