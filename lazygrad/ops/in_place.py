"""PyTorch's functions that write into their first argument: the methods of the same names."""

from __future__ import annotations

# These attach the methods.
from lazygrad.ops.indexing import brackets, fill  # noqa: F401
from lazygrad.ops.linalg import products  # noqa: F401
from lazygrad.ops.pointwise import (  # noqa: F401
    arithmetic,
    bitwise,
    elementary,
    floating_point,
    log_functions,
    number_theory,
    powers,
    rounding,
    selection,
    special_functions,
)
from lazygrad.ops.shapes import resizing  # noqa: F401
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [  # noqa: F822 - bound below
    "abs_", "acos_", "acosh_", "addmv_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_", "arctanh_", "asin_",
    "asinh_", "atan_", "atanh_", "ceil_", "clamp_", "clamp_max_", "clamp_min_", "clip_", "cos_", "cosh_", "deg2rad_",
    "detach_", "erf_", "erfc_", "exp2_", "exp_", "expm1_", "fill_", "fix_", "floor_", "frac_", "gcd_", "i0_",
    "index_put_", "lcm_", "ldexp_", "log10_", "log1p_", "log2_", "log_", "logit_", "nan_to_num_", "neg_", "negative_",
    "rad2deg_", "reciprocal_", "resize_as_", "round_", "rsqrt_", "sigmoid_", "sin_", "sinc_", "sinh_", "sqrt_",
    "square_", "tan_", "tanh_", "trunc_", "xlogy_", "zero_",
]
# fmt: on

globals().update({name: getattr(Tensor, name) for name in __all__})
