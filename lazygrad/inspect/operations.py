"""The table of every operation a graph can hold, from the registries: `python -m lazygrad operations`."""

from __future__ import annotations

from typing import Any

from lazygrad.autodiff.registry import NotDifferentiable, pullback_entry
from lazygrad.ir.op import Kind, Op, registry
from lazygrad.targets.devices import device_targets

_SECTIONS = {
    Kind.LEAF: "Leaves: what a graph begins with",
    Kind.ELEMENTWISE: "Elementwise: one output element from the input elements at its place; these fuse",
    Kind.MOVEMENT: "Movement: views, which compute nothing",
    Kind.PADDING: "Padding: a view with a border, read as a masked load by the kernel that uses it",
    Kind.IDENTITY: "Identities: the first input's value; only differentiation looks at them",
    Kind.REDUCTION: "Reductions: fold axes to size 1; these fuse",
    Kind.LIBRARY: "Library calls: BLAS, LAPACK, FFT, sorting, gathering, random numbers, long tails of scipy",
    Kind.TRANSFER: "Transfers: the same value on another device; a program has a plan on either side",
    Kind.COMPOSITE: "Composites: one line in a recorded graph, spelled out before fusion",
    Kind.CALLBACK: "Callbacks: where a user's function runs during differentiation",
    Kind.GRADIENT: "Gradients: recorded by backward, expanded by the differentiate pass",
}
_HEADER = """# The operations

Printed by `python -m lazygrad operations` from the registries; a test keeps this page equal to them. The column
*gradient* says `rule` where there is a pullback, `parts` where a composite is differentiated through its parts, else
why there is none. *Facts* are those of `Op` that are not what most ops have (lazygrad/ir/op.py says what they mean). In
the table of library calls, *served by* lists the targets of the CPU that have the call themselves; the others hand it
back to numpy.
"""


def operation_table() -> str:
    """All operations by kind, as Markdown."""
    lines = [_HEADER]
    for kind, title in _SECTIONS.items():
        ops = sorted((op for op in registry.values() if op.kind is kind), key=lambda op: op.name)
        if not ops:
            continue
        extra = " served by |" if kind is Kind.LIBRARY else ""
        rule = " --- |" if extra else ""
        lines += [f"## {title}\n", f"| operation | attributes | meaning | gradient | facts |{extra}"]
        lines.append(f"| --- | --- | --- | --- | --- |{rule}")
        lines += [_row(op, bool(extra)) for op in ops]
        lines.append("")
    return "\n".join(lines)


def operation_facts() -> list[dict[str, Any]]:
    """The same as dictionaries, one for each operation."""
    return [
        {
            "operation": op.name,
            "kind": kind.value,
            "attributes": list(op.attr_names),
            "meaning": op.doc,
            "gradient": _gradient(op),
            "facts": _facts(op),
            "served by": list(_serving(op)) if kind is Kind.LIBRARY else [],
        }
        for kind in _SECTIONS
        for op in sorted((op for op in registry.values() if op.kind is kind), key=lambda op: op.name)
    ]


def _row(op: Op, with_targets: bool) -> str:
    meaning = op.doc.replace("|", "\\|")
    attributes = ", ".join(f"`{name}`" for name in op.attr_names)
    targets = f" {', '.join(_serving(op))} |" if with_targets else ""
    return f"| `{op.name}` | {attributes} | {meaning} | {_gradient(op)} | {', '.join(_facts(op))} |{targets}"


def _serving(op: Op) -> list[str]:
    return [target.name for target in device_targets() if target.serves(op)]


def _facts(op: Op) -> list[str]:
    facts = [f"refuses {op.refuses.value}"] if op.refuses is not None else []
    facts += ["expensive"] if op.is_expensive else []
    facts += ["exact"] if op.is_exact else []
    facts += [f"folds by `{op.folding.combine.name}`"] if op.folding is not None else []
    facts += ["starts from its first input"] if op.starts_from_first else []
    facts += [f"input {i} is a number" for i in op.number_inputs]
    facts += [f"input {op.unsaved_input} is not saved for the gradient"] if op.unsaved_input is not None else []
    return facts


def _gradient(op: Op) -> str:
    entry = pullback_entry(op)
    if entry is None:
        return "parts" if op.kind is Kind.COMPOSITE else "none"
    return f"none: {entry.reason}" if isinstance(entry, NotDifferentiable) else "rule"
