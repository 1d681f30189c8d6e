"""Where lazygrad differs from PyTorch on purpose or for a stated reason: operation and check → why.

A check is `errors`, `out=`, a dtype (`float16`), or a dtype's gradients (`complex128 gradients`); `*` is all of them.
"""

from __future__ import annotations

from lazygrad.left_out import LEFT_OUT as LEFT_OUT

_NO_COMPLEX_HALF = "there is no complex dtype of two 16-bit parts"
_ROUNDED_ONCE = "computed in float32 and rounded once: torch's intermediate results overflow to NaN"

_POLES = "torch has large finite numbers, not infinity, at the poles of trigamma"
_SWAPPED = "the database's arguments are those of the method"
_BICUBIC = "bicubic weights in 16 bits are rounded elsewhere"
_MORE_PRECISE = "torch's own error is some 1e-9"

DIFFERENCES: dict[tuple[str, str], str] = {
    ("narrow_copy", "errors"): "torch fails an internal assertion where narrow raises IndexError",
    **{(f"polygamma.polygamma_n_{n}", check): _POLES for n in range(5) for check in ("int8", "int16")},
    **{("special.polygamma.special_polygamma_n_0", check): _POLES for check in ("int8", "int16")},
    **{
        (f"special.{name}", "float64"): _MORE_PRECISE
        for name in ("airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1")
    },
    **{
        ("as_strided_scatter", f"{dtype} gradients"): "torch gives elements that were replaced a gradient"
        for dtype in ("float64", "complex128")
    },
    **{(f"polygamma.polygamma_n_{n}", "out="): _SWAPPED for n in range(5)},
    ("special.polygamma.special_polygamma_n_0", "out="): _SWAPPED,
    **{(f"polygamma.polygamma_n_{n}", "bfloat16"): "torch rounds n! and zeta apart" for n in range(5)},
    ("special.polygamma.special_polygamma_n_0", "bfloat16"): "torch rounds n! and zeta apart",
    **{
        ("as_strided.partial_views", f"{dtype} gradients"): "torch's gradient of a view strided anew counts its base"
        for dtype in ("float64", "complex128")
    },
    ("grid_sampler_3d", "float16"): "torch rounds places in the volume to 16 bits",
    ("grid_sampler_2d", "float16"): _BICUBIC,
    ("grid_sampler_2d", "bfloat16"): _BICUBIC,
    ("__rdiv__", "errors"): "two numbers raise TypeError here, AttributeError in torch",
    **{
        (name, "errors"): "called with a number for self, which Python's own descriptors refuse"
        for name in ("__radd__", "__rmul__", "__rand__", "__ror__", "__rxor__")
    },
    ("histogramdd", "out="): "its second result is a tuple of tensors, which out= cannot name here",
    ("chalf", "*"): _NO_COMPLEX_HALF,
    ("complex", "float16"): _NO_COMPLEX_HALF,
    ("view_as_complex", "float16"): _NO_COMPLEX_HALF,
    ("matrix_exp", "float16"): _ROUNDED_ONCE,
    ("matrix_exp", "bfloat16"): _ROUNDED_ONCE,
    **{
        ("native_layer_norm", dtype): "of a single element torch rounds the mean, and not the element less the mean"
        for dtype in ("float16", "bfloat16")
    },
}

# Results whose elements lie in another order. Those of solvers, Fourier transforms and searches are row-major here, and
# lie in torch as the library that it calls left them. `cat` of channels_last is contiguous here; `unsafe_chunk` and
# `unravel_index` give copies here, and views there. Pooling and resizing of channels_last, and a border that
# replicates, are contiguous here.
OTHER_STRIDES = frozenset(
    """
    cholesky cholesky_inverse cholesky_solve geqrf lu lu_solve ormqr qr svd triangular_solve
    linalg.cholesky linalg.cholesky_ex linalg.eig linalg.eigh linalg.householder_product linalg.inv linalg.inv_ex
    linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve linalg.lstsq linalg.lu_factor linalg.lu_factor_ex
    linalg.lu_solve linalg.matrix_power linalg.qr linalg.solve linalg.solve_ex linalg.solve_triangular linalg.svd
    linalg.tensorinv
    fft.fft fft.fft2 fft.fftn fft.hfft fft.hfft2 fft.hfftn fft.ifft fft.ifft2 fft.ifftn fft.ihfft fft.ihfft2 fft.ihfftn
    fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn
    argwhere nonzero unique unique_consecutive rot90 cat unsafe_chunk unravel_index
    nn.functional.bilinear nn.functional.interpolate nn.functional.max_pool2d nn.functional.max_unpool2d
    nn.functional.pad
    """.split()
)


def reason(operation: str, check: str) -> str | None:
    """Why this check of an operation is not made; None when it is."""
    return DIFFERENCES.get((operation, check)) or DIFFERENCES.get((operation, "*"))
