"""The forms of a program: they print, show, save, read back and convert."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.inspect import FORM_NAMES
from lazygrad.ir.text import same_graph
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor
from tests.passes.programs import realized


def gradient_program() -> Tensor:
    weight = realized(8, 8, requires_grad=True)
    F.cross_entropy(realized(4, 8) @ weight, lg.tensor([0, 1, 2, 3])).backward()
    assert weight.grad is not None
    return weight.grad


PROGRAMS = {
    "softmax": lambda: lg.softmax(realized(4, 8) * 0.3, 1),
    "gradient": gradient_program,
    "views and calls": lambda: lg.cat([realized(4, 8).T, realized(8, 4)], 1)[1:, ::2].flip(0).cumsum(0),
}
GRAPH_FORMS = ("recorded", "differentiated", "primitive")


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_form_prints_shows_and_saves(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forms = lg.stages(PROGRAMS[program]())
    assert [form.name for form in forms] == [*FORM_NAMES, "numpy", "c"]
    for form in forms:
        text = str(form)
        assert text.strip()
        form.show()
        assert capsys.readouterr().out == text + "\n"
        path = form.save(tmp_path / "deep" / form.name)
        assert path.read_text(encoding="utf-8") == text + "\n"
        assert form.name in repr(form)


@pytest.mark.parametrize("name", ["recorded", "fused"])
def test_a_form_that_is_a_graph_is_saved_as_its_ending_says(name: str, tmp_path: Path) -> None:
    form = getattr(lg.stages(PROGRAMS["softmax"]()), name)
    path = form.save(tmp_path / "graph.dot")
    assert path.read_text(encoding="utf-8") == form.value.to_dot() + "\n"


def test_several_tensors_are_one_program() -> None:
    x = realized(8, 8, requires_grad=True)
    loss = lg.tanh(x).square().mean()
    loss.backward()
    assert x.grad is not None
    asked = lg.stages([loss, x.grad]).recorded.value.roots[:2]
    assert [root.shape for root in asked] == [(), (8, 8)]
    for wrong in ([], [loss, None], None):
        with pytest.raises(TypeError, match="argument 'x' must be Tensor"):
            lg.stages(wrong)  # type: ignore[arg-type]


def test_a_source_that_there_is_not() -> None:
    with pytest.raises(KeyError, match="there is no source 'C'; this program has 'numpy', 'c'"):
        lg.stages(PROGRAMS["softmax"]()).sources["C"]


def test_forms_do_not_compute() -> None:
    x = lg.exp(realized(4, 8))
    plan = lg.stages(x).plan_object
    assert x.node().value is None
    assert plan.runs == 0


def test_each_form_shows_what_it_is_about() -> None:
    forms = lg.stages(gradient_program())
    assert "= grad %" in str(forms.recorded)
    assert "cross_entropy" in str(forms.recorded)
    assert "= grad %" not in str(forms.differentiated)
    assert "cross_entropy %" not in str(forms.primitive)
    assert "group 0: " in str(forms.fused) and "decision: " in str(forms.fused)
    assert "step 0: " in str(forms.plan) and "bytes moved" in str(forms.plan)
    assert "def run(inputs, outputs, arena, scalars):" in str(forms.sources["numpy"])
    assert repr(forms).startswith(f"<forms of plan {forms.plan_object.number}: ")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("form", GRAPH_FORMS)
def test_graphs_read_back(program: str, form: str) -> None:
    graph = getattr(lg.stages(PROGRAMS[program]()), form).value
    again = lg.parse(str(graph))
    assert same_graph(again, graph)
    assert str(again) == str(graph)


@pytest.mark.parametrize("program", PROGRAMS)
def test_dump_writes_numbered_files(program: str, tmp_path: Path) -> None:
    paths = lg.dump(PROGRAMS[program](), tmp_path / "forms")
    assert [path.name for path in paths] == [
        "1_recorded.txt", "2_differentiated.txt", "3_primitive.txt", "4_fused.txt", "5_plan.txt", "6_numpy.py",
        "7_c.c"
    ]  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "forms").iterdir()) == [path.name for path in paths]
    compile(paths[-2].read_text(encoding="utf-8"), paths[-2].name, "exec")
    assert "i32 run(" in paths[-1].read_text(encoding="utf-8")
    assert lg.parse(paths[0].read_text(encoding="utf-8")).roots


def test_networkx() -> None:
    graph = gradient_program().graph()
    converted = graph.to_networkx()
    assert converted.number_of_nodes() == len(graph)
    assert converted.number_of_edges() == sum(len(node.inputs) for node in graph.nodes)
    assert list(nx.topological_sort(converted))
    roots = [number for number, data in converted.nodes(data=True) if data["root"]]
    assert roots == [graph.nodes.index(graph.roots[0])]
    (gradient,) = (number for number, data in converted.nodes(data=True) if data["op"] == "grad")
    edges = {data["position"]: source for source, _, data in converted.in_edges(gradient, data=True)}
    assert [graph.nodes[edges[position]] for position in range(3)] == list(graph.nodes[gradient].inputs)


def test_a_realized_tensor_has_a_program_of_one_buffer() -> None:
    x = realized(4, 8)
    assert [node.op.name for node in x.graph().nodes] == ["buffer"]
    assert lg.stages(x).plan_object.kernel_calls == 0


def test_last_step_is_what_ran_last() -> None:
    model = nn.Linear(8, 4)
    optimizer = lg.optim.SGD(model.parameters(), lr=0.1)
    model(realized(2, 8)).sum().backward()
    optimizer.step()
    forms = lg.last_step()
    assert forms.plan_object.runs == 1
    assert "linear" in str(forms.recorded)
    realized(3, 3).exp().realize()
    assert "linear" not in str(lg.last_step().recorded)


def test_positions_name_the_users_line_and_module() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(8, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x)

    text = str(Net()(realized(2, 8)).graph())
    line = next(line for line in text.splitlines() if "= linear" in line)
    assert "test_forms.py:" in line and line.endswith("Net.inner")


def test_the_plan_is_a_network_of_steps_and_buffers(tmp_path: Path) -> None:
    x = realized(8, 8)
    form = lg.stages(lg.softmax((x @ x).tanh() @ x, 1)).plan
    assert form.network is not None
    found = form.network.to_networkx()
    steps = [number for number, data in found.nodes(data=True) if data["kind"] != "buffer"]
    assert [found.nodes[i]["op"] for i in steps] == ["matmul", "tanh", "matmul", "softmax"]
    assert [found.nodes[i]["kind"] for i in steps] == ["call", "kernel", "call", "kernel"]
    places = [data["op"] for _, data in found.nodes(data=True) if data["kind"] == "buffer"]
    assert sorted(places) == ["arena", "arena", "arena", "input", "output"]
    for number in steps:
        touched = {*found.predecessors(number), *found.successors(number)}
        assert found.nodes[number]["attrs"]["bytes"] == sum(found.nodes[i]["attrs"]["bytes"] for i in touched)
    [result] = found.graph["roots"]
    assert found.nodes[result]["op"] == "output" and set(found.predecessors(result)) == {steps[-1]}
    assert nx.is_directed_acyclic_graph(found)
    assert 'label="%3 softmax bytes=512\\n8×8' in form.save(tmp_path / "plan.dot").read_text(encoding="utf-8")
    assert nx.read_graphml(form.save(tmp_path / "plan.graphml")).number_of_nodes() == len(found)
    written = json.loads(form.save(tmp_path / "plan.json").read_text(encoding="utf-8"))
    assert len(nx.node_link_graph(written, edges="edges")) == len(found)
    assert form.save(tmp_path / "plan.txt").read_text(encoding="utf-8").startswith("plan ")


def test_parts_of_a_joined_value_are_edges_to_the_whole() -> None:
    x = realized(4, 8)
    form = lg.stages(lg.cat([lg.exp(x), lg.sin(x).sum(0, keepdim=True)], 0) * 2).plan
    assert form.network is not None
    found = form.network.to_networkx()
    buffers = [number for number, data in found.nodes(data=True) if data["kind"] == "buffer"]
    assert all(found.degree(number) for number in buffers)
