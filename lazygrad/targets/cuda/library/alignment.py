"""Connectionist temporal classification: a block for each sequence, from the first step to the last, or back."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from lazygrad.codegen.escaping import code_lines
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import Array, each_element, operand, result, scratch_array
from lazygrad.targets.cuda.table import Parameter
from lazygrad.targets.cuda.writer import Writer

_BLOCK = 128
_MOST_BLOCKS = 1 << 10

Parameters = list[tuple[str, Parameter]]


def ctc(writer: Writer, node: Node, check: Callable[[], None]) -> None:
    """The forward variables of all steps, and behind them the losses."""
    given, values = _sequences(writer, node, [operand(writer, each) for each in node.inputs], check)
    out = result(writer, node)
    if not prod(node.shape):
        return
    kind, blocks = CUDA.memory_type(node.dtype), min(node.shape[0], _MOST_BLOCKS)
    _launch(
        writer,
        "ctc",
        blocks,
        [*given, (f"{kind} *out", out.start)],
        at_variable=out.place(["n", "step", "place"]),
        kind=kind,
        places=node.shape[2],
        **values,
    )


def ctc_gradients(writer: Writer, node: Node, check: Callable[[], None]) -> None:
    """The gradient of the losses in the scores."""
    cotangents, variables, *inputs = [operand(writer, each) for each in node.inputs]
    given, values = _sequences(writer, node, inputs, check)
    out = result(writer, node)
    if not prod(node.shape):
        return
    batch, _, places = variables.shape
    kind, blocks, labels_held = CUDA.memory_type(node.dtype), min(batch, _MOST_BLOCKS), max(places // 2, 1)
    own: Parameters = [
        (f"const {kind} *cotangents", cotangents.start),
        (f"const {kind} *variables", variables.start),
        (f"{kind} *onwards", scratch_array(writer, node.dtype, (blocks, 3, places)).start),
        ("i64 *links", scratch_array(writer, int64, (blocks, 2, labels_held)).start),
        (f"{kind} *out", out.start),
    ]
    _launch(
        writer,
        "ctc_gradients",
        blocks,
        [*given, *own],
        at_cotangent=cotangents.place(["n"]),
        at_variable=variables.place(["n", "step", "place"]),
        at_slope=out.place(["step", "n", "emitted"]),
        kind=kind,
        places=places,
        labels_held=labels_held,
        **values,
    )


def _sequences(
    writer: Writer, node: Node, inputs: list[Array], check: Callable[[], None]
) -> tuple[Parameters, dict[str, Any]]:
    """What both kernels are given of the scores, the targets and the lengths, which are looked at first."""
    scores, targets, steps, labels = inputs
    time, batch, classes = scores.shape
    lengths: Parameters = [
        ("const i64 *targets", targets.start),
        ("const i64 *steps", steps.start),
        ("const i64 *labels", labels.start),
    ]

    def values(sequence: str, label: str) -> dict[str, Any]:
        return {
            "at_target": targets.place([sequence, label]),
            "at_steps": steps.place([sequence]),
            "at_labels": labels.place([sequence]),
            "time": time,
            "classes": classes,
            "longest": targets.shape[1],
        }

    each_element(
        writer,
        "ctc_check",
        "ctc_check",
        (batch, max(targets.shape[1], 1)),
        [*lengths, ("i32 *refused", writer.word())],
        **values("i0", "i1"),
    )
    check()
    own = {"batch": batch, "blank": node["blank"], "at_score": scores.place(["step", "n", "emitted"])}
    return [(f"const {CUDA.memory_type(scores.dtype)} *scores", scores.start), *lengths], values("n", "i") | own


def _launch(writer: Writer, template: str, blocks: int, parameters: Parameters, **values: Any) -> None:
    declared = code_lines([declaration for declaration, _ in parameters])
    name = writer.library(template, template, parameters=declared, block=_BLOCK, blocks=blocks, **values)
    writer.launch(name, blocks, _BLOCK, [parameter for _, parameter in parameters])
