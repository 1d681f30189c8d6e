"""Gradient-check cases of the composites that are gradients themselves."""

from __future__ import annotations

from lazygrad.ir.composites import gradients as gr

from .case import Case, uniform
from .cases_composites import IMAGE, ROWS, TARGET
from .cases_elementwise import OTHER, SIGNED

MEAN, VARIANCE, WEIGHT = uniform(1, 3, 1), uniform(1, 3, 1, low=0.5), uniform(1, 3, 1, seed=4)

CASES: dict[str, list[Case]] = {
    **{
        f"{name}_gradient": [Case(getattr(gr, f"{name}_gradient"), (OTHER, SIGNED))]
        for name in ("relu", "sigmoid", "tanh", "silu")
    },
    "leaky_relu_gradient": [Case(lambda g, x: gr.leaky_relu_gradient(g, x, slope=0.1), (OTHER, SIGNED))],
    "gelu_gradient": [
        Case(lambda g, x, a=a: gr.gelu_gradient(g, x, approximate=a), (OTHER, SIGNED)) for a in ("none", "tanh")
    ],
    "softmax_gradient": [Case(lambda g, y: gr.softmax_gradient(g, y, axis=1), (uniform(2, 4, seed=1), ROWS))],
    "log_softmax_gradient": [Case(lambda g, y: gr.log_softmax_gradient(g, y, axis=0), (uniform(2, 4, seed=1), ROWS))],
    "layer_norm_gradient": [
        Case(lambda g, x: gr.layer_norm_gradient(g, x, axes=(1,), eps=1e-2), (uniform(2, 4, seed=1), ROWS)),
        Case(
            lambda g, x, w: gr.layer_norm_gradient(g, x, w, axes=(1, 2), eps=1e-2),
            (uniform(2, 3, 2, seed=1), IMAGE, uniform(3, 2, seed=2)),
        ),
    ],
    "layer_norm_weight_gradient": [
        Case(
            lambda g, x: gr.layer_norm_weight_gradient(g, x, axes=(1,), eps=1e-2, shape=(4,)),
            (uniform(2, 4, seed=1), ROWS),
        )
    ],
    "cross_entropy_gradient": [
        Case(
            lambda g, x, s=smoothing: gr.cross_entropy_gradient(
                g, x, TARGET, axis=1, ignore_index=-100, label_smoothing=s
            ),
            (uniform(4, 1, seed=1), uniform(4, 4)),
        )
        for smoothing in (0.0, 0.2)
    ],
    "variance_gradient": [
        Case(lambda g, x: gr.variance_gradient(g, x, axes=(0, 2), correction=1), (uniform(1, 3, 1, seed=1), IMAGE))
    ],
    "batch_norm_gradient": [
        Case(lambda g, v, *w: gr.batch_norm_gradient(g, v, *w, eps=1e-2), (IMAGE, VARIANCE, *weight))
        for weight in ((), (WEIGHT,))
    ],
    "batch_norm_variance_gradient": [
        Case(
            lambda moved, v, *w: gr.batch_norm_variance_gradient(moved, v, *w, eps=1e-2),
            (MEAN, VARIANCE, *weight),
        )
        for weight in ((), (WEIGHT,))
    ],
    "batch_norm_weight_gradient": [
        Case(
            lambda g, x, m, v: gr.batch_norm_weight_gradient(g, x, m, v, eps=1e-2),
            (IMAGE, uniform(2, 3, 2, seed=1), MEAN, VARIANCE),
        )
    ],
    "summed_to": [Case(lambda x, s=shape: gr.summed_to(x, shape=s), (IMAGE,)) for shape in ((2,), (1, 2), (2, 1, 2))],
    "linear_input_gradient": [Case(gr.linear_input_gradient, (uniform(2, 2, 4), uniform(4, 3, seed=1)))],
    "linear_weight_gradient": [Case(gr.linear_weight_gradient, (uniform(2, 2, 4), uniform(2, 2, 3, seed=1)))],
}
