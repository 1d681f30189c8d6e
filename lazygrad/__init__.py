"""lazygrad: a graph-compiling deep-learning framework with PyTorch's API.

    import lazygrad as lg
    x = lg.randn(2, 3)
    print(lg.stages(x.softmax(-1)).source)

Names are PyTorch's wherever PyTorch has the thing; what looks at programs or runs them is lazygrad's own.
"""

from importlib import import_module
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

from lazygrad import autograd, cuda
from lazygrad.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from lazygrad.ir.device import Device as device
from lazygrad.ir.dtype import DType as dtype
from lazygrad.ir.dtype import (
    bfloat16,
    can_cast,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    uint8,
)
from lazygrad.ir.dtype import bool_ as bool
from lazygrad.ir.text import parse
from lazygrad.ops import return_types
from lazygrad.ops.activation import celu, celu_, relu, relu_, selu, selu_
from lazygrad.ops.adaptive_pooling import adaptive_avg_pool1d, adaptive_max_pool1d
from lazygrad.ops.arithmetic import (
    abs,
    absolute,
    add,
    addcdiv,
    addcmul,
    div,
    divide,
    float_power,
    floor_divide,
    fmod,
    mul,
    multiply,
    neg,
    negative,
    positive,
    pow,
    reciprocal,
    remainder,
    rsub,
    square,
    sub,
    subtract,
    true_divide,
)
from lazygrad.ops.bitwise import (
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
)
from lazygrad.ops.comparison import allclose, equal, isclose
from lazygrad.ops.complex_numbers import (
    adjoint,
    angle,
    complex,
    conj,
    conj_physical,
    imag,
    is_complex,
    is_conj,
    is_neg,
    isreal,
    polar,
    real,
    resolve_conj,
    resolve_neg,
    sgn,
    view_as_complex,
    view_as_real,
)
from lazygrad.ops.contraction import tensordot
from lazygrad.ops.conversion import is_tensor
from lazygrad.ops.convolution import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from lazygrad.ops.creation import (
    arange,
    as_tensor,
    asarray,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    logspace,
    ones,
    ones_like,
    scalar_tensor,
    tensor,
    tril_indices,
    triu_indices,
    zeros,
    zeros_like,
)
from lazygrad.ops.dtypes import finfo, iinfo, result_type
from lazygrad.ops.einsum import einsum
from lazygrad.ops.elementary import (
    acos,
    acosh,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    digamma,
    erf,
    erfc,
    erfinv,
    exp,
    exp2,
    expm1,
    lgamma,
    log,
    log1p,
    log2,
    log10,
    rsqrt,
    sigmoid,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from lazygrad.ops.extrema import amax, amin, aminmax, argmax, argmin, max, median, min
from lazygrad.ops.gathering import gather, index_select, take, take_along_dim
from lazygrad.ops.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from lazygrad.ops.indexing import index_put
from lazygrad.ops.joining import cat, concat, concatenate, hstack, meshgrid, stack, vstack
from lazygrad.ops.layout import clone, is_floating_point, numel
from lazygrad.ops.linear_algebra import addmm, addmv, baddbmm, bilinear, bmm, dot, matmul, mm, mv, outer, trace
from lazygrad.ops.masking import argwhere, masked_scatter, masked_select, nonzero
from lazygrad.ops.norm import norm
from lazygrad.ops.normalization import group_norm, layer_norm, rms_norm
from lazygrad.ops.operands import get_default_dtype, set_default_dtype
from lazygrad.ops.parts import chunk, diagonal, narrow, select, split, tensor_split, unbind
from lazygrad.ops.permuting import moveaxis, movedim, permute, swapaxes, swapdims, t, transpose
from lazygrad.ops.piecewise import hardshrink, prelu, rrelu, rrelu_, threshold, threshold_
from lazygrad.ops.pooling import avg_pool1d, max_pool1d, max_pool2d, max_pool3d
from lazygrad.ops.printing import set_printoptions
from lazygrad.ops.random import bernoulli, normal, rand, rand_like, randint, randint_like, randn, randn_like, randperm
from lazygrad.ops.reduction import all, any, count_nonzero, logsumexp, mean, prod, sum
from lazygrad.ops.relational import (
    eq,
    ge,
    greater,
    greater_equal,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    less,
    less_equal,
    lt,
    maximum,
    minimum,
    ne,
    not_equal,
)
from lazygrad.ops.repeating import flip, fliplr, flipud, pixel_shuffle, repeat_interleave, roll, rot90, tile
from lazygrad.ops.rounding import ceil, fix, floor, frac, round, trunc
from lazygrad.ops.scan import cumprod, cumsum
from lazygrad.ops.scattering import index_add, index_copy, index_fill, scatter, scatter_add, scatter_reduce
from lazygrad.ops.selection import clamp, clamp_max, clamp_min, clip, lerp, masked_fill, nan_to_num, sign, where
from lazygrad.ops.shaping import (
    broadcast_shapes,
    broadcast_tensors,
    broadcast_to,
    flatten,
    ravel,
    reshape,
    squeeze,
    unflatten,
    unsqueeze,
)
from lazygrad.ops.sharing import from_dlpack, from_numpy
from lazygrad.ops.similarity import cosine_similarity, pairwise_distance
from lazygrad.ops.softmax import log_softmax, softmax
from lazygrad.ops.sorting import argsort, bucketize, kthvalue, searchsorted, sort, topk, unique
from lazygrad.ops.statistics import std, std_mean, var, var_mean
from lazygrad.ops.strided import as_strided
from lazygrad.ops.triangles import diag, diag_embed, tril, triu
from lazygrad.runtime.backend_choice import (
    are_deterministic_algorithms_enabled,
    backend,
    get_backend,
    is_deterministic_algorithms_warn_only_enabled,
    set_backend,
    use_deterministic_algorithms,
)
from lazygrad.runtime.background import wait_for_all as wait_for_compiler
from lazygrad.runtime.realize import unfused
from lazygrad.runtime.threads import get_num_threads, set_num_threads
from lazygrad.tensor import Size, Tensor, realize_all

__version__ = "0.1.0"

half, float, double = float16, float32, float64
cfloat, cdouble = complex64, complex128
short, int, long = int16, int32, int64
newaxis = None  # x[newaxis] adds a dimension

# fmt: off
if TYPE_CHECKING:
    from lazygrad import data, nn, optim
    from lazygrad.compiling import compile
    from lazygrad.inspect import (
        cache_info,
        compare,
        dump,
        explain_cache_miss,
        explain_fusion,
        last_step,
        stages,
    )

# Loaded when first used, so that importing the package stays quick.
_LAZY = {name: f"lazygrad.{name}" for name in ("data", "nn", "optim")} | dict.fromkeys(
    ("cache_info", "compare", "dump", "explain_cache_miss", "explain_fusion", "last_step", "stages"), "lazygrad.inspect"
)
_LAZY["compile"] = "lazygrad.compiling"


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'lazygrad' has no attribute {name!r}")
    module = import_module(_LAZY[name])
    value = module if name in ("data", "nn", "optim") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


__all__ = [
    # Tensors, dtypes, devices.
    "Tensor", "Size", "dtype", "device", "bool", "uint8", "int8", "int16", "short", "int32", "int", "int64", "long",
    "float16", "half", "bfloat16", "float32", "float", "float64", "double", "complex64", "cfloat",
    "complex128", "cdouble", "finfo", "iinfo", "can_cast",
    "promote_types", "result_type", "get_default_dtype", "set_default_dtype", "is_tensor", "is_floating_point",
    "numel", "set_printoptions", "return_types", "e", "inf", "nan", "newaxis", "pi",
    # Making tensors.
    "tensor", "as_tensor", "asarray", "from_numpy", "from_dlpack", "scalar_tensor", "zeros", "zeros_like", "ones",
    "ones_like", "empty", "empty_like", "full", "full_like", "eye", "arange", "linspace", "logspace",
    "tril_indices", "triu_indices", "clone",
    # Random numbers.
    "Generator", "default_generator", "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state",
    "rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "randperm", "normal", "bernoulli",
    # Elementary functions.
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "asin", "acos",
    "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "arcsin", "arccos", "arctan", "arctan2",
    "arcsinh", "arccosh", "arctanh", "erf", "erfc", "erfinv", "lgamma", "digamma", "sigmoid",
    # Arithmetic and rounding.
    "abs", "absolute", "neg", "negative", "positive", "reciprocal", "square", "add", "sub", "subtract", "rsub",
    "mul", "multiply", "div", "divide", "true_divide", "floor_divide", "remainder", "fmod", "pow", "float_power",
    "addcmul", "addcdiv", "floor", "ceil", "trunc", "fix", "round", "frac",
    # Complex numbers.
    "complex", "polar", "real", "imag", "angle", "sgn", "conj", "conj_physical", "resolve_conj", "resolve_neg",
    "adjoint", "is_complex", "is_conj", "is_neg", "isreal", "view_as_real", "view_as_complex",
    # Comparison and logic.
    "eq", "ne", "not_equal", "lt", "less", "le", "less_equal", "gt", "greater", "ge", "greater_equal", "maximum",
    "minimum", "isnan", "isinf", "isfinite", "isclose", "allclose", "equal", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift", "logical_and", "logical_or",
    "logical_xor", "logical_not",
    # Selection.
    "where", "sign", "clamp", "clip", "clamp_min", "clamp_max", "nan_to_num", "lerp", "masked_fill",
    "masked_scatter", "masked_select", "nonzero", "argwhere",
    # Reductions, scans, sorting.
    "sum", "prod", "mean", "any", "all", "count_nonzero", "logsumexp", "norm", "max", "min", "amax", "amin",
    "aminmax", "argmax", "argmin", "median", "var", "std", "var_mean", "std_mean", "cumsum", "cumprod", "sort",
    "argsort", "topk", "kthvalue", "unique", "searchsorted", "bucketize",
    # Shapes.
    "reshape", "flatten", "unflatten", "ravel", "squeeze", "unsqueeze", "broadcast_to", "broadcast_tensors",
    "broadcast_shapes", "transpose", "t", "permute", "movedim", "moveaxis", "swapaxes", "swapdims", "flip",
    "fliplr", "flipud", "rot90", "roll", "tile", "repeat_interleave", "as_strided", "diag", "diag_embed",
    "diagonal", "tril", "triu",
    # Joining and taking parts.
    "cat", "concat", "concatenate", "stack", "hstack", "vstack", "meshgrid", "chunk", "split", "tensor_split",
    "unbind", "narrow", "select",
    # Indexing.
    "gather", "take", "take_along_dim", "index_select", "index_add", "index_copy", "index_fill", "index_put",
    "scatter", "scatter_add", "scatter_reduce",
    # Linear algebra.
    "matmul", "mm", "bmm", "mv", "dot", "outer", "addmm", "addmv", "baddbmm", "bilinear", "einsum", "tensordot",
    "trace",
    # Layers' functions; `lazygrad.nn.functional` has them all.
    "relu", "relu_", "celu", "celu_", "selu", "selu_", "rrelu", "rrelu_", "prelu", "hardshrink", "threshold",
    "threshold_", "softmax", "log_softmax", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "avg_pool1d", "max_pool1d", "max_pool2d", "max_pool3d", "adaptive_avg_pool1d",
    "adaptive_max_pool1d", "layer_norm", "group_norm", "rms_norm", "cosine_similarity", "pairwise_distance",
    "pixel_shuffle",
    # Gradients.
    "no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled", "inference_mode", "is_inference_mode_enabled",
    # When and how programs run.
    "backend", "get_backend", "set_backend", "wait_for_compiler", "use_deterministic_algorithms",
    "are_deterministic_algorithms_enabled", "is_deterministic_algorithms_warn_only_enabled",
    "compile", "realize_all", "unfused", "get_num_threads", "set_num_threads", "cache_info",
    # Looking at programs.
    "stages", "dump", "last_step", "compare", "explain_fusion", "explain_cache_miss", "parse",
    # Subpackages.
    "autograd", "cuda", "data", "nn", "optim",
]
# fmt: on
