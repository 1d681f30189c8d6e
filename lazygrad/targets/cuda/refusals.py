"""What is said of an operand that a device refused: the host does the step again, on copies of its operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.host.refusal import Refused
from lazygrad.host.strides import as_strided
from lazygrad.ir.dtype import DType
from lazygrad.ir.errors import LinAlgError
from lazygrad.ir.node import Node
from lazygrad.ir.op import Refusal
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.passes.views import view_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.cuda.table import Address
from lazygrad.targets.cuda.writer import address_of
from lazygrad.targets.evaluator import host_evaluator

_FOUND = {
    "cholesky": "The factorization could not be completed because the input is not positive-definite",
    "lu": "The input matrix is singular",
    "ldl": "The input matrix is singular",
    "lstsq": "The least squares solution could not be computed because the input matrix does not have full rank",
}

HostArray = Callable[[Address, DType, int], np.ndarray]


def refused_error(program: LoweredProgram, step: int, host_array: HostArray, scalars: Sequence[Any]) -> Exception:
    """The error of a step that refused an operand.

    Args:
        program: the plan.
        step: its number in the schedule.
        host_array: copies elements of a dtype to the host; what the step reads is there.
        scalars: the runtime scalars, by slot.
    """
    nodes = program.schedule.steps[step].nodes
    host = _HostStep(program, nodes, host_array, scalars)
    refusing = [node for node in nodes if node.op.may_refuse(node.attrs, node.dtype)]
    try:
        with np.errstate(all="ignore"):
            for node in refusing:
                host.value(node)
    except Exception as error:
        return error
    node = refusing[0]
    return _of_matrix(node) if node.op.refuses is Refusal.MATRIX else Refused(f"{node.op.name} refused an operand")


def _of_matrix(node: Node) -> LinAlgError:
    """Of a matrix at the edge, which the device's library refuses and the host's does not."""
    name = dict(node.named_attrs()).get("check") or f"linalg.{node.op.name}"
    return LinAlgError(f"{name}: {_FOUND.get(node.op.name, 'The algorithm failed to converge')}, as the device rounds")


class _HostStep:
    """A step of a plan as the host computes it, node by node."""

    def __init__(
        self, program: LoweredProgram, nodes: Sequence[Node], host_array: HostArray, scalars: Sequence[Any]
    ) -> None:
        self._program, self._host_array, self._scalars = program, host_array, scalars
        self._computed: dict[Node, Any] = {}
        self._own, self._evaluator = set(nodes), host_evaluator()

    def value(self, node: Node) -> Any:
        """What a node of the step, or an operand of it, holds."""
        if node not in self._own:
            return self._operand(node)
        if node not in self._computed:
            operands, made = [self.value(each) for each in node.inputs], np.empty(node.shape, to_numpy(node.dtype))
            computation = self._evaluator.computation(node)
            assert computation is not None  # a plan has no composites
            computation.compute(node, made, operands)
            self._computed[node] = made
        return self._computed[node]

    def _operand(self, node: Node) -> Any:
        base, view = view_of(node)
        if base.op is constant:
            return base["value"]
        if base.op is scalar:
            return self._scalars[base["slot"]]
        place = address_of(self._program.schedule, self._program.memory, base)
        flat = self._host_array(place, base.dtype, prod(base.shape))
        strides = tuple([stride * flat.itemsize for stride in view.strides])
        return as_strided(flat[view.offset :], view.shape, strides)
