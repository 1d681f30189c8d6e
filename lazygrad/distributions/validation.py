"""Checks of parameters and samples: at once where the data is there, otherwise when it is computed.

A check that computed a pending graph would cut a training step into several programs. So what is pending is checked by
a `require` node, which is the value where the constraint holds: the error comes when the value is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from lazygrad.distributions.constraints import Constraint
from lazygrad.ir.device import CPU
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.levels import levels
from lazygrad.runtime.listening import listening
from lazygrad.runtime.realize import needs_no_plan
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


def known(value: Any) -> NDArray[Any] | float | None:
    """The elements of a tensor that is computed, or is small enough to be computed without a plan; of a number, itself.

    None for a tensor that is pending, and inside transforms and recordings of calls: what holds of this value need not
    hold of the next.
    """
    if not isinstance(value, Tensor):
        return float(value)
    contents = value._storage.value
    if listening.listener is not None or levels.active or contents.type.device is not CPU:
        return None
    if contents.value is None and not needs_no_plan(contents):
        return None
    return value.array()


def checked(value: Tensor, constraint: Constraint, complaint: Callable[[bool], str]) -> Tensor:
    """``value``, which satisfies a constraint, or will have to when it is computed.

    Args:
        value: what is checked.
        constraint: that its events must satisfy.
        complaint: the error's text up to what was found. Its argument says whether tensors are described by their
            shapes, since to print their elements would compute them.

    Raises:
        ValueError: the value is known, and does not satisfy the constraint. Otherwise the error is raised when the
            returned tensor is computed.
    """
    array = known(value)
    if array is None:
        valid = constraint.holds_at(value)
        return record(ew.require, (valid.node(), value.node()), ("ValueError", f"{complaint(True)}{{}}"))
    on_arrays = constraint.on_arrays(known)
    holds = constraint.check(value).all() if on_arrays is None else on_arrays.check(array).all()
    if not holds:
        raise ValueError(f"{complaint(False)}{value}")
    return value
