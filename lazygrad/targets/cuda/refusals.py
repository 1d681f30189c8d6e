"""What is said of an operand that a device refused: the host does the step again, on copies of its operands."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lazygrad.codegen.lower import LoweredKernel
from lazygrad.host.calls import calls
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.refusal import Refused
from lazygrad.host.strides import as_strided
from lazygrad.ir.dtype import DType
from lazygrad.ir.errors import DATA_ERRORS, LinAlgError
from lazygrad.ir.node import Node
from lazygrad.ir.op import Refusal
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.passes.views import view_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.cuda.table import Address
from lazygrad.targets.cuda.writer import address_of

_FOUND = {
    "cholesky": "The factorization could not be completed because the input is not positive-definite",
    "lu": "The input matrix is singular",
    "ldl": "The input matrix is singular",
    "lstsq": "The least squares solution could not be computed because the input matrix does not have full rank",
}

HostArray = Callable[[Address, DType, int], np.ndarray]


def refused_error(program: LoweredProgram, step: int, host_array: HostArray) -> Exception:
    """The error of a step that refused an operand.

    Args:
        program: the plan.
        step: its number in the schedule.
        host_array: copies elements of a dtype to the host; what the step reads is there.
    """
    group = program.schedule.steps[step]
    if not group.is_library:
        kernels = sum(not each.is_library for each in program.schedule.steps[:step])
        return _of_kernel(program.kernels[kernels])
    node = group.nodes[0]
    try:
        with np.errstate(all="ignore"):
            arguments = [_operand(program, source, host_array) for source in node.inputs]
            calls[node.op.name](np.empty(node.shape, to_numpy(node.dtype)), *arguments, **dict(node.named_attrs()))
    except Exception as error:
        return error
    return _of_matrix(node) if node.op.refuses is Refusal.MATRIX else Refused(f"{node.op.name} refused an operand")


def _of_matrix(node: Node) -> LinAlgError:
    """Of a matrix at the edge, which the device's library refuses and the host's does not."""
    name = dict(node.named_attrs()).get("check") or f"linalg.{node.op.name}"
    return LinAlgError(f"{name}: {_FOUND.get(node.op.name, 'The algorithm failed to converge')}, as the device rounds")


def _of_kernel(call: LoweredKernel) -> Exception:
    for instruction in call.kernel.instructions:
        if instruction.op.refuses is Refusal.CONDITION:
            error, message = instruction.attrs
            return DATA_ERRORS[error](message.replace("{}", "an element"))
    return RuntimeError("ZeroDivisionError: an integer tensor was divided by 0")


def _operand(program: LoweredProgram, node: Node, host_array: HostArray) -> Any:
    base, view = view_of(node)
    if base.op is constant:
        return base["value"]
    if base.op is scalar:
        return 0  # of those that may refuse, no operand is a number
    flat = host_array(address_of(program.schedule, program.memory, base), base.dtype, prod(base.shape))
    strides = tuple([stride * flat.itemsize for stride in view.strides])
    return as_strided(flat[view.offset :], view.shape, strides)
