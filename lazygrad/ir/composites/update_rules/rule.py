"""How an update rule is defined."""

from __future__ import annotations

from lazygrad.ir.callable_op import Composite
from lazygrad.ir.composites.define import Formula, composite, float_like_first


def pointwise_rule(name: str, formula: Formula, doc: str) -> Composite:
    """A rule whose result has the shape and dtype of the first input; the others broadcast into it."""
    return composite(name, formula, float_like_first(name), doc=doc)
