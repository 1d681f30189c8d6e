"""The values that a backward pass needs, as PyTorch saves them, and the refusal of those written to since."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from lazygrad.autodiff.pullback import Pullback
from lazygrad.autograd_meta import is_tracked, tracked_inputs
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.versions import is_modified, looks_at_first_input, modified_error


def require_unmodified(outputs: Sequence[Node], steps: Sequence[Node], custom: Collection[Node]) -> None:
    """Checks all that the gradient of some nodes needs.

    What the gradient of a recorded gradient needs is not checked: it is that of the recorded values.

    Args:
        outputs: what is differentiated.
        steps: the nodes that the gradient flows through.
        custom: those whose pullback is a user's function, which checks what it saved itself.

    Raises:
        RuntimeError: a value was written to in place after a node that needs it was recorded.
    """
    if any(node.op is grad for node in steps):
        passed = set(topological_order(outputs, lambda node: () if node.op is grad else node.inputs))
        steps = [node for node in steps if node in passed and node.op is not grad]
    if not steps or not _any_modified(steps):
        return
    for node in steps:
        if node not in custom:
            _require_inputs_unmodified(node)


def _any_modified(steps: Sequence[Node]) -> bool:
    """Whether a value that some step reads or makes was written to after the first step: few programs have any."""
    first = min([node.serial for node in steps])
    for value in set(steps).union(*[node.inputs for node in steps]):
        since = None if value.autograd is None else value.autograd.superseded
        if since is None:  # no contents; `is_modified` looks for those that it is a view of
            if looks_at_first_input(value) and is_modified(value, first):
                return True
        elif since > first:
            return True
    return False


def _require_inputs_unmodified(node: Node) -> None:
    modified = [value for value in (*node.inputs, node) if is_modified(value, node.serial)]
    if modified:
        needed = _saved_by_pytorch(node)
        for value in modified:
            if value in needed:
                raise modified_error(value)


def _saved_by_pytorch(node: Node) -> list[Node]:
    """What the gradient of ``node`` refers to, less what PyTorch's formula does without."""
    if node.op is ew.div:
        numerator, denominator = node.inputs
        if numerator.op in (constant, scalar):
            return []
        return [numerator, denominator] if is_tracked(denominator) else [denominator]
    if node.op is ew.erfinv or node.op is ew.abs_:
        return [node.inputs[0]]
    values = (*node.inputs, node)
    distinct = list(dict.fromkeys(values))
    # Spelling a pullback out takes long, and every step of a training has the same.
    of_kind = (node.op, node.attrs, *[_kind(value, distinct.index(value)) for value in values])
    positions = _needed.get(of_kind)
    if positions is None:
        if len(_needed) >= _MOST_KINDS:
            _needed.clear()
        needed = Pullback(node, tracked_inputs(node)).needed
        positions = _needed[of_kind] = [values.index(value) for value in needed if value is not _unsaved(node)]
    return [values[position] for position in positions]


_MOST_KINDS = 1 << 12
_needed: dict[tuple[Any, ...], list[int]] = {}


def _kind(value: Node, position: int) -> tuple[Any, ...]:
    """What of a value decides whether a pullback refers to it; ``position`` says which values are the same."""
    return value.type, is_tracked(value), position, value.attrs if value.op is constant else None


def _unsaved(node: Node) -> Node | None:
    return None if node.op.unsaved_input is None else node.inputs[node.op.unsaved_input]
