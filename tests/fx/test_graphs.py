"""Graphs, their code and what it computes, and what is done with them: as ``torch.fx`` does it, on the same source."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lazygrad as lg
from tests.programs.loading import load_file

FOLDER = Path(__file__).parent
TRACED, REWRITING = (load_file(FOLDER / name, "lazygrad", is_listed=True) for name in ("traced.py", "rewriting.py"))


@pytest.fixture(scope="module")
def of_torch(torch: Any) -> dict[str, Any]:
    return {name: load_file(FOLDER / f"{name}.py", "torch", is_listed=True) for name in ("traced", "rewriting")}


def _plain(text: str) -> str:
    """A text without the modules of functions, and the prefixes that PyTorch's own library gives some of them."""
    text = re.sub(r"(?<![a-z])(linalg|special|fft)_(?=norm|entr|fft)", "", text)
    text = text.replace("lazygrad", "torch").replace("torch._C._nn", "torch")
    return re.sub(r"\btorch(\.\w+)*\.(\w+)", r"\2", text)


def _listed(graph: Any) -> list[Any]:
    def name(target: Any) -> str:
        return target if isinstance(target, str) else target.__name__

    return [
        (
            n.op,
            _plain(n.name),
            _plain(name(n.target)),
            _plain(str(n.args)),
            _plain(str(n.kwargs)),
            [_plain(str(user)) for user in n.users],
        )
        for n in graph.nodes
    ]


def _same(ours: Any, theirs: Any) -> bool:
    if hasattr(ours, "tolist") and hasattr(theirs, "tolist"):
        return _same(ours.tolist(), theirs.tolist())
    if isinstance(ours, dict):
        return list(ours) == list(theirs) and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, (list, tuple)):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(ours, float):
        return bool(ours == pytest.approx(theirs, rel=1e-4, abs=1e-6, nan_ok=True))
    if isinstance(ours, (bool, int, type(None))):
        return bool(ours == theirs)
    return _plain(str(ours)) == _plain(str(theirs))


@pytest.mark.parametrize("name", [function.__name__ for function in TRACED.FUNCTIONS])
def test_functions_have_the_graphs_and_code_of_torch(name: str, of_torch: Any, torch: Any) -> None:
    ours = lg.fx.symbolic_trace(getattr(TRACED, name))
    theirs = torch.fx.symbolic_trace(getattr(of_torch["traced"], name))
    assert _listed(ours.graph) == _listed(theirs.graph)
    assert _plain(ours.code) == _plain(theirs.code)
    assert _plain(str(ours.graph)) == _plain(str(theirs.graph))
    assert [n.type is None for n in ours.graph.nodes] == [n.type is None for n in theirs.graph.nodes]


@pytest.mark.parametrize("name", [function.__name__ for function in TRACED.RUN])
def test_functions_compute_the_same(name: str, of_torch: Any, torch: Any) -> None:
    ours = lg.fx.symbolic_trace(getattr(TRACED, name))
    theirs = torch.fx.symbolic_trace(getattr(of_torch["traced"], name))
    values = [[[1.0, -2.0], [0.5, 3.0]], [[2.0, 1.0], [-1.0, 0.25]]]
    count = sum(n.op == "placeholder" and not n.args for n in ours.graph.nodes)
    assert _same(ours(*map(lg.tensor, values[:count])), theirs(*map(torch.tensor, values[:count])))
    assert _same(
        lg.fx.Interpreter(ours).run(*map(lg.tensor, values[:count])), theirs(*map(torch.tensor, values[:count]))
    )
    again = lg.fx.symbolic_trace(ours) if name != "structures" else ours
    assert [n.op for n in again.graph.nodes] == [n.op for n in ours.graph.nodes]


@pytest.mark.parametrize("name", TRACED.MODULES)
def test_modules_have_the_graphs_and_code_of_torch(name: str, of_torch: Any, torch: Any) -> None:
    made = []
    for t, source in ((lg, TRACED), (torch, of_torch["traced"])):
        build, shape = source.MODULES[name]
        t.manual_seed(0)
        model = build()
        traced = t.fx.symbolic_trace(model)
        x = t.linspace(-1.0, 1.0, t.ones(shape).numel()).reshape(shape)
        assert _same(traced(x), model(x))
        made.append((traced, traced(x)))
    (ours, ours_result), (theirs, theirs_result) = made
    assert _listed(ours.graph) == _listed(theirs.graph)
    assert _plain(ours.code) == _plain(theirs.code)
    assert sorted(ours.state_dict()) == sorted(theirs.state_dict())
    assert _same(ours_result, theirs_result)


@pytest.mark.parametrize("name", [function.__name__ for function in TRACED.REFUSED])
def test_what_cannot_be_traced_is_refused_in_torchs_words(name: str, of_torch: Any, torch: Any) -> None:
    errors = []
    for t, source in ((lg, TRACED), (torch, of_torch["traced"])):
        with pytest.raises(Exception) as caught:
            t.fx.symbolic_trace(getattr(source, name))
        errors.append((type(caught.value).__name__, str(caught.value)))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("name", REWRITING.PROGRAMS)
def test_programs_that_work_with_graphs(name: str, of_torch: Any) -> None:
    ours, theirs = REWRITING.PROGRAMS[name](), of_torch["rewriting"].PROGRAMS[name]()
    assert _same(ours, theirs), f"{ours}\n{theirs}"


def test_functions_are_ordinary_after_a_trace() -> None:
    relu = lg.nn.functional.relu
    call = lg.nn.Module.__call__
    with pytest.raises(ValueError, match="control flow"):
        lg.fx.symbolic_trace(TRACED.if_of_a_value)
    assert lg.nn.functional.relu is relu and lg.nn.Module.__call__ is call
    traced = lg.fx.symbolic_trace(lambda x: lg.add(lg.nn.functional.relu(x), 1))
    targets = [node.target for node in traced.graph.nodes if node.op == "call_function"]
    assert targets[0] is relu and targets[1] is lg.add


def test_tables_without_tabulate(capsys: pytest.CaptureFixture[str]) -> None:
    lg.fx.symbolic_trace(lambda x: lg.relu(x) + 1).graph.print_tabular()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["opcode", "name", "target", "args", "kwargs"]
    assert len(lines) == 6 and lines[3].split()[:2] == ["call_function", "relu"]


def test_what_is_left_out_says_so() -> None:
    graph = lg.fx.Graph()
    for absent in (graph.set_codegen, graph.on_generate_code, graph.placeholder("x").normalized_arguments):
        with pytest.raises(NotImplementedError, match="lazygrad has no fx"):
            absent()


def test_asserts_are_recorded_by_a_tracer_that_asks_for_it() -> None:
    """Also where PyTorch's does not know the bytecode of this Python."""

    class Asserting(lg.fx.Tracer):
        trace_asserts = True

    graph = Asserting().trace(TRACED.asserted)
    assert [node.name for node in graph.nodes] == ["x", "dim", "eq", "_assert", "add", "output"]


def test_errors_name_the_node() -> None:
    traced = lg.fx.symbolic_trace(lambda x: x.reshape(7))
    with pytest.raises(RuntimeError) as caught:
        lg.fx.Interpreter(traced).run(lg.ones(2))
    assert "call_method[target=reshape]" in caught.value.__notes__[0]


def test_under_the_name_torch() -> None:
    program = """
import lazygrad
lazygrad.as_torch()
import torch
from torch.fx import symbolic_trace, Interpreter
from torch.fx.node import Node
from torch.fx.passes.shape_prop import ShapeProp
def body(x): return torch.nn.functional.relu(x, inplace=False) + torch.ones(2, dtype=torch.float32).to(torch.float64)
traced = symbolic_trace(body)
assert "torch.nn.functional.relu(x" in traced.code and "torch.float64" not in traced.code, traced.code
assert traced(torch.tensor([-1.0, 1.0])).tolist() == [1.0, 2.0]
made = symbolic_trace(lambda x: x.new_zeros(2, dtype=torch.float64, device=torch.device("cpu")))
assert "dtype = torch.float64" in made.code and made(torch.ones(1)).dtype == torch.float64
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_graph_modules_are_compiled_like_others() -> None:
    traced = lg.fx.symbolic_trace(lg.nn.Sequential(lg.nn.Linear(2, 3), lg.nn.ReLU()))
    step = lg.compile(traced)
    x = lg.ones(4, 2)
    with lg.no_grad():
        assert all((step(x + i) == traced(x + i)).all() for i in range(4))
        assert "replayed" in step.explain()
    assert "<eval_with_key>" in str(traced(x).graph())


def test_graph_modules_are_saved_and_loaded() -> None:
    traced, file = lg.fx.symbolic_trace(lg.nn.Sequential(lg.nn.Linear(2, 3), lg.nn.ReLU())), io.BytesIO()
    lg.save(traced, file)
    file.seek(0)
    read = lg.load(file, weights_only=False)
    assert read.code == traced.code and lg.equal(read(lg.ones(2, 2)), traced(lg.ones(2, 2)))
