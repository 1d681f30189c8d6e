"""check: it says ok of programs that are, and names what was broken on purpose."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.autodiff import registry
from lazygrad.inspect import CheckReport
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.memory import plan as memory_plan
from lazygrad.nn import functional as F
from lazygrad.passes import pipeline
from lazygrad.passes.rewrite import rewrite
from lazygrad.passes.simplify import simplify as original_simplify
from lazygrad.targets.c import templates as c_templates
from lazygrad.targets.numpy import templates as numpy_templates
from lazygrad.tensor import Tensor
from tests.passes.programs import realized


def softmax() -> Tensor:
    return lg.softmax(realized(8, 16) * 0.3 + 1, 1)


def gradients() -> list[Tensor | None]:
    weight = realized(8, 8, requires_grad=True)
    loss = F.cross_entropy(F.gelu(realized(4, 8) @ weight), lg.tensor([0, 1, 2, 3]))
    loss.backward()
    return [loss, weight.grad]


def second_backward() -> Tensor | None:
    """The loss is read before, so that the plan starts from its history."""
    weight = realized(8, 8, requires_grad=True)
    loss = lg.tanh(realized(4, 8) @ weight).square().mean()
    loss.item()
    loss.backward()
    return weight.grad


def written_in_place() -> Tensor:
    x = lg.exp(realized(8, 8))
    x[2:4] = lg.sin(realized(2, 8))
    x.index_add_(0, lg.tensor([0, 0, 7]), realized(3, 8))
    return x * 2


PROGRAMS: dict[str, Callable[[], Any]] = {
    "softmax": softmax,
    "gradients": gradients,
    "history": second_backward,
    "written in place": written_in_place,
    "destinations": lambda: lg.cat([lg.exp(realized(4, 32)), lg.sin(realized(4, 32))], 1).cumsum(1),
    "bfloat16": lambda: lg.softmax(realized(8, 16).to(lg.bfloat16), 1),
    "whole numbers": lambda: (lg.arange(12).reshape(3, 4) // 5 * 7 % 3).sum(0),
    "complex numbers": lambda: lg.fft.fft(realized(4, 8)).abs().log1p(),
    "bits": lambda: lg.nextafter(realized(8), lg.tensor(1.0)).view(lg.int32) & 255,
    "cancellation": lambda: (realized(64) * 1e-3 + 1e6) - 1e6,
    "part": lambda: realized(4, 8)[2] * 0.3,
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_diverges_where_nothing_is_broken(program: str) -> None:
    report = lg.check(PROGRAMS[program], backends=("numpy",), script=None)
    assert report.ok, str(report)


def test_both_backends() -> None:
    report = lg.check(gradients, script=None)
    assert report.ok, str(report)
    backends = {finding.backend for finding in report.findings}
    assert backends == {"", "numpy", "c"}


# Broken on purpose.


@pytest.fixture
def broken_pass(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def turned(node: Node) -> Node | None:
        return ew.mul(*node.inputs) if node.op is ew.div else None

    def simplify(graph: Graph) -> Graph:
        return rewrite(original_simplify(graph), turned)

    passes = [simplify if each is original_simplify else each for each in pipeline.PASSES]
    monkeypatch.setattr(pipeline, "PASSES", tuple(passes))
    yield


def break_template(monkeypatch: pytest.MonkeyPatch, templates: Any, name: str, line: str, broken: str) -> None:
    """In every line of a kernel, write one function for another."""
    owner = templates.render.__self__
    owner.render(name, **_EMPTY[name])
    environment = owner._environment
    source, _, _ = environment.loader.get_source(environment, name)
    changed = source.replace("{{ line }}", f'{{{{ line | replace("{line}", "{broken}") }}}}')
    assert changed != source
    monkeypatch.setitem(owner._templates, name, environment.from_string(changed))


_EMPTY: dict[str, dict[str, Any]] = {
    "kernel.py.j2": {"name": "a", "sizes": (), "places": "", "parameters": [], "loop": [], "accumulators": [],
                     "blocks": [], "finish": []},
    "kernel.c.j2": {"name": "a", "sizes": (), "places": "", "parameters": [], "arguments": [], "passed_on": [],
                    "of_chunk": [], "body": [], "finishes": [], "extent": 1, "grain": 1, "chunks": 0},
}  # fmt: skip


def masked(report: CheckReport) -> list[str]:
    return [re.sub(r"\d[\d.e+-]*", "#", line) for line in str(report).splitlines()]


def test_a_broken_pass_is_named(broken_pass: None, tmp_path: Path) -> None:
    report = lg.check(softmax, script=tmp_path / "deep" / "repro.py")
    assert report.first is not None and report.first.what == "pass simplify"
    assert masked(report)[:3] == [
        "check of # recorded operations: # passes, # steps on numpy, # steps on c",
        "DIVERGES: pass simplify: f#[#,#] is off by # × its largest element (# is allowed), recorded at "
        "test_check.py:#",
        "the first operation that shows it alone: div",
    ]
    assert report.script == tmp_path / "deep" / "repro.py"
    text = report.script.read_text(encoding="utf-8")
    assert text.count(" = ") == 5, "a graph of three nodes, and the report"
    with pytest.raises(SystemExit) as exit:  # here, where the pass is broken
        runpy.run_path(str(report.script), run_name="__main__")
    assert exit.value.code
    elsewhere = subprocess.run([sys.executable, report.script], capture_output=True, text=True)
    assert elsewhere.returncode == 0 and "\nok; " in elsewhere.stdout


def test_a_broken_numpy_template_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    break_template(monkeypatch, numpy_templates, "kernel.py.j2", "np.exp(", "np.exp2(")
    report = lg.check(softmax, backends=("numpy",), script=tmp_path / "repro.py")
    assert report.first is not None and report.first.backend == "numpy"
    assert report.first.what == "kernel of mul add reduce_max sub exp reduce_sum div"
    assert report.operation == "exp"
    assert "backends=('numpy',)" in (tmp_path / "repro.py").read_text(encoding="utf-8")


def test_a_broken_c_template_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    break_template(monkeypatch, c_templates, "kernel.c.j2", "lg_exp_f32(", "lg_exp2_f32(")
    report = lg.check(softmax, script=tmp_path / "repro.py")
    assert [finding.backend for finding in report.findings if finding.diverges] == ["c"]
    assert report.first is not None and report.first.what.startswith("kernel of mul add")
    assert report.operation == "exp"


def test_broken_memory_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_in_one_place(*arguments: Any) -> Any:
        temporaries, size = original(*arguments)
        return [replace(temporary, offset=0) for temporary in temporaries], size

    original = memory_plan.plan_arena
    monkeypatch.setattr(memory_plan, "plan_arena", all_in_one_place)

    def program() -> Tensor:
        a, b = lg.exp(realized(8, 8)) @ realized(8, 8), lg.sin(realized(8, 8)) @ realized(8, 8)
        return a @ b

    report = lg.check(program, backends=("numpy",), script=None)
    assert [finding.what for finding in report.findings if finding.diverges] == ["memory plan"]


def test_a_kernel_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    break_template(monkeypatch, numpy_templates, "kernel.py.j2", "np.exp(", "np.no_such(")
    report = lg.check(softmax, backends=("numpy",), script=None)
    assert report.first is not None
    assert str(report.first) == (
        "kernel of mul add reduce_max sub exp reduce_sum div on numpy fails: AttributeError: module 'numpy' has no "
        f"attribute 'no_such', recorded at {report.first.place}"
    )
    assert report.first.place.startswith("test_check.py:")


def test_values_that_matter_lie_beside_the_script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The absolute value is wrong for negative numbers only, and random inputs are positive."""
    break_template(monkeypatch, numpy_templates, "kernel.py.j2", "np.absolute(", "np.positive(")
    data = lg.tensor(np.float32([-1, 2, -3])).realize()
    report = lg.check(lambda: data.abs() + 1, backends=("numpy",), script=tmp_path / "repro.py")
    assert report.operation == "abs"
    with np.load(tmp_path / "repro.npz") as values:
        (kept,) = values.values()
    np.testing.assert_array_equal(kept, [-1, 2, -3])
    with pytest.raises(SystemExit) as exit:
        runpy.run_path(str(tmp_path / "repro.py"), run_name="__main__")
    assert exit.value.code


def test_what_is_refused() -> None:
    with pytest.raises(RuntimeError, match="realized already"):
        lg.check(realized(3))
    with pytest.raises(ValueError, match="no backend 'fpga' for cpu, only numpy, c"):
        lg.check(softmax, backends=("fpga",))
    with pytest.raises(TypeError, match="returns no tensor"):
        lg.check(lambda: 3)


def test_a_wrong_rule_of_derivatives_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    right = registry.pullbacks()[ew.tanh]

    def wrong(cotangent: Node, y: Node, x: Node) -> Node:
        return cotangent * (1.0 + y * y)

    monkeypatch.setitem(registry._table, ew.tanh, wrong)
    weight = realized(8, 8, requires_grad=True)

    def program() -> Tensor | None:
        weight.grad = None
        (lg.tanh(realized(4, 8) @ weight) * 2).square().mean().backward()
        return weight.grad

    report = lg.check(program, backends=("numpy",), script=tmp_path / "repro.py")
    assert report.first is not None and report.first.what == "gradient of tanh"
    assert str(report.first).endswith(f"recorded at {report.first.place}") and "from the slope" in str(report.first)
    with pytest.raises(SystemExit) as exit:
        runpy.run_path(str(tmp_path / "repro.py"), run_name="__main__")
    assert exit.value.code
    monkeypatch.setitem(registry._table, ew.tanh, right)
    report = lg.check(program, backends=("numpy",), script=None)
    assert report.ok and any(finding.is_slope for finding in report.findings)


CORNERS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu at 0": lambda x: F.relu(x * 0),
    "ties": lambda x: (x * 0).amax(1),
    "jumps": lambda x: x.round() + x.sign(),
    "a sum that vanishes": lambda x: F.layer_norm(x, (8,)),
    "infinite": lambda x: (x * 0).sqrt(),
    "detached": lambda x: x * x.detach(),
    "complex": lambda x: (lg.complex(x, x * 2) ** 2).abs(),
    "written to": lambda x: (y := x * 2).index_copy(0, lg.tensor([1]), x[:1] * 3) * y,
    "conv": lambda x: F.conv2d(x.reshape(1, 1, 8, 8), x[:3, :3].reshape(1, 1, 3, 3)),
}


@pytest.mark.parametrize("function", CORNERS)
def test_where_there_is_no_slope_nothing_is_said(function: str) -> None:
    x = realized(8, 8, requires_grad=True)

    def program() -> Tensor | None:
        x.grad = None
        CORNERS[function](x).sum().backward()
        return x.grad

    report = lg.check(program, backends=("numpy",), script=None)
    assert report.ok, str(report)


def test_a_pass_that_makes_no_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def simplify(graph: Graph) -> Graph:
        roots = [Node(root.op, root.inputs, root.attrs, realized(3).node().type) for root in graph.roots]
        return Graph(roots)

    passes = [simplify if each is original_simplify else each for each in pipeline.PASSES]
    monkeypatch.setattr(pipeline, "PASSES", tuple(passes))
    report = lg.check(softmax, script=None)
    assert report.first is not None and report.first.what == "pass simplify"
    assert "VerificationError: " in report.first.problem
