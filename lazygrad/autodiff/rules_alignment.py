"""Pullbacks of connectionist temporal classification: its losses are differentiated, not what lies beside them."""

from __future__ import annotations

from lazygrad.autodiff.alignments import spelled_out_losses
from lazygrad.autodiff.padded_parts import part_of
from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import reshape, zeros_like
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives import alignment as al
from lazygrad.ir.primitives.leaf import straight_through


def _ctc(g: Node, y: Node, scores: Node, *others: Node) -> Cotangents:
    batch, rows, _ = y.shape
    found = part_of(g, (0, rows - 1, 0), (batch, rows, 1))
    if found is None:
        return (zeros_like(scores), None, None, None)
    return (al.ctc_gradients(reshape(found, (batch,)), y, scores, *others, blank=y["blank"]), None, None, None)


def _ctc_gradients(g: Node, y: Node, cotangent: Node, result: Node, scores: Node, *others: Node) -> Cotangents:
    """Through the steps as operations that have derivatives. The result of `ctc` is a function of its inputs."""
    variables = [make_node(straight_through, (x, x), (), x.origin) for x in (cotangent, scores)]
    losses = spelled_out_losses(variables[1], others, y["blank"])
    gradient = reverse_sweep(losses, variables[0], variables[1:])[variables[1]]
    found = reverse_sweep(gradient, g, variables)
    return (found.get(variables[0]), None, found.get(variables[1]), None, None, None)


define_pullbacks({al.ctc: _ctc, al.ctc_gradients: _ctc_gradients})
