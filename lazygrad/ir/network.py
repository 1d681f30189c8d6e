"""Graphs as networks of vertices and edges: for networkx, and for the files that other programs read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazygrad.ir.attribute_text import print_attribute
from lazygrad.ir.node import Node
from lazygrad.ir.printable import quoted

if TYPE_CHECKING:
    import networkx

GROUP = "group"  # of a vertex: the number of the kernel or call that computes it


class AsNetwork:
    """What has a text and a network can be drawn and saved."""

    __slots__ = ()

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The network."""
        raise NotImplementedError

    def to_dot(self) -> str:
        """The network for Graphviz; what a kernel or a call computes lies in one box, where that is known."""
        return dot_text(self.to_networkx())

    def to_json(self) -> str:
        """The network in networkx's node-link form, from which `parse` makes the graph again."""
        return json_text(self.to_networkx())

    def save(self, path: str | Path) -> Path:
        """Write it to a file, in the form that the ending names; missing folders are made. Returns the path.

        Args:
            path: ends in ``.txt``, ``.dot``, ``.graphml`` or ``.json``.

        Raises:
            ValueError: it has another ending.
        """
        file = Path(path)
        forms = {".txt": self.__str__, ".dot": self.to_dot, ".json": self.to_json, ".graphml": self._graphml}
        if file.suffix not in forms:
            raise ValueError(f"a graph is saved as {', '.join(forms)}, not as {file.suffix or 'a file without ending'}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(forms[file.suffix]() + "\n", encoding="utf-8")
        return file

    def _graphml(self) -> str:
        import networkx

        return "\n".join(networkx.generate_graphml(_plain(self.to_networkx())))


def network(nodes: Sequence[Node], roots: Sequence[Node], names: Mapping[Node, str]) -> networkx.MultiDiGraph:
    """A ``networkx.MultiDiGraph``: vertices are numbers as in the text, edges carry ``position``.

    Args:
        nodes: all nodes, inputs first.
        roots: those that the graph returns; their numbers are the network's attribute ``roots``.
        names: what some of them are called.
    """
    import networkx

    numbers = {node: i for i, node in enumerate(nodes)}
    found = networkx.MultiDiGraph(roots=[numbers[root] for root in roots])
    for node, i in numbers.items():
        found.add_node(
            i,
            op=node.op.name,
            kind=node.op.kind.value,
            type=str(node.type),
            attrs=dict(node.named_attrs()),
            name=names.get(node, ""),
            origin=str(node.origin or ""),
            root=node in roots,
        )
        for position, source in enumerate(node.inputs):
            found.add_edge(numbers[source], i, position=position)
    return found


def dot_text(found: networkx.MultiDiGraph) -> str:
    """See `AsNetwork.to_dot`."""
    plain, lines = _plain(found), ["digraph {", '  node [shape=box, fontname="monospace"]']
    grouped: dict[int | None, list[int]] = {}
    for number, data in plain.nodes(data=True):
        grouped.setdefault(data.get(GROUP), []).append(number)
    for group, numbers in grouped.items():
        vertices = [f"  {number} [label={_label(number, plain.nodes[number])}]" for number in numbers]
        if group is None:
            lines += vertices
        else:
            lines += [
                f"  subgraph cluster_{group} {{",
                f'    label="group {group}"',
                *["  " + v for v in vertices],
                "  }",
            ]
    lines += [f"  {source} -> {target}" for source, target in plain.edges()]
    return "\n".join([*lines, "}"])


def _label(number: int, data: Mapping[str, Any]) -> str:
    rows = [f"%{number} {data['op']} {data['attrs']}".rstrip(), data["type"], data["name"], data["origin"]]
    return '"' + "\\n".join([row.replace("\\", "\\\\").replace('"', '\\"') for row in rows if row]) + '"'


def json_text(found: networkx.MultiDiGraph) -> str:
    """See `AsNetwork.to_json`."""
    import json  # which takes as long to import as a tenth of the package

    import networkx

    return json.dumps(networkx.node_link_data(_plain(found), edges="edges"), indent=1)


def text_of_json(text: str) -> str:
    """The text form of what `json_text` has written.

    Raises:
        ValueError: it is not such a text.
    """
    import json

    try:
        data = json.loads(text)
        inputs: dict[int, list[tuple[int, int]]] = {}
        for edge in data["edges"]:
            inputs.setdefault(int(edge["target"]), []).append((int(edge["position"]), int(edge["source"])))
        lines = []
        for vertex in data["nodes"]:
            number = int(vertex["id"])
            sources = "".join([f" %{source}" for _, source in sorted(inputs.get(number, []))])
            attrs = f" {vertex['attrs']}" if vertex["attrs"] else ""
            name = f' "{vertex["name"]}"' if vertex["name"] else ""
            origin = f" # {vertex['origin']}" if vertex["origin"] else ""
            lines.append(f"%{number}: {vertex['type']} = {vertex['op']}{sources}{attrs}{name}{origin}")
        roots = " ".join([f"%{number}" for number in data["graph"]["roots"].split()])
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno} is not a graph line (nor JSON: {error.msg}): {text[:40]!a}") from error
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"this JSON is no graph: {type(error).__name__}: {error}") from error
    return "\n".join([*lines, f"return {roots}"])


def _plain(found: networkx.MultiDiGraph) -> networkx.MultiDiGraph:
    """The same with numbers, truth values and ASCII texts only, since files know nothing else."""
    plain = found.copy()
    plain.graph["roots"] = " ".join(map(str, found.graph["roots"]))
    for _, data in plain.nodes(data=True):
        attrs = [f"{name}={print_attribute(value)}" for name, value in data["attrs"].items() if value is not None]
        data["attrs"] = " ".join(attrs)
        data["name"], data["origin"] = quoted(data["name"])[1:-1], quoted(data["origin"])[1:-1]
    return plain
