"""Pullbacks of matrix products and convolutions. The three convolutions are each other's adjoints."""

from __future__ import annotations

from typing import Any

from lazygrad.autodiff.registry import DISCRETE, Cotangents, define_pullbacks
from lazygrad.ir.build import conj, filled, flat_rows, reshape, swap_last
from lazygrad.ir.composites.pooling import max_pool
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.shape import numel


def _matmul(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    a, b = conj(a), conj(b)
    if b.rank == 2:
        # One flat product instead of a batched one that would be summed over the batch.
        return ct.matmul(g, swap_last(b)), ct.matmul(swap_last(flat_rows(a)), flat_rows(g))
    return ct.matmul(g, swap_last(b)), ct.matmul(swap_last(a), g)


def _geometry(y: Node) -> dict[str, Any]:
    return {name: y[name] for name in ("stride", "padding", "dilation", "groups")}


def _conv(g: Node, y: Node, x: Node, weight: Node) -> Cotangents:
    return (
        ct.conv_input_grad(g, conj(weight), **_geometry(y), shape=x.shape),
        ct.conv_weight_grad(g, conj(x), **_geometry(y), shape=weight.shape),
    )


def _conv_input_grad(g: Node, y: Node, cotangent: Node, weight: Node) -> Cotangents:
    return (
        ct.conv(g, conj(weight), **_geometry(y)),
        ct.conv_weight_grad(conj(cotangent), g, **_geometry(y), shape=weight.shape),
    )


def _conv_weight_grad(g: Node, y: Node, cotangent: Node, x: Node) -> Cotangents:
    return (
        ct.conv(conj(x), g, **_geometry(y)),
        ct.conv_input_grad(conj(cotangent), g, **_geometry(y), shape=x.shape),
    )


def _max_pool(g: Node, y: Node, x: Node) -> Cotangents:
    """Each window's gradient goes to its first maximum."""
    rank = len(y["size"])
    planes, places = ((*shape[:-rank], numel(shape[-rank:])) for shape in (x.shape, y.shape))
    winners = reshape(ct.pool_argmax(x, **dict(y.named_attrs())), places)
    zeros = filled(planes, 0, g)
    return reshape(ix.scatter(zeros, reshape(g, places), winners, axis=len(planes) - 1, reduce="sum"), x.shape)


define_pullbacks(
    {
        ct.matmul: _matmul,
        ct.conv: _conv,
        ct.conv_input_grad: _conv_input_grad,
        ct.conv_weight_grad: _conv_weight_grad,
        ct.pool_argmax: DISCRETE,
        max_pool: _max_pool,
    }
)
