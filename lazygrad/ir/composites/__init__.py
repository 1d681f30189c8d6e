"""Ops recorded as one node and spelled out by the decompose pass; importing this package registers all of them."""

from lazygrad.ir.composites import (
    activation,
    attention,
    gradients,
    linear,
    linear_algebra,
    logarithm,
    lookup,
    loss,
    normalization,
    optimizer,
    pooling,
    quotient,
    random,
    requirement,
    softmax,
    update_rules,
)

__all__ = [
    "activation",
    "attention",
    "gradients",
    "linear",
    "linear_algebra",
    "logarithm",
    "lookup",
    "loss",
    "normalization",
    "optimizer",
    "pooling",
    "quotient",
    "random",
    "requirement",
    "softmax",
    "update_rules",
]
