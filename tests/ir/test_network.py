"""Graphs as networks: in Graphviz's language, as GraphML and as JSON, which is read back."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import networkx
import pytest

import lazygrad as lg
from lazygrad.inspect.stages.forms import Forms
from lazygrad.ir.text import same_graph


def forms() -> Forms:
    x, w = lg.randn(8, 4), lg.randn(3, 4, requires_grad=True)
    lg.realize_all([x, w])
    loss = (x @ w.T + float("inf")).softmax(1).clamp(min=-0.0).roll(2, 0).square().mean()
    loss.backward()
    assert w.grad is not None
    return lg.stages(w.grad)


def test_json_gives_the_same_graph() -> None:
    shown = forms()
    for graph in (shown.recorded.value, shown.differentiated.value, shown.primitive.value):
        read = lg.parse(graph.to_json())
        assert same_graph(read, graph)
        assert [str(node.origin or "") for node in read.nodes] == [str(node.origin or "") for node in graph.nodes]
    assert same_graph(lg.parse(shown.fused.value.to_json()), shown.primitive.value)


def test_names_survive_json() -> None:
    line = '%0: f32[2] = buffer slot=0 "odd \\" \\ud800 name" # a "file".py:3'
    graph = lg.parse(f"{line}\nreturn %0 %0")
    assert same_graph(lg.parse(graph.to_json()), graph)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"nodes": 3}',
        '{"nodes": [{"id": "x"}], "edges": [], "graph": {"roots": "0"}}',
        '{"nodes": [], "edges": [], "graph": {"roots": "7"}}',
        "{",
    ],
)
def test_json_that_is_no_graph(text: str) -> None:
    with pytest.raises(ValueError):
        lg.parse(text)


def test_files(tmp_path: Path) -> None:
    shown = forms()
    graph, fused = shown.primitive.value, shown.fused.value
    for form in (graph, fused):
        read = networkx.read_graphml(form.save(tmp_path / "graphs" / "g.graphml"))
        assert (len(read), read.number_of_edges()) == (len(graph), sum(len(node.inputs) for node in graph.nodes))
    groups = {data["group"] for _, data in read.nodes(data=True) if "group" in data}
    assert groups == set(range(len(fused.groups)))
    assert same_graph(lg.parse(graph.save(tmp_path / "g.txt").read_text()), graph)
    assert same_graph(lg.parse(graph.save(tmp_path / "g.json").read_text()), graph)
    with pytest.raises(ValueError, match=r"a graph is saved as .txt, .dot, .json, .graphml, not as .png"):
        graph.save(tmp_path / "g.png")


def test_dot_has_a_box_for_each_group(tmp_path: Path) -> None:
    shown = forms()
    text = shown.fused.value.to_dot()
    assert text.count("subgraph cluster_") == len(shown.fused.value.groups)
    assert text.count(" -> ") == sum(len(node.inputs) for node in shown.primitive.value.nodes)
    assert 'label="%' in text and "test_network.py:20" in text
    program = shutil.which("dot")
    if program:
        subprocess.run(
            [program, "-Tplain", shown.primitive.value.save(tmp_path / "g.dot")], check=True, capture_output=True
        )
