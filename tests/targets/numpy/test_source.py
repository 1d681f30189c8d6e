"""What the plan promises is what the source does: functions, calls and loops are counted in the parsed module."""

from __future__ import annotations

import ast
from collections import Counter

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.ir.op import registry
from lazygrad.nn import functional as F
from lazygrad.runtime.plan import Plan
from lazygrad.targets.numpy.ops import UFUNCS
from lazygrad.targets.numpy.schedule import schedule_blocks
from tests.codegen.plans import PROGRAMS, plan_of
from tests.passes.programs import realized


def training_step() -> Plan:
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10))
    optimizer = lg.optim.Adam(model.parameters())
    F.cross_entropy(model(realized(8, 1, 8, 8)), lg.tensor(np.arange(8))).backward()
    optimizer.step()
    return lg.last_step().plan_object


def transposed_copies() -> Plan:
    x = realized(300, 200)
    return lg.stages(lg.softmax(x.T.exp(), 0).flip(1).reshape(-1) * 0.7).plan_object


PLANS = {name: lambda text=text: plan_of(text) for name, text in PROGRAMS.items()}
PLANS |= {"a training step": training_step, "views": transposed_copies}


def functions_of(plan: Plan) -> dict[str, ast.FunctionDef]:
    module = ast.parse(plan.sources["numpy"].text)
    return {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}


def called_names(function: ast.FunctionDef) -> list[str]:
    """Names called as whole statements or assignments of ``function``, in order."""
    calls = [node.value for node in function.body if isinstance(node, ast.Expr | ast.Assign)]
    return [call.func.id for call in calls if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)]


@pytest.mark.parametrize("name", PLANS)
def test_one_function_per_distinct_kernel(name: str) -> None:
    plan = PLANS[name]()
    names = [n for n in functions_of(plan) if n != "run" and not n.endswith("_finish")]
    assert (
        len(names) == len(plan.sources["numpy"].kernels) == len({step.kernel for step in plan.sources["numpy"].lowered})
    )


@pytest.mark.parametrize("name", PLANS)
def test_one_call_per_step(name: str) -> None:
    plan = PLANS[name]()
    functions = functions_of(plan)
    calls = [called for called in called_names(functions["run"]) if not called.endswith("_finish")]
    assert len(calls) == len(plan.schedule.steps) == plan.kernel_calls + plan.library_calls
    for called, group in zip(calls, plan.schedule.steps, strict=True):
        if group.is_library:
            assert called == group.nodes[0].op.name
        else:
            assert called in functions or called in ("parallel", "accumulate")


@pytest.mark.parametrize("name", PLANS)
def test_loops_are_the_ones_the_block_schedule_chose(name: str) -> None:
    plan = PLANS[name]()
    functions = [node for n, node in functions_of(plan).items() if n != "run" and not n.endswith("_finish")]
    for kernel, function in zip(plan.sources["numpy"].kernels, functions, strict=True):
        loops = [node for node in ast.walk(function) if isinstance(node, ast.For)]
        assert len(loops) == len(schedule_blocks(kernel).loops)


def test_the_loops_of_known_programs() -> None:
    loops = {
        name: sum(isinstance(node, ast.For) for node in ast.walk(ast.parse(plan_of(text).sources["numpy"].text)))
        for name, text in PROGRAMS.items()
    }
    assert loops == {"softmax": 0, "linear_relu": 0, "column_sum": 1, "several": 3}


COMBINING = {op.folding.combine for op in registry.values() if op.folding is not None}


@pytest.mark.parametrize("name", PLANS)
def test_fusion_computes_nothing_twice(name: str) -> None:
    """A ufunc call per instruction; ufuncs that also add up partial results cannot be told apart and are left out."""
    plan = PLANS[name]()
    instructions = Counter(i.op for kernel in plan.sources["numpy"].kernels for i in kernel.instructions)
    for op, ufunc in UFUNCS.items():
        if op not in COMBINING:
            assert plan.sources["numpy"].text.count(f"{ufunc}(") == instructions[op]


@pytest.mark.parametrize("name", PLANS)
def test_modules_compile_and_import_only_what_they_use(name: str) -> None:
    text = PLANS[name]().sources["numpy"].text
    compile(text, name, "exec")
    module = ast.parse(text)
    imported = [
        alias.asname or alias.name for node in module.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    assert set(imported) <= used


def test_names_and_comments_come_from_the_user() -> None:
    text = plan_of(PROGRAMS["linear_relu"]).sources["numpy"].text
    assert "fc_weight = inputs[1]  # f32[32,128]" in text
    assert "def linear_relu(" in text
    recorded_here = lg.stages(lg.exp(realized(8, 8)) * 2).plan_object.sources["numpy"].text
    assert "test_source.py:" in recorded_here


def test_equal_kernels_are_rendered_once() -> None:
    x = realized(8, 8)
    y = lg.tanh(lg.tanh(lg.tanh(x @ x) @ x) @ x)
    plan = lg.stages(y).plan_object
    assert plan.kernel_calls == 3
    assert len(plan.sources["numpy"].kernels) == 1


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_arithmetic_of_numbers_alone_has_the_dtype_of_the_result(name: str) -> None:
    x = lg.zeros(4, dtype=getattr(lg, name))
    x.fill_(7).mul_(5).add_(2)
    assert x.dtype is getattr(lg, name) and x.tolist() == [37] * 4
