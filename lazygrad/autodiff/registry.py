"""The table of pullbacks: for every op a rule, a reason why it has none, or (composites) its decomposition.

A rule is ``rule(g, y, *inputs)``: ``g`` is the cotangent of the output, ``y`` the output node, whose attributes it
reads as ``y["axis"]``. It returns one cotangent per input, None where no gradient flows; a rule of an op with one
input may return it bare. A cotangent may have the shape its input was broadcast to: the sweep sums it down. It may
also be a function that makes it, called only if that input's gradient is asked for.

The gradient of a real number L with respect to a complex z = x + iy is ∂L/∂x + i·∂L/∂y, as in PyTorch: the direction
of steepest ascent. So a rule multiplies by the conjugate of a holomorphic function's derivative. `build.conj` adds no
node for real numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

from lazygrad.ir.composites.define import widen
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op

Cotangent = Node | Callable[[], Node] | None
Cotangents = Cotangent | tuple[Cotangent, ...]
PullbackRule = Callable[..., Cotangents]


def made(cotangent: Cotangent) -> Node | None:
    """A cotangent that a rule left to be made when it is wanted, made."""
    return cotangent if cotangent is None or isinstance(cotangent, Node) else cotangent()


class NotDifferentiable:
    """Marks an op through which no gradient flows.

    Attributes:
        reason: why, as a clause for messages and for the op table.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"not differentiable: {self.reason}"


DISCRETE = NotDifferentiable("its result is a bool or an integer")
LEAF = NotDifferentiable("it has no inputs")

_table: dict[Op, PullbackRule | NotDifferentiable] = {}


def define_pullbacks(rules: Mapping[Op, PullbackRule | NotDifferentiable]) -> None:
    """Add rules or markers to the table.

    To define them again is harmless: a file whose loading was interrupted is loaded once more.
    """
    _table.update(rules)


@cache
def pullbacks() -> Mapping[Op, PullbackRule | NotDifferentiable]:
    """The whole table. The first call loads the rules, and a call that is interrupted leaves that to the next."""
    import_module("lazygrad.autodiff.rules")
    return _table


def pullback_entry(op: Op) -> PullbackRule | NotDifferentiable | None:
    """The rule or marker of ``op``; None for a composite that is differentiated through its decomposition."""
    return pullbacks().get(op)


def is_differentiable(op: Op) -> bool:
    """Whether a gradient can flow from ``op``'s output to an input (it may be 0)."""
    return not isinstance(pullbacks().get(op), NotDifferentiable)


def in_float32(rule: PullbackRule) -> PullbackRule:
    """``rule`` with a 16-bit cotangent and inputs in float32, as PyTorch computes them; the sweep casts back.

    ``y`` stays the output node itself, whose attributes the rule reads: as a value, use ``widen(y)``.
    """

    def widened(g: Node, y: Node, *inputs: Node) -> Cotangents:
        return rule(widen(g), y, *[widen(source) for source in inputs])

    return widened
