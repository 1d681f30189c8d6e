"""Numpy implementations of the library ops: `calls` maps an op's name to ``f(out, *inputs, **attrs)``.

Each function writes its result into ``out``, which is row-major, and returns nothing. Inputs may be views with any
strides, zero and negative ones included; 0-dim inputs may be Python numbers. Where an op updates its first input,
``out`` may be that very array.
"""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.host.calls.alignment import ctc, ctc_gradients
from lazygrad.host.calls.attention import attend, attend_gradients
from lazygrad.host.calls.axis import gather, scatter
from lazygrad.host.calls.conv import conv
from lazygrad.host.calls.conv_gradients import conv_input_grad, conv_weight_grad
from lazygrad.host.calls.eigenvalues import eig, eigh, eigvals, eigvalsh, svd, svdvals
from lazygrad.host.calls.factorization import cholesky, geqrf, ldl, lu, pivot_order, qr
from lazygrad.host.calls.float8 import cast_float8
from lazygrad.host.calls.layout import concat, iota, read_view, reinterpret, roll, update_view
from lazygrad.host.calls.matmul import matmul
from lazygrad.host.calls.order import argmax, argmin, argsort
from lazygrad.host.calls.pointwise import pointwise
from lazygrad.host.calls.pooling import pool_argmax, windows_adjoint
from lazygrad.host.calls.random import philox
from lazygrad.host.calls.recurrence import recur, recur_gradients
from lazygrad.host.calls.rows import put, take
from lazygrad.host.calls.scan import cummax_index, cumprod, cumsum, logcumsumexp
from lazygrad.host.calls.solving import ldl_solve, lstsq, matrix_exp, triangular_solve
from lazygrad.host.calls.spectral import fft_c2c, fft_c2r, fft_r2c

_IMPLEMENTATIONS: tuple[Callable[..., None], ...] = (
    matmul,
    attend,
    attend_gradients,
    recur,
    recur_gradients,
    ctc,
    ctc_gradients,
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
    logcumsumexp,
    cummax_index,
    take,
    put,
    gather,
    scatter,
    concat,
    roll,
    update_view,
    read_view,
    reinterpret,
    cast_float8,
    iota,
    philox,
    cholesky,
    lu,
    ldl,
    qr,
    geqrf,
    pivot_order,
    svd,
    svdvals,
    eigh,
    eigvalsh,
    eig,
    eigvals,
    triangular_solve,
    ldl_solve,
    lstsq,
    matrix_exp,
    fft_c2c,
    fft_r2c,
    fft_c2r,
    pointwise,
)

calls: dict[str, Callable[..., None]] = {function.__name__: function for function in _IMPLEMENTATIONS}
