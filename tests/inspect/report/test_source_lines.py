"""Each line of a kernel says which primitives it computes, in every language."""

from __future__ import annotations

import pytest

import lazygrad as lg
from lazygrad.inspect.report.source_lines import SourceMap
from lazygrad.targets.base import Target
from lazygrad.targets.c.target import CTarget
from lazygrad.targets.cuda.target import CudaTarget
from lazygrad.targets.numpy.target import NumpyTarget
from tests.passes.programs import realized


@pytest.mark.parametrize("target", [NumpyTarget(), CTarget(), CudaTarget()], ids=lambda target: target.name)
def test_each_step_has_lines_for_all_that_it_computes(target: Target) -> None:
    y = lg.softmax(realized(64, 32) @ realized(32, 16) + 1.0, 1).sum(0)
    program = lg.stages(y).plan_object.program
    source = target.render(program)
    found, lines = SourceMap(program, source), source.text.splitlines()
    for number, group in enumerate(program.schedule.steps):
        assert set(group.nodes) <= {node for line in found.steps[number] for node in found.nodes.get(line, ())}
    exponentials = [line for line, nodes in found.nodes.items() if [node.op.name for node in nodes] == ["exp"]]
    assert exponentials and all("exp" in lines[line - 1] or "kept" in lines[line - 1] for line in exponentials)
    assert any("exp" in lines[line - 1] for line in exponentials)
