"""From a program that diverges to the smallest one that still does, and to a script that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lazygrad.inspect.checking.cutting import cut
from lazygrad.inspect.checking.graph_check import Finding
from lazygrad.inspect.checking.reference import Reference
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.passes.differentiate import is_computed_from

Shows = Callable[[Graph, Sequence[np.ndarray], str], bool]
_DEPTHS = (1, 2, 4)
_MOST_TRIED = 200  # each costs a plan on the backend that diverges


class Reproduction(NamedTuple):
    """A graph that shows a divergence.

    Attributes:
        graph: with buffers in slot order.
        values: of the buffers; empty if random ones will do.
        operation: what its root does; None if that could not be narrowed down.
    """

    graph: Graph
    values: list[np.ndarray]
    operation: str | None


def smallest(finding: Finding, shows: Shows) -> Reproduction:
    """The smallest part that was found of what a finding is about."""
    reference = Reference(finding.given)
    inside = _computed(finding.nodes, finding.given)
    for graph, leaves in _candidates(inside, finding.given):
        values = [np.asarray(reference(leaf)) for leaf in leaves]
        for tried in ([], values):
            if shows(graph, tried, finding.backend):
                return Reproduction(graph, tried, graph.roots[0].op.name)
    graph, leaves = cut(finding.nodes, finding.given)
    return Reproduction(graph, [reference(leaf) for leaf in leaves], None)


def _computed(nodes: Sequence[Node], given: Mapping[Node, np.ndarray]) -> list[Node]:
    order = topological_order(nodes, lambda node: () if node in given else node.inputs)
    return [node for node in order if node not in given and node.op.kind is not Kind.LEAF]


def _candidates(nodes: list[Node], given: Mapping[Node, np.ndarray]) -> Iterator[tuple[Graph, list[Node]]]:
    """Smaller programs, the smallest first: single operations, then with what is before them. No text comes twice.

    Each is the graph and the nodes that its buffers stand for.
    """
    seen: set[str] = set()
    for depth in _DEPTHS:
        for node in nodes:
            if node.op.kind is not Kind.MOVEMENT:
                graph, leaves = cut([node], _border(node, depth, given))
                text = str(graph)
                if text not in seen and _keeps_histories(graph):
                    seen.add(text)
                    yield graph, leaves
                if len(seen) >= _MOST_TRIED:
                    return


def _keeps_histories(graph: Graph) -> bool:
    """Whether each gradient is still one of something that is computed from what it is a gradient for."""
    gradients = [node for node in graph.nodes if node.op.kind is Kind.GRADIENT]
    return all(is_computed_from(output, target) for output, _, target in (node.inputs for node in gradients))


def _border(node: Node, depth: int, given: Mapping[Node, np.ndarray]) -> set[Node]:
    """What lies ``depth`` operations before a node; movements are no operations."""
    border: set[Node] = set()
    stack = [(source, depth - 1) for source in node.inputs]
    while stack:
        source, left = stack.pop()
        if source.op.kind is Kind.LEAF and source not in given:
            continue
        if source in given or (left == 0 and source.op.kind is not Kind.MOVEMENT):
            border.add(source)
        else:
            moved = source.op.kind is Kind.MOVEMENT
            stack += [(further, left if moved else left - 1) for further in source.inputs]
    return border


def write_script(path: Path, said: str, found: Reproduction, backend: str) -> Path:
    """A program that checks the graph again. Values that matter lie beside it, in a file of numpy's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    read = ""
    if found.values:
        np.savez(path.with_suffix(".npz"), *found.values)
        read = ', *np.load(Path(__file__).with_suffix(".npz")).values()'
    text = "\n".join(line.partition("  #")[0].rstrip() for line in str(found.graph).splitlines())
    chosen = f", backends=({backend!r},)" if backend else ""
    imports = "from pathlib import Path\n\nimport numpy as np\n" if read else ""
    path.write_text(
        f'"""{said!a}: written by lazygrad.check."""\n\nimport sys\n{imports}\nimport lazygrad as lg\n\n'
        f'GRAPH = """\\\n{text}\n"""\n\nreport = lg.check(lg.parse(GRAPH){read}{chosen}, script=None)\n'
        f"print(report)\nsys.exit(not report.ok)\n",
        encoding="utf-8",
    )
    return path
