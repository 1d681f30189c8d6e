"""Plans whose steps are timed on a device: each step belongs to one reading, and the results are the plan's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host.buffer import host_view, new_buffer
from lazygrad.runtime.recording import Recording
from lazygrad.targets.cuda.clocked import ClockedCudaCode
from lazygrad.targets.cuda.module import render_cuda_module
from lazygrad.tensor import Tensor
from tests.passes.programs import realized
from tests.targets.cuda.emulating import _Copied, emulating

PROGRAMS: dict[str, Callable[[], Tensor]] = {
    "a product and a kernel": lambda: lg.softmax(realized(8, 16) @ realized(16, 8), 1),
    "kernels that share a launch": lambda: lg.exp(realized(64)).sum() + lg.exp(realized(4, 64)).sum(),
    "one that may refuse": lambda: realized(8, 4)[lg.tensor([1, 7])] * 2,
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_step_belongs_to_one_reading(program: str) -> None:
    x = PROGRAMS[program]()
    with emulating() as target:
        plan = lg.stages(x).plan_object
        source = render_cuda_module(plan.program)
        clocked = ClockedCudaCode(source, plan.program, target.memory)
    assert list(chain(*clocked.readings)) == list(range(len(plan.schedule.steps)))
    recording = Recording([x.node()])
    outputs = [new_buffer(node.type) for node in plan.schedule.outputs]
    _Copied(clocked, target.driver).run([node.value for node in recording.buffers], outputs, recording.scalars)
    assert len(clocked.nanoseconds()) == len(clocked.readings) > 0
    assert min(clocked.nanoseconds()) >= 0
    with lg.backend("numpy"):
        np.testing.assert_allclose(host_view(outputs[0]).reshape(x.shape), x.numpy(), rtol=1e-5)
