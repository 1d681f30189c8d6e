"""Numpy implementations of the library ops: `calls` maps an op's name to ``f(out, *inputs, **attrs)``.

Each function writes its result into ``out``, which is row-major, and returns nothing. Inputs may be views with any
strides, zero and negative ones included; 0-dim inputs may be Python numbers. Where an op updates its first input,
``out`` may be that very array.
"""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.runtime.numpy_calls.axis import gather, scatter
from lazygrad.runtime.numpy_calls.conv import conv
from lazygrad.runtime.numpy_calls.conv_gradients import conv_input_grad, conv_weight_grad
from lazygrad.runtime.numpy_calls.layout import concat, iota, read_view, update_view
from lazygrad.runtime.numpy_calls.matmul import matmul
from lazygrad.runtime.numpy_calls.order import argmax, argmin, argsort
from lazygrad.runtime.numpy_calls.pooling import pool_argmax, windows_adjoint
from lazygrad.runtime.numpy_calls.random import philox
from lazygrad.runtime.numpy_calls.rows import put, take
from lazygrad.runtime.numpy_calls.scan import cummax_index, cumprod, cumsum

_IMPLEMENTATIONS: tuple[Callable[..., None], ...] = (
    matmul,
    conv,
    conv_input_grad,
    conv_weight_grad,
    pool_argmax,
    windows_adjoint,
    argmax,
    argmin,
    argsort,
    cumsum,
    cumprod,
    cummax_index,
    take,
    put,
    gather,
    scatter,
    concat,
    update_view,
    read_view,
    iota,
    philox,
)

calls: dict[str, Callable[..., None]] = {function.__name__: function for function in _IMPLEMENTATIONS}
