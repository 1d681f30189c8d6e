# Written by `python -m tests.typing.stubs` from the functions themselves.

"""lazygrad: a graph-compiling deep-learning framework with PyTorch's API.

    import lazygrad as lg
    x = lg.randn(2, 3)
    print(lg.stages(x.softmax(-1)).sources["numpy"])

Names are PyTorch's wherever PyTorch has the thing; what looks at programs or runs them is lazygrad's own.
"""

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np

from lazygrad import accelerator as accelerator
from lazygrad import amp as amp
from lazygrad import array_api as array_api
from lazygrad import autograd as autograd
from lazygrad import backends as backends
from lazygrad import compiler as compiler
from lazygrad import cpu as cpu
from lazygrad import cuda as cuda
from lazygrad import data as data
from lazygrad import distributed as distributed
from lazygrad import distributions as distributions
from lazygrad import fft as fft
from lazygrad import func as func
from lazygrad import fx as fx
from lazygrad import hub as hub
from lazygrad import jit as jit
from lazygrad import library as library
from lazygrad import linalg as linalg
from lazygrad import masked as masked
from lazygrad import mps as mps
from lazygrad import multiprocessing as multiprocessing
from lazygrad import nested as nested
from lazygrad import nn as nn
from lazygrad import onnx as onnx
from lazygrad import optim as optim
from lazygrad import profiler as profiler
from lazygrad import quantized as quantized
from lazygrad import quasirandom as quasirandom
from lazygrad import random as random
from lazygrad import safetensors as safetensors
from lazygrad import signal as signal
from lazygrad import sparse as sparse
from lazygrad import special as special
from lazygrad import testing as testing
from lazygrad import utils as utils
from lazygrad import version as version
from lazygrad import vision as vision
from lazygrad import xpu as xpu
from lazygrad.amp.grad_scaler import GradScaler as GradScaler
from lazygrad.autocast_mode import autocast as autocast
from lazygrad.autocast_mode import get_autocast_dtype as get_autocast_dtype
from lazygrad.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from lazygrad.autocast_mode import is_autocast_enabled as is_autocast_enabled
from lazygrad.autocast_mode import set_autocast_dtype as set_autocast_dtype
from lazygrad.autocast_mode import set_autocast_enabled as set_autocast_enabled
from lazygrad.autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from lazygrad.autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from lazygrad.autograd.anomaly import set_anomaly_enabled as set_anomaly_enabled
from lazygrad.backends import get_float32_matmul_precision as get_float32_matmul_precision
from lazygrad.backends import set_float32_matmul_precision as set_float32_matmul_precision
from lazygrad.backends import set_flush_denormal as set_flush_denormal
from lazygrad.compiling.compile import compile as compile
from lazygrad.compiling.dynamic import mark_dynamic as mark_dynamic
from lazygrad.cuda import AcceleratorError as AcceleratorError
from lazygrad.export.numpy_module import export_numpy as export_numpy
from lazygrad.func.vectorize import vmap as vmap
from lazygrad.futures import Future as Future
from lazygrad.grad_mode import enable_grad as enable_grad
from lazygrad.grad_mode import inference_mode as inference_mode
from lazygrad.grad_mode import is_grad_enabled as is_grad_enabled
from lazygrad.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from lazygrad.grad_mode import no_grad as no_grad
from lazygrad.grad_mode import set_grad_enabled as set_grad_enabled
from lazygrad.host.background import wait_for_all as wait_for_compiler
from lazygrad.host.threads import get_num_interop_threads as get_num_interop_threads
from lazygrad.host.threads import get_num_threads as get_num_threads
from lazygrad.host.threads import set_num_threads as set_num_threads
from lazygrad.host.warn_once import is_warn_always_enabled as is_warn_always_enabled
from lazygrad.host.warn_once import set_warn_always as set_warn_always
from lazygrad.inspect.checking.check import check as check
from lazygrad.inspect.comparing.compare import compare as compare
from lazygrad.inspect.compile_for import compile_for as compile_for
from lazygrad.inspect.environment.cache import cache_info as cache_info
from lazygrad.inspect.explain import explain_cache_miss as explain_cache_miss
from lazygrad.inspect.explain import explain_fusion as explain_fusion
from lazygrad.inspect.kernels.override import override as override
from lazygrad.inspect.profiling.profile import profile as profile
from lazygrad.inspect.report.report import explain as explain
from lazygrad.inspect.stages.forms import dump as dump
from lazygrad.inspect.stages.forms import last_step as last_step
from lazygrad.inspect.stages.forms import stages as stages
from lazygrad.inspect.stages.stepping import graph_diff as graph_diff
from lazygrad.inspect.summary import summary as summary
from lazygrad.ir.device import Device as device
from lazygrad.ir.device import get_default_device as get_default_device
from lazygrad.ir.device import set_default_device as set_default_device
from lazygrad.ir.dtype import DType as dtype
from lazygrad.ir.dtype import Scalar
from lazygrad.ir.memory_format import Layout as layout
from lazygrad.ir.memory_format import MemoryFormat as memory_format
from lazygrad.ir.text import parse as parse
from lazygrad.ops import return_types as return_types
from lazygrad.ops.arguments.dtypes import finfo as finfo
from lazygrad.ops.arguments.dtypes import iinfo as iinfo
from lazygrad.ops.arguments.kinds import DeviceLike, Dim, DTypeLike, Operand, Sizes, Tensors
from lazygrad.ops.arguments.operands import get_default_dtype as get_default_dtype
from lazygrad.ops.arguments.operands import set_default_dtype as set_default_dtype
from lazygrad.ops.arguments.spatial import Extent
from lazygrad.ops.layers.adaptive_pooling import OutputSize
from lazygrad.ops.objects import storages as storage
from lazygrad.ops.objects.storages import TypedStorage as TypedStorage
from lazygrad.ops.objects.storages import UntypedStorage as UntypedStorage
from lazygrad.ops.random.generator import Generator as Generator
from lazygrad.ops.random.generator import _DefaultGenerator
from lazygrad.ops.shapes.splitting import Cuts
from lazygrad.quantized.construction import quantize_per_channel as quantize_per_channel
from lazygrad.quantized.construction import quantize_per_tensor as quantize_per_tensor
from lazygrad.quantized.construction import quantize_per_tensor_dynamic as quantize_per_tensor_dynamic
from lazygrad.quantized.dtypes import QScheme, QuantizedDType
from lazygrad.quantized.fake import fake_quantize_per_channel_affine as fake_quantize_per_channel_affine
from lazygrad.quantized.fake import fake_quantize_per_tensor_affine as fake_quantize_per_tensor_affine
from lazygrad.quantized.functions import dequantize as dequantize
from lazygrad.quantized.functions import int_repr as int_repr
from lazygrad.quantized.functions import q_per_channel_axis as q_per_channel_axis
from lazygrad.quantized.functions import q_per_channel_scales as q_per_channel_scales
from lazygrad.quantized.functions import q_per_channel_zero_points as q_per_channel_zero_points
from lazygrad.quantized.functions import q_scale as q_scale
from lazygrad.quantized.functions import q_zero_point as q_zero_point
from lazygrad.runtime.backend_choice import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from lazygrad.runtime.backend_choice import backend as backend
from lazygrad.runtime.backend_choice import get_backend as get_backend
from lazygrad.runtime.backend_choice import get_deterministic_debug_mode as get_deterministic_debug_mode
from lazygrad.runtime.backend_choice import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from lazygrad.runtime.backend_choice import set_backend as set_backend
from lazygrad.runtime.backend_choice import set_deterministic_debug_mode as set_deterministic_debug_mode
from lazygrad.runtime.backend_choice import use_deterministic_algorithms as use_deterministic_algorithms
from lazygrad.runtime.cache_limits import set_plan_cache_limits as set_plan_cache_limits
from lazygrad.runtime.realize import unfused as unfused
from lazygrad.runtime.tiers import get_interpreted_runs as get_interpreted_runs
from lazygrad.runtime.tiers import set_interpreted_runs as set_interpreted_runs
from lazygrad.saving.reading import load as load
from lazygrad.saving.writing import save as save
from lazygrad.size import Size as Size
from lazygrad.sparse.construction import sparse_coo_tensor as sparse_coo_tensor
from lazygrad.streams import Event as Event
from lazygrad.streams import Stream as Stream
from lazygrad.tensor import Tensor as Tensor
from lazygrad.tensor import realize_all as realize_all
from lazygrad.torch_imports import as_torch as as_torch

# fmt: off
__all__ = [
    "Tensor", "Size", "Storage", "dtype", "device", "bool", "uint8", "int8", "int16", "short", "int32", "int", "int64",
    "long", "float16", "half", "bfloat16", "float32", "float", "float64", "double", "complex64", "cfloat", "complex128",
    "cdouble", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu", "layout", "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc",
    "jagged", "memory_format", "contiguous_format", "preserve_format", "channels_last", "channels_last_3d",
    "get_default_dtype", "set_default_dtype", "get_default_device", "set_default_device", "return_types", "e", "inf",
    "nan", "newaxis", "pi", "sparse_coo_tensor", "Event", "Future", "Stream", "AcceleratorError", "OutOfMemoryError",
    "no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled", "inference_mode", "is_inference_mode_enabled",
    "vmap", "is_anomaly_enabled", "is_anomaly_check_nan_enabled", "set_anomaly_enabled", "backend", "get_backend",
    "set_backend", "wait_for_compiler", "use_deterministic_algorithms", "are_deterministic_algorithms_enabled",
    "is_deterministic_algorithms_warn_only_enabled", "get_float32_matmul_precision", "set_float32_matmul_precision",
    "set_flush_denormal", "get_deterministic_debug_mode", "set_deterministic_debug_mode", "get_num_interop_threads",
    "set_warn_always", "is_warn_always_enabled", "compile", "mark_dynamic", "realize_all", "unfused", "get_num_threads",
    "set_num_threads", "cache_info", "get_interpreted_runs", "set_interpreted_runs", "set_plan_cache_limits",
    "autocast", "is_autocast_cpu_enabled", "is_autocast_enabled", "get_autocast_dtype", "set_autocast_dtype",
    "set_autocast_enabled", "GradScaler", "load", "save", "export_numpy", "as_torch", "stages", "dump", "last_step",
    "compare", "compile_for", "check", "explain", "explain_fusion", "explain_cache_miss", "graph_diff", "override",
    "parse", "profile", "summary", "dequantize", "fake_quantize_per_channel_affine", "fake_quantize_per_tensor_affine",
    "int_repr", "per_channel_affine", "per_channel_symmetric", "per_tensor_affine", "per_tensor_symmetric",
    "q_per_channel_axis", "q_per_channel_scales", "q_per_channel_zero_points", "q_scale", "q_zero_point", "qint8",
    "qint32", "quantize_per_channel", "quantize_per_tensor", "quantize_per_tensor_dynamic", "quint8", "accelerator",
    "amp", "array_api", "autograd", "backends", "compiler", "cpu", "cuda", "data", "distributed", "distributions",
    "fft", "func", "fx", "hub", "jit", "library", "linalg", "masked", "mps", "multiprocessing", "nested", "nn", "onnx",
    "optim", "profiler", "quantized", "quasirandom", "random", "safetensors", "signal", "sparse", "special", "storage",
    "testing", "utils", "version", "vision", "xpu", "can_cast", "finfo", "iinfo", "promote_types", "result_type",
    "zeros", "ones", "empty", "full", "scalar_tensor", "empty_permuted", "tensor", "as_tensor", "asarray", "zeros_like",
    "ones_like", "empty_like", "full_like", "arange", "range", "linspace", "logspace", "eye", "from_numpy",
    "from_dlpack", "frombuffer", "from_file", "abs_", "acos_", "acosh_", "addmv_", "arccos_", "arccosh_", "arcsin_",
    "arcsinh_", "arctan_", "arctanh_", "asin_", "asinh_", "atan_", "atanh_", "ceil_", "clamp_", "clamp_max_",
    "clamp_min_", "clip_", "cos_", "cosh_", "deg2rad_", "detach_", "erf_", "erfc_", "exp2_", "exp_", "expm1_", "fill_",
    "fix_", "floor_", "frac_", "gcd_", "i0_", "index_put_", "lcm_", "ldexp_", "log10_", "log1p_", "log2_", "log_",
    "logit_", "nan_to_num_", "neg_", "negative_", "rad2deg_", "reciprocal_", "resize_as_", "round_", "rsqrt_",
    "sigmoid_", "sin_", "sinc_", "sinh_", "sqrt_", "square_", "tan_", "tanh_", "trunc_", "xlogy_", "zero_", "index_put",
    "fill", "gather", "take_along_dim", "take", "index_select", "masked_select", "masked_scatter", "nonzero",
    "argwhere", "put", "index_reduce", "nonzero_static", "unravel_index", "index_add", "index_copy", "index_fill",
    "scatter", "scatter_add", "scatter_reduce", "adaptive_max_pool1d", "alpha_dropout", "alpha_dropout_", "batch_norm",
    "binary_cross_entropy_with_logits", "constant_pad_nd", "cosine_embedding_loss", "ctc_loss", "dropout", "dropout_",
    "embedding", "embedding_bag", "embedding_renorm_", "feature_alpha_dropout", "feature_alpha_dropout_",
    "feature_dropout", "feature_dropout_", "hinge_embedding_loss", "instance_norm", "kl_div", "margin_ranking_loss",
    "poisson_nll_loss", "triplet_margin_loss", "adaptive_avg_pool1d", "conv1d", "conv2d", "conv3d", "conv_tbc",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "affine_grid_generator", "grid_sampler",
    "grid_sampler_2d", "grid_sampler_3d", "layer_norm", "rms_norm", "group_norm", "prelu", "rrelu", "threshold",
    "hardshrink", "rrelu_", "threshold_", "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool3d",
    "avg_pool1d", "lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell",
    "cosine_similarity", "pairwise_distance", "relu", "selu", "celu", "relu_", "selu_", "celu_", "softmax",
    "log_softmax", "tensordot", "cholesky", "cholesky_inverse", "cholesky_solve", "geqrf", "lu", "lu_solve",
    "lu_unpack", "orgqr", "ormqr", "qr", "svd", "triangular_solve", "cdist", "pdist", "dist", "renorm", "einsum",
    "lobpcg", "svd_lowrank", "pca_lowrank", "addbmm", "addr", "chain_matmul", "cross", "det", "inner", "inverse",
    "kron", "logdet", "matrix_exp", "matrix_power", "pinverse", "slogdet", "vdot", "matmul", "mm", "bmm", "mv", "dot",
    "outer", "ger", "addmm", "addmv", "baddbmm", "bilinear", "trace", "cond", "while_loop", "is_tensor", "get_device",
    "is_nonzero", "is_signed", "is_same_size", "is_inference", "set_printoptions", "UntypedStorage", "TypedStorage",
    "is_storage", "BoolStorage", "ByteStorage", "CharStorage", "ShortStorage", "IntStorage", "LongStorage",
    "HalfStorage", "BFloat16Storage", "FloatStorage", "DoubleStorage", "ComplexFloatStorage", "ComplexDoubleStorage",
    "set_default_tensor_type", "typename", "BoolTensor", "ByteTensor", "CharTensor", "ShortTensor", "IntTensor",
    "LongTensor", "HalfTensor", "BFloat16Tensor", "FloatTensor", "DoubleTensor", "abs", "neg", "positive", "reciprocal",
    "add", "sub", "rsub", "mul", "addcmul", "addcdiv", "absolute", "negative", "subtract", "multiply", "bitwise_and",
    "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "bitwise_not", "logical_not",
    "logical_and", "logical_or", "logical_xor", "isclose", "allclose", "equal", "adjoint", "angle", "complex", "conj",
    "conj_physical", "imag", "is_complex", "is_conj", "is_neg", "isreal", "polar", "real", "resolve_conj",
    "resolve_neg", "sgn", "view_as_complex", "view_as_real", "div", "floor_divide", "remainder", "fmod", "divide",
    "true_divide", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "lgamma",
    "digamma", "sigmoid", "atan2", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arctan2", "copysign",
    "signbit", "heaviside", "nextafter", "ldexp", "frexp", "isneginf", "isposinf", "fmax", "fmin", "deg2rad", "rad2deg",
    "igamma", "igammac", "polygamma", "mvlgamma", "logaddexp", "logaddexp2", "hypot", "xlogy", "sinc", "logit", "gcd",
    "lcm", "vander", "float_power", "pow", "square", "eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum",
    "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf", "isfinite", "floor", "ceil",
    "trunc", "fix", "round", "frac", "where", "sign", "clamp", "clip", "clamp_min", "clamp_max", "masked_fill",
    "nan_to_num", "lerp", "i0", "Generator", "default_generator", "manual_seed", "seed", "initial_seed",
    "get_rng_state", "set_rng_state", "multinomial", "poisson", "binomial", "rand", "randn", "randint", "randperm",
    "rand_like", "randn_like", "randint_like", "normal", "bernoulli", "cov", "corrcoef", "diff", "gradient",
    "trapezoid", "trapz", "cumulative_trapezoid", "amax", "amin", "aminmax", "max", "min", "argmax", "argmin",
    "bincount", "histc", "histogram", "histogramdd", "median", "nanmedian", "norm", "quantile", "nanquantile", "mode",
    "cumsum", "cumprod", "logcumsumexp", "cummax", "cummin", "unique", "unique_consecutive", "isin", "sort", "argsort",
    "topk", "kthvalue", "msort", "searchsorted", "bucketize", "var", "std", "var_mean", "std_mean", "sum", "prod",
    "mean", "any", "all", "count_nonzero", "logsumexp", "nansum", "nanmean", "cat", "concat", "concatenate", "stack",
    "hstack", "vstack", "meshgrid", "numel", "is_floating_point", "clone", "detach", "narrow", "select", "unbind",
    "diagonal", "split", "chunk", "tensor_split", "transpose", "swapaxes", "swapdims", "permute", "t", "movedim",
    "moveaxis", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle", "tile",
    "repeat_interleave", "roll", "flip", "fliplr", "flipud", "rot90", "reshape", "flatten", "unflatten", "ravel",
    "squeeze", "unsqueeze", "broadcast_to", "broadcast_shapes", "broadcast_tensors", "hsplit", "vsplit", "dsplit",
    "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk", "atleast_1d", "atleast_2d",
    "atleast_3d", "block_diag", "cartesian_prod", "combinations", "column_stack", "dstack", "row_stack", "as_strided",
    "empty_strided", "tril", "triu", "diag", "diagflat", "diag_embed", "tril_indices", "triu_indices", "alias_copy",
    "as_strided_copy", "detach_copy", "diagonal_copy", "expand_copy", "narrow_copy", "permute_copy", "select_copy",
    "slice_copy", "split_copy", "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy", "unbind_copy",
    "unfold_copy", "unsqueeze_copy", "view_copy", "diagonal_scatter", "select_scatter", "slice_scatter",
    "as_strided_scatter", "istft", "stft", "bartlett_window", "blackman_window", "hamming_window", "hann_window",
    "kaiser_window",
]
# fmt: on

class BFloat16Storage(TypedStorage):
    """A `TypedStorage` of bfloat16."""

class BFloat16Tensor(Tensor):
    """Tensors of bfloat16: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class BoolStorage(TypedStorage):
    """A `TypedStorage` of bool."""

class BoolTensor(Tensor):
    """Tensors of bool: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class ByteStorage(TypedStorage):
    """A `TypedStorage` of uint8."""

class ByteTensor(Tensor):
    """Tensors of uint8: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class CharStorage(TypedStorage):
    """A `TypedStorage` of int8."""

class CharTensor(Tensor):
    """Tensors of int8: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class ComplexDoubleStorage(TypedStorage):
    """A `TypedStorage` of complex128."""

class ComplexFloatStorage(TypedStorage):
    """A `TypedStorage` of complex64."""

class DoubleStorage(TypedStorage):
    """A `TypedStorage` of float64."""

class DoubleTensor(Tensor):
    """Tensors of float64: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class FloatStorage(TypedStorage):
    """A `TypedStorage` of float32."""

class FloatTensor(Tensor):
    """Tensors of float32: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class HalfStorage(TypedStorage):
    """A `TypedStorage` of float16."""

class HalfTensor(Tensor):
    """Tensors of float16: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class IntStorage(TypedStorage):
    """A `TypedStorage` of int32."""

class IntTensor(Tensor):
    """Tensors of int32: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class LongStorage(TypedStorage):
    """A `TypedStorage` of int64."""

class LongTensor(Tensor):
    """Tensors of int64: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class OutOfMemoryError(RuntimeError):
    """A device has less memory free than was asked for; the message says what is held."""

class ShortStorage(TypedStorage):
    """A `TypedStorage` of int16."""

class ShortTensor(Tensor):
    """Tensors of int16: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."""

class Storage(TypedStorage):
    """A `TypedStorage` of float32."""

__version__: str

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """|x|, elementwise; the dtype stays.

    Raises:
        NotImplementedError: a bool tensor.
    """

def abs_(input: Tensor) -> Tensor:
    """In-place version of `abs`. RuntimeError for complex tensors, whose magnitudes are real."""

def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """|x|, elementwise; the dtype stays.

    Raises:
        NotImplementedError: a bool tensor.
    """

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arccos x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def acos_(input: Tensor) -> Tensor:
    """In-place version of `acos`."""

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arcosh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def acosh_(input: Tensor) -> Tensor:
    """In-place version of `acosh`."""

def adaptive_avg_pool1d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Means of ``output_size`` windows of a signal, (N, C, L) or (C, L); see `adaptive_avg_pool2d`."""

def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """`nn.functional.adaptive_max_pool1d`, and where the winners were."""

def add(input: Operand, other: Operand, *old: Any, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """input + alpha·other, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: ``alpha`` does not fit the promoted dtype.
    """

def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *old: Any,
    beta: Scalar = 1,
    alpha: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta·input + alpha·Σ batch1[i]·batch2[i], of shape (n, m); see `addmm`.

    Args:
        input: broadcasts to (n, m).
        batch1: shape (b, n, k).
        batch2: shape (b, k, m).

    Raises:
        RuntimeError: shapes that do not fit, different dtypes, fractional factors of integers.
    """

def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *old: Any, value: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """input + value·tensor1/tensor2.

    Raises:
        RuntimeError: integers; divide them with `div` and its ``rounding_mode`` first.
    """

def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *old: Any, value: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """input + value·tensor1·tensor2."""

def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """beta·input + alpha·(mat1 · mat2), of shape (n, m).

    Args:
        input: broadcasts to (n, m).
        mat1: shape (n, k).
        mat2: shape (k, m).
        beta: 0 ignores the values of ``input``.
        alpha: factor of the product.

    Raises:
        RuntimeError: shapes that do not fit or dtypes that differ.
    """

def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """beta·input + alpha·(mat · vec), of shape (n,); see `addmm`.

    Raises:
        RuntimeError: shapes that do not fit or dtypes that differ.
    """

def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """In-place version of `addmv`."""

def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """beta·input + alpha·(all products of the elements of two vectors), of shape (n, m); bools with "and" and "or".

    Args:
        input: broadcasts to (n, m).
        vec1: shape (n,).
        vec2: shape (m,).
        beta: 0 ignores the values of ``input``.
        alpha: factor of the products.

    Raises:
        RuntimeError: shapes that do not fit, fractional factors of integers.
    """

def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices, as a view.

    Raises:
        RuntimeError: fewer than two dimensions.
    """

def affine_grid_generator(theta: Tensor, size: Sequence[builtins.int], align_corners: builtins.bool) -> Tensor:
    """`nn.functional.affine_grid` without its checks."""

def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of what `alias` gives a view of."""

def all(input: Tensor, dim: Dim = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether every element over ``dim`` is not zero, as bool (uint8 for uint8); True of no elements.

    Unlike in other reductions ``()`` names no dimension: the result is whether each element is not zero.

    Raises:
        IndexError: a dimension out of range.
    """

def allclose(
    input: Tensor,
    other: Tensor,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> builtins.bool:
    """Whether `isclose` holds everywhere. Computes both tensors now.

    Raises:
        RuntimeError, TypeError: see `isclose`.
    """

def alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """`nn.functional.alpha_dropout`."""

def alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """In-place version of `alpha_dropout`."""

def amax(input: Tensor, dim: Dim = (), keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The largest element over ``dim`` (all dimensions when empty); ties share the gradient.

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range or given twice.
    """

def amin(input: Tensor, dim: Dim = (), keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The smallest element over ``dim`` (all dimensions when empty); ties share the gradient.

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range or given twice.
    """

def aminmax(
    input: Tensor,
    *,
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.aminmax:
    """The smallest and the largest element, of all or along one ``dim``, as a named pair (min, max).

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range.
    """

def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of a complex number in (−π, π]; of a real one, π where it is negative and 0 elsewhere.

    Integers become the default float dtype; NaN stays NaN.
    """

def any(input: Tensor, dim: Dim = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether any element over ``dim`` is not zero, as bool (uint8 for uint8); False of no elements.

    Unlike in other reductions ``()`` names no dimension: the result is whether each element is not zero.

    Raises:
        IndexError: a dimension out of range.
    """

def arange(
    start: Operand = 0,
    end: Operand | None = None,
    step: Operand = 1,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """start, start + step, … below ``end``; one positional argument is the end.

    Without ``dtype``: int64 if all numbers are integers, otherwise the default float dtype.

    Raises:
        RuntimeError: a step of 0 or away from the end; an endpoint that is not finite.
        ValueError: an int64 range in steps between -1 and 1.
    """

def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arccos x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def arccos_(input: Tensor) -> Tensor:
    """In-place version of `acos`."""

def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arcosh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def arccosh_(input: Tensor) -> Tensor:
    """In-place version of `acosh`."""

def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arcsin x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def arcsin_(input: Tensor) -> Tensor:
    """In-place version of `asin`."""

def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arsinh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def arcsinh_(input: Tensor) -> Tensor:
    """In-place version of `asinh`."""

def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arctan x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def arctan2(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input), broadcast; integers are converted to the default float dtype."""

def arctan_(input: Tensor) -> Tensor:
    """In-place version of `atan`."""

def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """artanh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def arctanh_(input: Tensor) -> Tensor:
    """In-place version of `atanh`."""

def argmax(
    input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The int64 index of the first largest element along ``dim``, or among all elements in row-major order.

    Raises:
        IndexError: nothing to choose from; a dimension out of range.
        RuntimeError: a bool tensor.
    """

def argmin(
    input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The int64 index of the first smallest element along ``dim``, or among all elements in row-major order.

    Raises:
        IndexError: nothing to choose from; a dimension out of range.
        RuntimeError: a bool tensor.
    """

def argsort(
    input: Tensor,
    dim: builtins.int = -1,
    descending: builtins.bool = False,
    *,
    stable: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The int64 indices that sort ``dim``; see `sort`.

    Raises:
        IndexError: ``dim`` out of range.
    """

def argwhere(input: Tensor) -> Tensor:
    """The positions of nonzero elements as rows of an int64 matrix. Computes the tensor."""

def as_strided(
    input: Tensor,
    size: Sequence[builtins.int],
    stride: Sequence[builtins.int],
    storage_offset: builtins.int | None = None,
) -> Tensor:
    """A view of the storage: element (i, j, …) lies at ``storage_offset + i·stride[0] + j·stride[1] + …``.

    Args:
        storage_offset: by default the tensor's own.

    Raises:
        RuntimeError: not as many strides as sizes, negative ones, or an element outside the storage.
    """

def as_strided_copy(
    input: Tensor,
    size: Sequence[builtins.int],
    stride: Sequence[builtins.int],
    storage_offset: builtins.int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of what `as_strided` gives a view of."""

def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Sequence[builtins.int],
    stride: Sequence[builtins.int],
    storage_offset: builtins.int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with the elements that `as_strided` names replaced by ``src``.

    Raises:
        RuntimeError: ``src`` has another shape; the view reaches beyond the elements, or names some twice.
    """

def as_tensor(data: Any, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """``data`` as a tensor, copied only where that cannot be avoided; numpy arrays share their memory."""

def asarray(
    obj: Any,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    copy: builtins.bool | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """``obj`` as a tensor.

    Args:
        obj: a tensor, a numpy array, an object with DLPack, ``__cuda_array_interface__`` or the buffer protocol, a
            number or nested sequences.
        dtype, device: what the result has; by default what ``obj`` has, of a buffer the default dtype.
        copy: True always copies, False never does, None copies where that cannot be avoided.
        requires_grad: whether a result made from data records gradients.

    Raises:
        ValueError: ``copy=False`` where only a copy has the wanted dtype or device.
    """

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arcsin x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def asin_(input: Tensor) -> Tensor:
    """In-place version of `asin`."""

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arsinh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def asinh_(input: Tensor) -> Tensor:
    """In-place version of `asinh`."""

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """arctan x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def atan2(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input), broadcast; integers are converted to the default float dtype."""

def atan_(input: Tensor) -> Tensor:
    """In-place version of `atan`."""

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """artanh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def atanh_(input: Tensor) -> Tensor:
    """In-place version of `atanh`."""

@overload
def atleast_1d(tensor: Tensor, /) -> Tensor:
    """Views with at least one dimension.

    Args:
        tensors: one tensor, or several, separately or as one sequence, for which a tuple is returned.
    """

@overload
def atleast_1d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(tensor: Tensor, /) -> Tensor:
    """Views with at least two dimensions, a vector as one row; see `atleast_1d`."""

@overload
def atleast_2d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(tensor: Tensor, /) -> Tensor:
    """Views with at least three dimensions, new ones behind a matrix's and around a vector's; see `atleast_1d`."""

@overload
def atleast_3d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
def avg_pool1d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    ceil_mode: builtins.bool = False,
    count_include_pad: builtins.bool = True,
) -> Tensor:
    """The mean of every window of a signal, (N, C, L) or (C, L); see `avg_pool2d`."""

def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *old: Any,
    beta: Scalar = 1,
    alpha: Scalar = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta·input + alpha·(batch1 · batch2), of shape (b, n, m); see `addmm` and `bmm`.

    Raises:
        RuntimeError: shapes that do not fit or dtypes that differ.
    """

def bartlett_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """A triangle, 1 − |2k/n − 1|, k from 0 to n, as ``window_length`` points.

    Args:
        window_length: how many points.
        periodic: n is ``window_length``; otherwise the window is symmetric, and n is ``window_length`` − 1.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """

def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: builtins.bool,
    momentum: builtins.float,
    eps: builtins.float,
    cudnn_enabled: builtins.bool,
) -> Tensor:
    """`nn.functional.batch_norm`; ``cudnn_enabled`` changes nothing."""

def bernoulli(
    input: Tensor, p: builtins.float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """Ones with the probabilities in ``input`` (or ``p`` everywhere), and zeros, in ``input``'s dtype.

    The gradient of ``input`` is zero.

    Raises:
        RuntimeError: a probability outside [0, 1].
        NotImplementedError: probabilities that are not floating.
    """

bfloat16: dtype

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1ᵀ · weight[o] · input2 + bias[o] for every output o.

    Args:
        input1: shape (…, in1).
        input2: shape (…, in2), with the leading dimensions of ``input1``.
        weight: shape (out, in1, in2).
        bias: shape (out,).

    Returns:
        Shape (…, out).

    Raises:
        RuntimeError: shapes that do not fit, different dtypes.
    """

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: builtins.int = 1,
) -> Tensor:
    """`nn.functional.binary_cross_entropy_with_logits`."""

def bincount(input: Tensor, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
    """How often each of 0, 1, … occurs, int64; or the sum of the weights at these places. Computes ``input`` now.

    Args:
        input: a vector of non-negative integers.
        weights: as many numbers; float32 stays, everything else is summed in float64.
        minlength: the least length of the result.

    Raises:
        RuntimeError: not a vector of integers, a negative number, weights of another shape, a negative length.
    """

def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of ``count`` trials succeed with probability ``prob``, broadcast; no gradient flows from it.

    Args:
        count: whole numbers, of a floating dtype.
        prob: of the same dtype.
        generator: where the numbers come from; the default generator if None.

    Raises:
        ValueError: a dtype that is not floating.
        RuntimeError: different dtypes, or shapes that do not broadcast.
    """

def bitwise_and(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input & other, broadcast. NotImplementedError for floating dtypes."""

def bitwise_left_shift(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input << other, broadcast. NotImplementedError for dtypes other than integers."""

def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """~x; logical not for bool tensors.

    Raises:
        NotImplementedError: a floating dtype.
    """

def bitwise_or(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input | other, broadcast. NotImplementedError for floating dtypes."""

def bitwise_right_shift(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input >> other, broadcast. NotImplementedError for dtypes other than integers."""

def bitwise_xor(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input ^ other, broadcast. NotImplementedError for floating dtypes."""

def blackman_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n), k from 0 to n, as ``window_length`` points.

    Args:
        window_length: how many points.
        periodic: n is ``window_length``; otherwise the window is symmetric, and n is ``window_length`` − 1.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """

def block_diag(*tensors: Tensors) -> Tensor:
    """A matrix with the given matrices along its diagonal, zeros elsewhere; vectors are rows.

    Raises:
        RuntimeError: a tensor of more than two dimensions.
    """

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two batches of matrices, (b, n, k) and (b, k, m), without broadcasting.

    Raises:
        RuntimeError: not batches of matrices of one length, sizes that do not fit, different dtypes.
    """

bool: dtype

def broadcast_shapes(*shapes: builtins.int | Sequence[builtins.int]) -> Size:
    """The shape that tensors of these shapes broadcast to.

    Raises:
        RuntimeError: they do not broadcast.
    """

def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of the tensors, all of the shape they broadcast to; those that have it already, themselves.

    Raises:
        RuntimeError: they do not broadcast.
    """

def broadcast_to(input: Tensor, *given: Sizes, size: Sequence[builtins.int] | None = None) -> Tensor:
    """Another name of `expand`."""

def bucketize(
    input: Operand,
    boundaries: Tensor,
    *,
    out_int32: builtins.bool = False,
    right: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The bucket of each value, given ascending boundaries; see `searchsorted`."""

def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Whether an in-place result of dtype ``from_`` may be stored into a tensor of dtype ``to``."""

def cartesian_prod(*tensors: Tensors) -> Tensor:
    """All ways to choose one element of each vector, as rows; of one vector, the vector itself.

    Raises:
        RuntimeError: a tensor that is not a vector; different dtypes.
    """

def cat(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors one after another along a dimension, in their promoted dtype.

    1-dim tensors without elements join anything, as in PyTorch.

    Raises:
        ValueError, RuntimeError: no tensors; a 0-dim one; sizes that differ in another dimension.
    """

def cdist(
    x1: Tensor, x2: Tensor, p: builtins.float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """The p-norm distance of every row of ``x1`` to every row of ``x2``.

    Args:
        x1: shape (…, n, k), float32 or float64.
        x2: shape (…, m, k), whose batch broadcasts against that of ``x1``.
        p: not negative; inf for the largest difference, 0 for how many elements differ.
        compute_mode: whether Euclidean distances come from a matrix product, which is faster and less exact for
            near rows: "use_mm_for_euclid_dist_if_necessary" for more than 25 rows, "use_mm_for_euclid_dist",
            "donot_use_mm_for_euclid_dist".

    Returns:
        Shape (…, n, m). The gradient of a distance 0 is 0.

    Raises:
        RuntimeError: shapes that do not fit, a negative ``p``, integers. NotImplementedError: 16-bit floats.
        ValueError: another mode.
    """

cdouble: dtype

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer not below x, elementwise; integers stay as they are."""

def ceil_(input: Tensor) -> Tensor:
    """In-place version of `ceil`."""

def celu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """x above 0, alpha·(e^(x/alpha) − 1) below. Source: Barron, 2017.

    Raises:
        RuntimeError: alpha is 0.
        NotImplementedError: integers or bools.
    """

def celu_(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """In-place version of `celu`."""

cfloat: dtype

def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of matrices, multiplied in the order that takes the fewest operations.

    Raises:
        RuntimeError: none, not matrices, sizes or dtypes that do not fit.
    """

def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """(N, C, …) with the channels, in ``groups`` groups, dealt out one from each group in turn.

    Source: Zhang et al., "ShuffleNet", 2018.

    Raises:
        RuntimeError: fewer than three dimensions; a number of groups that does not divide the channels.
    """

channels_last: memory_format
channels_last_3d: memory_format

def cholesky(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The Cholesky factor of positive definite matrices; see `lazygrad.linalg.cholesky`."""

def cholesky_inverse(L: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A, from the Cholesky factor of A; see `cholesky_solve`.

    Raises:
        RuntimeError: not square. NotImplementedError: integers or 16-bit floats.
    """

def cholesky_solve(input: Tensor, L: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """X with A·X = input, from the Cholesky factor of A.

    Args:
        input: shape (…, n, k), float or complex.
        L: the lower factor, shape (…, n, n), of the same dtype; the upper one with ``upper``.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """

def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Views of at most ``chunks`` equally large pieces of one dimension; the last may be smaller.

    Raises:
        RuntimeError: ``chunks`` is not positive.
    """

def clamp(
    input: Tensor, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None
) -> Tensor:
    """``input`` limited to [min, max]; each bound a number, a tensor or None.

    Raises:
        RuntimeError: both bounds are None, or one is a number that the result's dtype cannot hold.
    """

def clamp_(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """In-place version of `clamp`."""

def clamp_max(input: Tensor, max: Operand, *, out: Tensor | None = None) -> Tensor:
    """min(input, max), elementwise."""

def clamp_max_(input: Tensor, max: Operand) -> Tensor:
    """In-place version of `clamp_max`."""

def clamp_min(input: Tensor, min: Operand, *, out: Tensor | None = None) -> Tensor:
    """max(input, min), elementwise."""

def clamp_min_(input: Tensor, min: Operand) -> Tensor:
    """In-place version of `clamp_min`."""

def clip(input: Tensor, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None) -> Tensor:
    """``input`` limited to [min, max]; each bound a number, a tensor or None.

    Raises:
        RuntimeError: both bounds are None, or one is a number that the result's dtype cannot hold.
    """

def clip_(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """In-place version of `clamp`."""

def clone(input: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """A copy with memory of its own, through which gradients flow.

    Args:
        input: any tensor.
        memory_format: the order of the dimensions in memory; by default that of ``input``.
    """

def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors side by side, vectors as columns."""

def combinations(input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """All ways to choose ``r`` elements of a vector, in their order, as rows.

    Args:
        input: a vector.
        r: how many.
        with_replacement: whether an element may be chosen again.

    Raises:
        RuntimeError: not a vector, or a negative ``r``.
    """

def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """real + i·imag, broadcast.

    Args:
        real, imag: both float32, for complex64, or both float64, for complex128.

    Raises:
        RuntimeError: other dtypes, or shapes that do not broadcast.
    """

complex128: dtype
complex64: dtype

def concat(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """Another name of `cat`."""

def concatenate(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """Another name of `cat`."""

def cond(
    pred: builtins.bool | Tensor,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    operands: Sequence[Any] = (),
) -> Any:
    """``true_fn(*operands)`` if ``pred`` holds, otherwise ``false_fn(*operands)``. A tensor is computed to know.

    Raises:
        RuntimeError: ``pred`` is neither a bool nor a tensor of one element; the branches cannot be called.
    """

def conj(input: Tensor) -> Tensor:
    """The complex conjugate, as a view; a real tensor itself.

    As in PyTorch nothing is computed until the values are read: `is_conj` says so, and `resolve_conj` copies.
    """

def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate with memory of its own; a real tensor itself."""

def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: builtins.float = 0) -> Tensor:
    """`nn.functional.pad` in the mode constant."""

contiguous_format: memory_format

def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: str | Extent = 0,
    dilation: Extent = 1,
    groups: builtins.int = 1,
) -> Tensor:
    """Convolution of signals, see `conv2d`: (N, C_in, L) or (C_in, L) with weight (C_out, C_in / groups, K)."""

def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: str | Extent = 0,
    dilation: Extent = 1,
    groups: builtins.int = 1,
) -> Tensor:
    """Convolution of images.

    Args:
        input: (N, C_in, H, W) or (C_in, H, W).
        weight: (C_out, C_in / groups, K_h, K_w), of the input's dtype.
        bias: (C_out,) or None.
        stride: step between windows; here and below an int stands for every dimension.
        padding: zeros before and after each dimension, ``"valid"`` for none, ``"same"`` to keep the size.
        dilation: step between the elements of a window.
        groups: channels are split into this many convolutions that do not see each other.

    Returns:
        (N, C_out, H_out, W_out), or without N, where a size is
        ⌊(size + 2·padding − dilation·(K − 1) − 1) / stride⌋ + 1.

    Raises:
        RuntimeError: shapes, dtypes or channels that do not fit together, a window of no elements or larger than the
            padded input, no output channels, an image of no elements, ``"same"`` with a stride, or numbers out of
            range. As in PyTorch, images without channels are convolved to images without channels.
    """

def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: str | Extent = 0,
    dilation: Extent = 1,
    groups: builtins.int = 1,
) -> Tensor:
    """Convolution of volumes, see `conv2d`: (N, C_in, D, H, W) with weight (C_out, C_in / groups, K_d, K_h, K_w)."""

def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: builtins.int = 0) -> Tensor:
    """Convolution of signals with time first and channels last.

    Args:
        input: (T, N, C_in).
        weight: (K, C_in, C_out).
        bias: (C_out).
        pad: zeros at both ends.

    Returns:
        (T + 2·pad − K + 1, N, C_out).

    Raises:
        RuntimeError: another rank, or channels that do not fit.
    """

def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: Extent = 0,
    output_padding: Extent = 0,
    groups: builtins.int = 1,
    dilation: Extent = 1,
) -> Tensor:
    """Transposed convolution of signals, see `conv_transpose2d`."""

def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: Extent = 0,
    output_padding: Extent = 0,
    groups: builtins.int = 1,
    dilation: Extent = 1,
) -> Tensor:
    """Transposed convolution of images: every input element adds a scaled copy of the filter to the output.

    Args:
        input: (N, C_in, H, W) or (C_in, H, W).
        weight: (C_in, C_out / groups, K_h, K_w), of the input's dtype.
        bias: (C_out,) or None.
        stride: step between the copies; here and below an int stands for every dimension.
        padding: how much of the result is cut off on every side.
        output_padding: how much less is cut off at the end.
        groups: channels are split into this many convolutions that do not see each other.
        dilation: step between the elements of the filter.

    Returns:
        (N, C_out, H_out, W_out), or without N, where a size is
        (size − 1)·stride − 2·padding + dilation·(K − 1) + output_padding + 1.

    Raises:
        RuntimeError: shapes, dtypes or channels that do not fit together, or numbers out of range.
    """

def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: Extent = 0,
    output_padding: Extent = 0,
    groups: builtins.int = 1,
    dilation: Extent = 1,
) -> Tensor:
    """Transposed convolution of volumes, see `conv_transpose2d`."""

def copysign(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """|input| with the sign of ``other``, a tensor or number, broadcast. Integers are taken as floats."""

def corrcoef(input: Tensor) -> Tensor:
    """The matrix of correlation coefficients of the rows of ``input``, limited to [-1, 1].

    Of complex numbers both parts are limited. See `cov`.

    Raises:
        RuntimeError: more than two dimensions.
    """

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """cos x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def cos_(input: Tensor) -> Tensor:
    """In-place version of `cos`."""

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """cosh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def cosh_(input: Tensor) -> Tensor:
    """In-place version of `cosh`."""

def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0.0, reduction: builtins.int = 1
) -> Tensor:
    """`nn.functional.cosine_embedding_loss`."""

def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """x1·x2 / (max(‖x1‖₂, eps) · max(‖x2‖₂, eps)) along ``dim`` of the broadcast operands.

    Raises:
        RuntimeError: integers or bools, or shapes that do not broadcast.
        IndexError: ``dim`` out of range.
    """

def count_nonzero(input: Tensor, dim: Dim = None) -> Tensor:
    """How many elements over ``dim`` are not zero, as int64.

    Raises:
        IndexError: a dimension out of range.
    """

def cov(
    input: Tensor, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of the rows of ``input``; of a vector, the variance as a 0-dim tensor.

    Args:
        input: (variables, observations), or observations of one variable.
        correction: subtracted from the number of observations in the divisor.
        fweights: how often each observation was made, integers.
        aweights: how much each observation counts, floats.

    Raises:
        RuntimeError: more than two dimensions, a bool tensor, weights of another length, dtype or sign.
    """

def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of 3 elements; other dimensions broadcast.

    Args:
        dim: the dimension of the vectors; by default the first of size 3.

    Raises:
        RuntimeError: different numbers of dimensions, a size other than 3, or no dimension of size 3.
        NotImplementedError: bools. IndexError: ``dim`` out of range.
    """

def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[builtins.int],
    target_lengths: Tensor | Sequence[builtins.int],
    blank: builtins.int = 0,
    reduction: builtins.int = 1,
    zero_infinity: builtins.bool = False,
) -> Tensor:
    """`nn.functional.ctc_loss`."""

def cummax(input: Tensor, dim: builtins.int, *, out: tuple[Tensor, ...] | None = None) -> return_types.cummax:
    """The largest element so far along ``dim``, as a named pair (values, indices); NaN is the largest.

    Raises:
        IndexError: ``dim`` out of range.
    """

def cummin(input: Tensor, dim: builtins.int, *, out: tuple[Tensor, ...] | None = None) -> return_types.cummin:
    """The smallest element so far along ``dim``, as a named pair (values, indices); NaN is the smallest.

    Raises:
        IndexError: ``dim`` out of range.
    """

def cumprod(input: Tensor, dim: builtins.int, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The running product along ``dim``; see `cumsum`.

    Raises:
        IndexError: ``dim`` out of range.
    """

def cumsum(input: Tensor, dim: builtins.int, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The running sum along ``dim``, of the input's shape.

    Args:
        input: integers and bools are summed in int64, 16-bit floats in float32.
        dim: the dimension to run along.
        dtype: cast to this dtype before summing.

    Raises:
        IndexError: ``dim`` out of range.
    """

def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: builtins.float | Tensor | None = None, dim: builtins.int = -1
) -> Tensor:
    """The running integral along ``dim``, one element shorter than ``y``; see `trapezoid`."""

default_generator: _DefaultGenerator

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees as radians; integers are converted to the default float dtype."""

def deg2rad_(input: Tensor) -> Tensor:
    """In-place version of `deg2rad`."""

def det(input: Tensor) -> Tensor:
    """The determinant of square matrices; see `lazygrad.linalg.det`."""

def detach(input: Tensor) -> Tensor:
    """The same data, cut off from gradients."""

def detach_(input: Tensor) -> Tensor:
    """Cut a tensor off from the graph that made it; returns it."""

def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of what `detach` gives a view of."""

def diag(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """A vector as the diagonal of a matrix of zeros, or a copy of a matrix's diagonal.

    Raises:
        RuntimeError: neither a vector nor a matrix.
    """

def diag_embed(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
    """The last dimension as a diagonal of two new dimensions ``dim1`` and ``dim2``, zeros elsewhere.

    Raises:
        RuntimeError: ``dim1`` and ``dim2`` are one dimension.
    """

def diagflat(input: Tensor, offset: builtins.int = 0) -> Tensor:
    """All elements as the diagonal of a matrix of zeros."""

def diagonal(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """A view of a diagonal of two dimensions, as a new last dimension.

    Args:
        offset: 0 for the main diagonal, positive above it, negative below.

    Raises:
        RuntimeError: ``dim1`` and ``dim2`` are one dimension.
    """

def diagonal_copy(
    input: Tensor,
    offset: builtins.int = 0,
    dim1: builtins.int = 0,
    dim2: builtins.int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of what `diagonal` gives a view of."""

def diagonal_scatter(
    input: Tensor,
    src: Tensor,
    offset: builtins.int = 0,
    dim1: builtins.int = 0,
    dim2: builtins.int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with the `diagonal` of these arguments replaced by ``src``.

    Raises:
        RuntimeError: ``src`` has not the diagonal's shape; ``dim1`` and ``dim2`` are one dimension.
    """

def diff(
    input: Tensor,
    n: builtins.int = 1,
    dim: builtins.int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The ``n``-th differences of neighbours along ``dim``; of bools, where they differ.

    Args:
        input: at least one dimension.
        n: how often differences are taken; the dimension shrinks by 1 each time, to 0 at the least.
        dim: the dimension.
        prepend, append: joined to the input first; of its rank.

    Raises:
        RuntimeError: a 0-dim input, a negative ``n``, parts of another rank.
        IndexError: ``dim`` out of range.
    """

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Γ′(x)/Γ(x), elementwise. Integer and bool tensors are converted to the default float dtype."""

def dist(input: Tensor, other: Tensor, p: builtins.float = 2) -> Tensor:
    """The p-norm of ``input`` - ``other``, broadcast, as one vector: 0-dim.

    Raises:
        RuntimeError: integers, or shapes that do not broadcast.
    """

def div(input: Operand, other: Operand, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """input / other, broadcast.

    Args:
        input, other: tensors or numbers.
        rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

    Raises:
        RuntimeError: another rounding mode; integers divided by 0 with rounding.
        OverflowError: an integer of more than 64 bits.
    """

def divide(input: Operand, other: Operand, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """input / other, broadcast.

    Args:
        input, other: tensors or numbers.
        rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

    Raises:
        RuntimeError: another rounding mode; integers divided by 0 with rounding.
        OverflowError: an integer of more than 64 bits.
    """

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors of one length, 0-dim.

    Raises:
        RuntimeError: not vectors, different lengths or dtypes.
    """

double: dtype

def dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """`nn.functional.dropout`. RuntimeError, here, for a probability outside [0, 1]."""

def dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """In-place version of `dropout`."""

def dsmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, k) and (k, m).

    Raises:
        RuntimeError: not matrices, sizes that do not fit, different dtypes.
    """

def dsplit(
    input: Tensor,
    *indices_or_sections: Cuts,
    sections: builtins.int | None = None,
    indices: Sequence[builtins.int] | None = None,
) -> tuple[Tensor, ...]:
    """Views of pieces behind one another: of the third dimension; see `hsplit`."""

def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors behind one another: along the third dimension."""

e: builtins.float

def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation names.

    Args:
        args: the equation, such as ``"bij,bjk->bik"``, then the operands, separately or as one list; or operands
            each followed by a list of numbers below 52, one per dimension, and perhaps such a list for the output.
            ``...`` stands for dimensions that broadcast. Without ``->`` the result has the letters that occur
            once, in alphabetical order.

    Returns:
        A tensor of the output's dimensions; a view where one operand is only rearranged.

    Raises:
        RuntimeError: an equation that cannot be read or does not fit the operands' ranks and sizes.
        ValueError: no operands.
        TypeError: an equation that is not text, operands that are not tensors.
    """

def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: builtins.int = -1,
    scale_grad_by_freq: builtins.bool = False,
    sparse: builtins.bool = False,
) -> Tensor:
    """`nn.functional.embedding`; a negative ``padding_idx`` names no row."""

def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor | None = None,
    scale_grad_by_freq: builtins.bool = False,
    mode: builtins.int = 0,
    sparse: builtins.bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: builtins.bool = False,
    padding_idx: builtins.int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`nn.functional.embedding_bag` with mode 0 for sum, 1 for mean, 2 for max.

    Returns:
        The result, and three empty int64 tensors in place of what PyTorch keeps for its gradient.
    """

def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: builtins.float, norm_type: builtins.float) -> Tensor:
    """Shorten the rows of ``input`` that ``indices`` names to ``max_norm``, in place."""

def empty(
    *sizes: Sizes,
    size: Sizes | None = None,
    memory_format: memory_format | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor whose values do not matter; they are zeros, which cost nothing until they are read.

    Args:
        sizes, size: as separate ints or one sequence.
        memory_format: the order of the dimensions in memory, row-major by default.
        options: see `TensorOptions`.
    """

def empty_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """A tensor like ``input`` whose values do not matter."""

def empty_permuted(
    size: Sizes,
    physical_layout: Sequence[builtins.int],
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """An `empty` tensor whose dimensions lie in memory in a given order.

    Args:
        size: of the result.
        physical_layout: the dimensions from the outermost to the innermost.
        options: see `TensorOptions`.

    Raises:
        RuntimeError: ``physical_layout`` does not name every dimension once.
    """

def empty_strided(
    size: Sequence[builtins.int],
    stride: Sequence[builtins.int],
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """A tensor whose values do not matter, with memory of its own from the first to the last of its elements.

    Raises:
        RuntimeError: not as many strides as sizes, or negative ones.
    """

def eq(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input == other, as bool."""

def equal(input: Tensor, other: Tensor) -> builtins.bool:
    """Whether two tensors have the same shape and the same elements (NaN equals nothing). Computes both now.

    Raises:
        TypeError: an argument that is not a tensor.
    """

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """the error function of x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def erf_(input: Tensor) -> Tensor:
    """In-place version of `erf`."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 − erf x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def erfc_(input: Tensor) -> Tensor:
    """In-place version of `erfc`."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """the inverse of erf, elementwise. Integer and bool tensors are converted to the default float dtype."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """eˣ, elementwise. Integer and bool tensors are converted to the default float dtype."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2ˣ, elementwise. Integer and bool tensors are converted to the default float dtype."""

def exp2_(input: Tensor) -> Tensor:
    """In-place version of `exp2`."""

def exp_(input: Tensor) -> Tensor:
    """In-place version of `exp`."""

def expand_copy(
    input: Tensor, *given: Sizes, size: Sequence[builtins.int] | None = None, out: Tensor | None = None
) -> Tensor:
    """A copy of what `expand` gives a view of."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """eˣ − 1, elementwise. Integer and bool tensors are converted to the default float dtype."""

def expm1_(input: Tensor) -> Tensor:
    """In-place version of `expm1`."""

def eye(
    n: builtins.int,
    m: builtins.int | None = None,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The identity matrix with ``n`` rows and ``m`` columns (``n`` by default).

    Raises:
        RuntimeError: a negative size.
    """

def feature_alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """`nn.functional.feature_alpha_dropout`."""

def feature_alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """In-place version of `feature_alpha_dropout`."""

def feature_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """`dropout` of whole channels of an input (N, C, …)."""

def feature_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """In-place version of `feature_dropout`."""

def fill(input: Tensor, value: Operand) -> Tensor:
    """A tensor like ``input`` with every element one number or 0-dim tensor; see `fill_`."""

def fill_(input: Tensor, value: Operand) -> Tensor:
    """Set every element to one number or 0-dim tensor, which gradients flow to.

    Raises:
        RuntimeError: ``value`` has dimensions, or does not fit into the dtype.
    """

def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x rounded towards zero, elementwise; integers stay as they are."""

def fix_(input: Tensor) -> Tensor:
    """In-place version of `trunc`."""

def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """The dimensions from ``start_dim`` to ``end_dim`` as one. The tensor itself where that changes nothing.

    Raises:
        RuntimeError: ``start_dim`` comes after ``end_dim``.
    """

def flip(input: Tensor, *given: Sizes, dims: Sequence[builtins.int] | None = None) -> Tensor:
    """A copy with the given dimensions in reverse order.

    Raises:
        RuntimeError: a dim given twice.
    """

def fliplr(input: Tensor) -> Tensor:
    """A copy with the second dimension reversed."""

def flipud(input: Tensor) -> Tensor:
    """A copy with the first dimension reversed."""

float: dtype
float16: dtype
float32: dtype
float64: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype

def float_power(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    """input^exponent, broadcast, computed in float64, or complex128 where an operand is complex."""

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest integer not above x, elementwise; integers stay as they are."""

def floor_(input: Tensor) -> Tensor:
    """In-place version of `floor`."""

def floor_divide(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """⌊input / other⌋, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: integers divided by 0; for a 0 inside a tensor when the result is computed.
        OverflowError: an integer of more than 64 bits.
    """

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two values, broadcast; a number rather than NaN."""

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two values, broadcast; a number rather than NaN."""

def fmod(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input − other·trunc(input / other): the sign of the dividend.

    Raises:
        RuntimeError, OverflowError: see `floor_divide`.
    """

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x − trunc(x), elementwise.

    Raises:
        NotImplementedError: integers and bools, which have no fractions.
    """

def frac_(input: Tensor) -> Tensor:
    """In-place version of `frac`."""

def frexp(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.frexp:
    """Mantissa in [½, 1) and int32 exponent, as a named pair, with input = mantissa · 2^exponent.

    Raises:
        RuntimeError: not a floating dtype.
    """

def from_dlpack(ext_tensor: Any, *, device: DeviceLike | None = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor over the memory of another library's tensor, on the CPU or a CUDA device.

    Args:
        ext_tensor: the other tensor, or a DLPack capsule, which is used up by this.
        device: that the result is on; by default the other tensor's.
        copy: True always copies, False never does, None copies where that cannot be avoided.

    Raises:
        AssertionError: ``device`` or ``copy`` for a capsule.
        RuntimeError: the object does not speak DLPack, or the capsule was read before.
        BufferError: memory of another device, or of a dtype that there is not.
        ValueError: ``copy=False`` and another device than the memory's; negative strides.
    """

def from_file(
    filename: str, shared: builtins.bool | None = None, size: builtins.int = 0, *, dtype: dtype | None = None
) -> Tensor:
    """The first ``size`` elements of a file, which is mapped into memory rather than read.

    Args:
        filename: of the file.
        shared: whether the file is opened for writing too; it is made longer where it is too short.
        size: how many elements.
        dtype: of the elements, by default the default dtype.

    Raises:
        TypeError: a ``size`` that is no integer.
        RuntimeError: a negative ``size``, or one that memory has no addresses for; fewer bytes in a file that is not
            shared.
        OSError: the file cannot be opened, or made longer.
    """

def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor over a numpy array's memory: what is written to the array later, the tensor reads.

    Raises:
        TypeError: not an array, or of a dtype that has no counterpart.
        ValueError: negative strides, strides between elements, or another machine's byte order.
    """

def frombuffer(
    buffer: Any,
    *,
    dtype: dtype,
    count: builtins.int = -1,
    offset: builtins.int = 0,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """A vector over the memory of an object with the buffer protocol, such as a bytearray.

    Args:
        buffer: the object.
        dtype: how its bytes are read.
        count: how many elements; all if negative.
        offset: how many bytes are skipped.
        requires_grad: whether the result records gradients.

    Raises:
        ValueError: an empty buffer, or fewer bytes than ``offset`` and ``count`` ask for.
    """

def full(
    size: Sizes,
    fill_value: Operand,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor of one number; without ``dtype`` the number's own (bool, int64 or the default float).

    Raises:
        RuntimeError: the number does not fit into ``dtype``.
    """

def full_like(
    input: Tensor,
    fill_value: Operand,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """One number in ``input``'s shape, and its dtype, device and order in memory unless others are given."""

def gather(
    input: Tensor, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False, out: Tensor | None = None
) -> Tensor:
    """result[…, i, …] = input[…, index[…, i, …], …] along dimension ``dim``.

    Args:
        index: int64 or int32, as many dimensions as ``input``, none larger except ``dim``.
        sparse_grad: accepted for PyTorch's signature; gradients are dense.

    Raises:
        RuntimeError: an index of another dtype, rank or size; at run time, one out of range.
    """

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor, broadcast, not negative; 0 of two zeros.

    Raises:
        NotImplementedError: floats or bools.
    """

def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """In-place version of `gcd`."""

def ge(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input >= other, as bool."""

def geqrf(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.geqrf:
    """(a, tau): R on and above the diagonal of ``a``, with the Householder reflections that make Q below it.

    Args:
        input: shape (…, m, n), float or complex; ``tau`` has the shape (…, min(m, n)).

    Raises:
        RuntimeError: fewer than two dimensions.
        NotImplementedError: integers or 16-bit floats; a gradient is asked for.
    """

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of the elements of two vectors, (n,) and (m,): shape (n, m), in the promoted dtype.

    Raises:
        RuntimeError: not vectors.
    """

def get_device(input: Tensor) -> builtins.int:
    """The ordinal of the tensor's accelerator; -1 on the CPU and where there are no values."""

def get_rng_state() -> Tensor:
    """The state of all random numbers, on the host and inside graphs, as a 1-d uint8 tensor for `set_rng_state`."""

def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: builtins.int = 1) -> tuple[Tensor, ...]:
    """The derivative along each of several dimensions, by central differences of second order.

    Args:
        input: values of a function on a grid.
        spacing: the distance of neighbours: one number, one per dimension, or a vector of coordinates per dimension.
        dim: a dimension or several; all when None.
        edge_order: 1 or 2, the order of the one-sided differences at both ends.

    Returns:
        A tensor per dimension, of the input's shape.

    Raises:
        RuntimeError: spacings that do not fit the dimensions; a dimension too short, or given twice; another order.
    """

def greater(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input > other, as bool."""

def greater_equal(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input >= other, as bool."""

def grid_sampler(
    input: Tensor,
    grid: Tensor,
    interpolation_mode: builtins.int,
    padding_mode: builtins.int,
    align_corners: builtins.bool,
) -> Tensor:
    """`nn.functional.grid_sample`: modes 0 bilinear, 1 nearest, 2 bicubic; paddings 0 zeros, 1 border, 2 reflection."""

def grid_sampler_2d(
    input: Tensor,
    grid: Tensor,
    interpolation_mode: builtins.int,
    padding_mode: builtins.int,
    align_corners: builtins.bool,
) -> Tensor:
    """`grid_sampler` of images."""

def grid_sampler_3d(
    input: Tensor,
    grid: Tensor,
    interpolation_mode: builtins.int,
    padding_mode: builtins.int,
    align_corners: builtins.bool,
) -> Tensor:
    """`grid_sampler` of volumes."""

def group_norm(
    input: Tensor,
    num_groups: builtins.int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: builtins.float = 1e-05,
) -> Tensor:
    """Every group of channels normalized to mean 0 and variance 1, then scaled per channel. Source: Wu and He, 2018.

    Args:
        input: (N, C, …), floating.
        num_groups: divides C.
        weight, bias: (C,).
        eps: added to the (biased) variance.

    Raises:
        RuntimeError: fewer than 2 dimensions, or sizes that do not fit together.
        ValueError: one value per group.
        NotImplementedError: integers or bools.
    """

def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of gated recurrent units, called as `lstm`; ``hx`` is one tensor. Source: Cho et al., 2014."""

def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a gated recurrent unit; see `lstm_cell`.

    The rows of a weight are those of the reset gate, the update gate and the new value.
    """

def gt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input > other, as bool."""

half: dtype

def hamming_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    alpha: builtins.float = 0.54,
    beta: builtins.float = 0.46,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """alpha − beta·cos(2πk/n), k from 0 to n; see `hann_window`.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """

def hann_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """½ − ½·cos(2πk/n), k from 0 to n, as ``window_length`` points.

    Args:
        window_length: how many points.
        periodic: n is ``window_length``; otherwise the window is symmetric, and n is ``window_length`` − 1.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """

def hardshrink(input: Tensor, lambd: builtins.float = 0.5) -> Tensor:
    """x where |x| > lambd, 0 elsewhere.

    Raises:
        NotImplementedError: integers or bools.
        RuntimeError: a lambd that the dtype cannot hold.
    """

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, ``values`` at 0, 1 above, broadcast; 0 at NaN.

    Raises:
        RuntimeError: the tensors' dtypes differ.
    """

def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: builtins.float = 1.0, reduction: builtins.int = 1
) -> Tensor:
    """`nn.functional.hinge_embedding_loss`."""

def histc(
    input: Tensor,
    bins: builtins.int = 100,
    min: builtins.float = 0,
    max: builtins.float = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """How many elements lie in each of ``bins`` intervals of equal width between ``min`` and ``max``.

    Args:
        input: a floating dtype, which the result has too.
        bins: how many.
        min, max: the range; that of the elements when both are equal. What lies outside is not counted.

    Raises:
        RuntimeError: a number of bins that is not positive, a range that is reversed or not finite.
        NotImplementedError: a bool tensor.
    """

def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Sequence[builtins.float] | None = None,
    weight: Tensor | None = None,
    density: builtins.bool = False,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.histogram:
    """How many elements, or the sum of whose weights, lie in each interval: a named pair (hist, bin_edges).

    Args:
        input: floating values.
        bins: how many intervals of equal width, or the ascending ends of them.
        range: (lowest, highest); of the elements when None. Elements outside are not counted.
        weight: a weight for each element, in the input's dtype.
        density: divide by the sum and the width, so that the integral is 1.

    Raises:
        RuntimeError: bins that are not positive or not a vector, a range that is not finite or reversed, weights of
            another shape or dtype. NotImplementedError: integers or bools.
    """

def histogramdd(
    input: Tensor,
    bins: Any,
    *,
    range: Sequence[builtins.float] | None = None,
    weight: Tensor | None = None,
    density: builtins.bool = False,
) -> return_types.histogramdd:
    """`histogram` in several dimensions: a named pair (hist, bin_edges), the latter a tuple of vectors.

    Args:
        input: (…, D), points of D coordinates.
        bins: how many intervals along all dimensions or along each, or the ends of the intervals along each.
        range: the lowest and the highest coordinate, one dimension after another.
        weight: a weight for each point.
        density: divide by the sum and the volume of the cells.

    Raises:
        RuntimeError: see `histogram`; not as many bins or ranges as dimensions.
    """

def hsplit(
    input: Tensor,
    *indices_or_sections: Cuts,
    sections: builtins.int | None = None,
    indices: Sequence[builtins.int] | None = None,
) -> tuple[Tensor, ...]:
    """Views of pieces side by side: of the second dimension, or the first of a vector.

    Args:
        input: at least one dimension.
        indices_or_sections: the number of pieces, which must divide the size; or where to cut.
        sections, indices: the former and the latter by their names.

    Raises:
        RuntimeError: a 0-dim tensor; a number of pieces that does not divide the size.
        TypeError: neither or several of these three.
    """

def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors side by side: along the second dimension, or the first of vectors."""

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """√(input² + other²) without overflow, broadcast. NotImplementedError where both are integers or bools."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I₀(x), elementwise. Integers are converted to the default float dtype."""

def i0_(input: Tensor) -> Tensor:
    """In-place version of `i0`."""

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other), broadcast.

    Gradients flow to ``other`` only, as in PyTorch.

    Raises:
        TypeError: an operand that is not a tensor. NotImplementedError: a gradient asked for ``input``.
    """

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 − P(input, other); see `igamma`."""

def imag(input: Tensor) -> Tensor:
    """The imaginary part, as a view.

    Raises:
        RuntimeError: not a complex dtype.
    """

def index_add(
    input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """``input`` with alpha·source[i] added to row index[i] of dimension ``dim``; rows named twice get both.

    Raises:
        RuntimeError, IndexError: as `index_select`; a source of another shape or dtype.
    """

def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input`` with row index[i] of dimension ``dim`` replaced by source[i].

    Raises:
        RuntimeError, IndexError: as `index_select`; a source of another shape or dtype.
    """

def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor | Scalar) -> Tensor:
    """``input`` with the rows of dimension ``dim`` that ``index`` names filled with one number.

    Raises:
        RuntimeError, IndexError: as `index_select`; a ``value`` with dimensions.
    """

def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """``input`` with input[indices] set to ``values``, or increased by them.

    Args:
        indices: masks or integer tensors for the leading dimensions.
        values: broadcast to the indexed region, of the same dtype.
        accumulate: add; elements named twice get both values.

    Raises:
        IndexError, RuntimeError: as for ``input[indices] = values``.
    """

def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """In-place version of `index_put`."""

def index_reduce(
    input: Tensor,
    dim: builtins.int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: builtins.bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with, at each row of ``dim`` that ``index`` names, the reduction of all rows of ``source`` sent there.

    Args:
        input: any shape.
        dim: the dimension that ``index`` addresses.
        index: a vector of int64 or int32.
        source: a row for each index.
        reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether what ``input`` holds there takes part.

    Raises:
        RuntimeError: another ``reduce``; a source of another dtype or shape. IndexError: an index out of range.
    """

def index_select(input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The rows of dimension ``dim`` that a vector of indices names.

    Raises:
        RuntimeError: an index that is not int64 or int32. IndexError: not a vector; at run time, out of range.
    """

inf: builtins.float

def initial_seed() -> builtins.int:
    """The seed of the default generator."""

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sums of products along the last dimensions of both, for all others of ``input`` and then all of ``other``.

    A number multiplies.

    Raises:
        RuntimeError: last dimensions of different sizes; different dtypes.
    """

def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: builtins.bool,
    momentum: builtins.float,
    eps: builtins.float,
    cudnn_enabled: builtins.bool,
) -> Tensor:
    """`nn.functional.instance_norm`; ``cudnn_enabled`` changes nothing."""

int: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices; see `lazygrad.linalg.inv`."""

def is_complex(input: Tensor) -> builtins.bool:
    """Whether the dtype is a complex one."""

def is_conj(input: Tensor) -> builtins.bool:
    """Whether this is a conjugate view of memory that holds the numbers themselves."""

def is_floating_point(input: Tensor) -> builtins.bool:
    """Whether the dtype is a floating one."""

def is_inference(input: Tensor) -> builtins.bool:
    """Whether a tensor was made inside `inference_mode`."""

def is_neg(input: Tensor) -> builtins.bool:
    """Whether this is the imaginary part of a conjugate view, whose memory holds the negated numbers."""

def is_nonzero(input: Tensor) -> builtins.bool:
    """Whether the one element is not zero. Computes it.

    Raises:
        RuntimeError: the tensor has another number of elements.
    """

def is_same_size(input: Tensor, other: Tensor) -> builtins.bool:
    """Whether two tensors have the same shape."""

def is_signed(input: Tensor) -> builtins.bool:
    """Whether the dtype has negative numbers."""

def is_storage(obj: Any) -> builtins.bool:
    """Whether ``obj`` is a storage object."""

def is_tensor(obj: Any) -> builtins.bool:
    """Whether ``obj`` is a `Tensor`."""

def isclose(
    input: Tensor,
    other: Tensor,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> Tensor:
    """Where |input - other| ≤ atol + rtol·|other|, or both are equal, as bool; the tensors broadcast.

    Args:
        input, other: of one dtype; integers are compared as floats.
        rtol, atol: relative and absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Raises:
        RuntimeError: different dtypes; a negative tolerance; shapes that do not broadcast.
        TypeError: an argument that is not a tensor.
    """

def isfinite(input: Tensor) -> Tensor:
    """Where elements are neither infinite nor NaN, as bool."""

def isin(
    elements: Operand,
    test_elements: Operand,
    *,
    assume_unique: builtins.bool = False,
    invert: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Where ``elements`` are among ``test_elements``, as bool of the former's shape; a NaN is nowhere.

    Args:
        elements, test_elements: tensors; either, but not both, may be a number.
        assume_unique: accepted; it would only save time.
        invert: where they are not.

    Raises:
        TypeError: two numbers.
    """

def isinf(input: Tensor) -> Tensor:
    """Where elements are +∞ or −∞, as bool."""

def isnan(input: Tensor) -> Tensor:
    """Where elements are NaN, as bool."""

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements are −∞, as bool. RuntimeError for complex numbers."""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements are +∞, as bool. RuntimeError for complex numbers."""

def isreal(input: Tensor) -> Tensor:
    """Where the imaginary part is 0, as bool; everywhere for a real dtype."""

def istft(
    input: Tensor,
    n_fft: builtins.int,
    hop_length: builtins.int | None = None,
    win_length: builtins.int | None = None,
    window: Tensor | None = None,
    center: builtins.bool = True,
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    length: builtins.int | None = None,
    return_complex: builtins.bool = False,
) -> Tensor:
    """The signal whose `stft` is nearest to ``input``: overlapping pieces are added up, and divided by their weights.

    Source: Griffin and Lim, "Signal estimation from modified short-time Fourier transform", 1984.

    Args:
        input: complex, (frequencies, pieces) or (batch, frequencies, pieces).
        n_fft, hop_length, win_length, window, center, normalized, onesided: as they were given to `stft`.
        length: of the signal, which is cut off or filled up with zeros.
        return_complex: whether the signal is complex.

    Returns:
        (length,) or (batch, length).

    Raises:
        RuntimeError: not complex; sizes that do not fit; a sample that no window covers.
    """

jagged: layout

def kaiser_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    beta: builtins.float = 12.0,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """I₀(beta·√(1 − (2k/n − 1)²)) / I₀(beta), k from 0 to n; see `hann_window`.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """

def kl_div(input: Tensor, target: Tensor, reduction: builtins.int = 1, *, log_target: builtins.bool = False) -> Tensor:
    """`nn.functional.kl_div`."""

def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: every element of ``input`` times all of ``other``, as blocks.

    Sizes are multiplied dimension by dimension; a tensor with fewer dimensions gets leading ones of size 1.
    """

def kthvalue(
    input: Tensor,
    k: builtins.int,
    dim: builtins.int = -1,
    keepdim: builtins.bool = False,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.kthvalue:
    """The ``k``-th smallest element along ``dim``, counted from 1, as a named pair (values, indices).

    Raises:
        RuntimeError: ``k`` out of range.
        NotImplementedError: a bool tensor.
        IndexError: ``dim`` out of range or empty.
    """

def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[builtins.int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: builtins.float = 1e-05,
) -> Tensor:
    """(x − mean) / √(var + eps) · weight + bias over the trailing dimensions. Source: Ba, Kiros and Hinton, 2016.

    Args:
        input: (…, *normalized_shape), floating.
        normalized_shape: the sizes of the dimensions normalized together.
        weight, bias: normalized_shape; the input's dtype, or float32 beside a 16-bit input.
        eps: added to the (biased) variance.

    Raises:
        RuntimeError: shapes or dtypes that do not fit together.
        NotImplementedError: integers or bools.
    """

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple, broadcast, not negative; 0 beside a zero.

    Raises:
        NotImplementedError: floats or bools.
    """

def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """In-place version of `lcm`."""

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input · 2^other, broadcast; a float even where both are integers.

    A float and an integer exponent give the float's dtype, and no power of 2 overflows where the result does not.

    Raises:
        NotImplementedError: a float, and an exponent that is a bool or of uint16, uint32 or uint64.
    """

def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """In-place version of `ldexp`."""

def le(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input <= other, as bool."""

def lerp(input: Tensor, end: Tensor, weight: Tensor | Scalar, *, out: Tensor | None = None) -> Tensor:
    """input + weight·(end − input), evaluated from the nearer end for accuracy (as PyTorch does).

    Raises:
        RuntimeError: ``end``, or a tensor of weights, has another dtype than ``input``.
        NotImplementedError: integers or bools.
    """

def less(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input < other, as bool."""

def less_equal(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input <= other, as bool."""

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ln |Γ(x)|, elementwise. Integer and bool tensors are converted to the default float dtype."""

def linspace(
    start: Operand,
    end: Operand,
    steps: builtins.int,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """``steps`` evenly spaced numbers from ``start`` to ``end``, both included.

    Raises:
        RuntimeError: a negative number of steps.
    """

def lobpcg(
    A: Tensor,
    k: builtins.int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: builtins.int | None = None,
    iK: Tensor | None = None,
    niter: builtins.int | None = None,
    tol: builtins.float | None = None,
    largest: builtins.bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: dict[str, builtins.int] | None = None,
    ortho_fparams: dict[str, builtins.float] | None = None,
    ortho_bparams: dict[str, builtins.bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """(eigenvalues, eigenvectors): the ``k`` largest or smallest solutions of A·x = λ·B·x.

    The locally optimal block preconditioned conjugate gradient method (A. V. Knyazev, 2001). It looks at values, so A
    is computed when this is called. The gradient, to the first order, is that of the equations the solutions satisfy.

    Args:
        A: symmetric, shape (…, m, m), float32 or float64.
        k: how many; by default the number of columns of ``X``, or 1.
        B: symmetric and positive definite, like A; by default the identity.
        X: where to start, shape (…, m, n); by default random.
        n: how many vectors to iterate; ``k`` by default. m must be at least 3·n.
        iK: preconditioner, like A; by default the identity.
        niter: at most so many iterations.
        tol: residuals, relative to the norms of A, B and the vectors, at which to stop; by default the root of the
            precision.
        largest: False for the smallest eigenvalues.
        method: "ortho" or "basic"; both do the same.
        tracker, ortho_iparams, ortho_fparams, ortho_bparams: accepted, and not used.

    Returns:
        Eigenvalues (…, k), largest first, or smallest first if not ``largest``; eigenvectors (…, m, k).

    Raises:
        ValueError: m is less than 3·n, or an unknown ``method``.
        AssertionError: shapes that do not fit.
    """

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ln x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log₁₀ x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def log10_(input: Tensor) -> Tensor:
    """In-place version of `log10`."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ln(1 + x), elementwise. Integer and bool tensors are converted to the default float dtype."""

def log1p_(input: Tensor) -> Tensor:
    """In-place version of `log1p`."""

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log₂ x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def log2_(input: Tensor) -> Tensor:
    """In-place version of `log2`."""

def log_(input: Tensor) -> Tensor:
    """In-place version of `log`."""

def log_softmax(input: Tensor, dim: builtins.int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """ln softmax(x), without overflow; see `softmax`."""

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ln(e^input + e^other) without overflow, broadcast. NotImplementedError where both are integers or bools."""

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log₂(2^input + 2^other) without overflow, broadcast. NotImplementedError where both are integers or bools."""

def logcumsumexp(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """ln of the running sum of eˣ along ``dim``, without overflow.

    Raises:
        NotImplementedError: integers or bools.
        IndexError: ``dim`` out of range.
    """

def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of square matrices: NaN where it is negative, -∞ where it is 0.

    Raises:
        RuntimeError: not square, integers or 16-bit floats.
    """

def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where both are nonzero."""

def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where an element is zero."""

def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where either is nonzero."""

def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where exactly one is nonzero."""

def logit(input: Tensor, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """ln(x / (1 − x)), elementwise. Integers are converted to the default float dtype.

    Args:
        input: any shape.
        eps: limit the input to [eps, 1 − eps] first; without it the result outside [0, 1] is NaN.
    """

def logit_(input: Tensor, eps: builtins.float | None = None) -> Tensor:
    """In-place version of `logit`."""

def logspace(
    start: Operand,
    end: Operand,
    steps: builtins.int,
    base: builtins.float = 10.0,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """``base`` to the power of ``steps`` evenly spaced exponents from ``start`` to ``end``.

    Raises:
        RuntimeError: a negative number of steps.
    """

def logsumexp(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int],
    keepdim: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """log Σ exp(x) over ``dim``, without overflow; -∞ of no elements. Integers become the default float dtype.

    Raises:
        TypeError: ``dim`` is None.
        IndexError: a dimension out of range.
    """

long: dtype

def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Layers of long short-term memory. Source: Hochreiter and Schmidhuber, 1997.

    Called as ``lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)``, input
    (T, B, features), or (B, T, features) for ``batch_first``; or with ``data`` and ``batch_sizes`` of a
    `PackedSequence` in place of ``input``, and without ``batch_first``. ``hx`` are the first hidden and cell states.

    Returns:
        The hidden states of the last layer, and the last hidden and cell states.

    Raises:
        RuntimeError: sequences of no steps, shapes and dtypes that do not fit.
        TypeError: other arguments.
    """

def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """One step of long short-term memory.

    Args:
        input: (B, features).
        hx: hidden and cell state, (B, size) each.
        w_ih: (4 · size, features), its rows those of the input, forget, cell and output gates.
        w_hh: (4 · size, size).
        b_ih, b_hh: (4 · size).

    Returns:
        The next hidden and cell state.

    Raises:
        RuntimeError: sizes that do not fit together.
    """

def lt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input < other, as bool."""

def lu(
    A: Tensor, pivot: builtins.bool = True, get_infos: builtins.bool = False, *, out: tuple[Tensor, ...] | None = None
) -> tuple[Tensor, ...]:
    """(LU, pivots), or (LU, pivots, infos); see `lazygrad.linalg.lu_factor_ex`."""

def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """X with A·X = input, from A's LU decomposition; see `lazygrad.linalg.lu_solve`."""

def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: builtins.bool = True,
    unpack_pivots: builtins.bool = True,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.lu_unpack:
    """(P, L, U) with A = P·L·U, from what `lazygrad.linalg.lu_factor` returned for A.

    Args:
        LU_data: shape (…, m, n).
        LU_pivots: int32, shape (…, min(m, n)).
        unpack_data: False for an empty L and U.
        unpack_pivots: False for an empty P.

    Raises:
        RuntimeError: fewer than two dimensions, or pivots of another dtype or shape.
    """

def manual_seed(seed: builtins.int) -> Generator:
    """Seed all random numbers: those drawn on the host and those drawn inside graphs.

    Returns:
        The default generator.

    Raises:
        ValueError: outside [-2**63, 2**64).
    """

def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0.0, reduction: builtins.int = 1
) -> Tensor:
    """`nn.functional.margin_ranking_loss`."""

def masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """``input`` with ``value`` (a number or 0-dim tensor) where the mask holds; the dtype stays.

    Raises:
        RuntimeError: the mask is not bool; ``value`` has dimensions.
    """

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """``input`` with the elements where the mask is true replaced by those of ``source``, in row-major order.

    Raises:
        RuntimeError: a mask that is not bool, dtypes that differ; at run time, ``source`` is too short.
    """

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where the mask is true, in row-major order; both broadcast. Computes the mask.

    Raises:
        RuntimeError: a mask that is not bool.
    """

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of vectors, matrices or batches of matrices.

    A vector counts as one row on the left and one column on the right, and its extra dimension is dropped again;
    dimensions before the last two are batches, which broadcast.

    Args:
        input: shape (…, n, k) or (k,).
        other: shape (…, k, m) or (k,), of the same dtype.

    Raises:
        RuntimeError: a 0-dim tensor, sizes that do not fit, different dtypes, bools.
        TypeError: an argument that is not a tensor.
    """

def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices; see `lazygrad.linalg.matrix_exp`."""

def matrix_power(input: Tensor, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th power of square matrices; see `lazygrad.linalg.matrix_power`."""

@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest element, in one of three forms.

    ``max(input)`` is the largest of all, 0-dim. ``max(input, dim, keepdim=False)`` gives a named pair
    (values, indices) along one dimension, the first index on ties. ``max(input, other)`` compares two tensors
    elementwise, as `maximum`.

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range.
        TypeError: several dimensions (use `amax`), or arguments of two forms.
    """

@overload
def max(
    input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: tuple[Tensor, ...] | None = None
) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor, /, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, *, other: Tensor, out: Tensor | None = None) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: builtins.bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of every window of a signal, (N, C, L) or (C, L); see `max_pool2d`."""

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
) -> Any: ...
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d` with ``return_indices``, whatever that is."""

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: builtins.bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of every window of an image; NaN wins, and of equal elements the first.

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: extent of the window; here and below an int stands for every dimension.
        stride: step between windows, the window's extent for None.
        padding: how far windows may stick out; what lies outside never wins.
        dilation: step between the elements of a window.
        ceil_mode: round the output's size up instead of down.
        return_indices: also return where each winner was.

    Returns:
        (N, C, H_out, W_out), or without N, where a size is
        ⌊(size + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1; with ``return_indices`` a pair, whose second is
        int64 and counts the elements of a plane in row-major order.

    Raises:
        RuntimeError: a wrong rank, no output, padding above half the window, or numbers out of range.
        NotImplementedError: bools.
    """

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
) -> Any: ...
@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: builtins.bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of every window of a volume, (N, C, D, H, W) or (C, D, H, W); see `max_pool2d`."""

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
) -> Any: ...
def maximum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The larger of two values, elementwise; NaN wins."""

def mean(
    input: Tensor,
    dim: Dim = None,
    keepdim: builtins.bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The arithmetic mean over ``dim``; NaN of no elements.

    Raises:
        RuntimeError: an integer or bool result; pass a floating ``dtype``, or cast with ``.float()``.
        IndexError: a dimension out of range.
    """

@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The median; the lower of two middle elements, NaN where there is one.

    Without ``dim`` that of all elements, 0-dim; along a dimension a named pair (values, indices).

    Raises:
        NotImplementedError: a bool tensor.
        IndexError: nothing to choose from; a dimension out of range.
    """

@overload
def median(
    input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: tuple[Tensor, ...] | None = None
) -> return_types.median: ...
def meshgrid(*tensors: Tensors, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinate grids: views of n vectors, each expanded to the n dimensions of all.

    Args:
        tensors: vectors or numbers, separately or as one sequence.
        indexing: ``"ij"``, which is the default and is better said, or ``"xy"`` to swap the first two dimensions.

    Raises:
        RuntimeError: a tensor with more than one dimension, or another ``indexing``.
    """

@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest element, in one of three forms; see `max`.

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range.
        TypeError: several dimensions (use `amin`), or arguments of two forms.
    """

@overload
def min(
    input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: tuple[Tensor, ...] | None = None
) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor, /, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(input: Tensor, *, other: Tensor, out: Tensor | None = None) -> Tensor: ...
def minimum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two values, elementwise; NaN wins."""

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, k) and (k, m).

    Raises:
        RuntimeError: not matrices, sizes that do not fit, different dtypes.
    """

def mode(
    input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False, *, out: tuple[Tensor, ...] | None = None
) -> return_types.mode:
    """The most frequent element along ``dim``, the smallest of several, and the last place where it stands.

    Raises:
        IndexError: ``dim`` out of range, or of size 0.
    """

def moveaxis(
    input: Tensor, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]
) -> Tensor:
    """Another name of `movedim`."""

def movedim(
    input: Tensor, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]
) -> Tensor:
    """A view with the dimensions ``source`` at the positions ``destination``, the others in their order.

    Raises:
        RuntimeError: a dim given twice, or different numbers of dims.
    """

def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements in ascending order along the first dimension."""

def mul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input · other, broadcast, in the promoted dtype.

    Raises:
        OverflowError: an integer of more than 64 bits.
    """

def multinomial(
    input: Tensor,
    num_samples: builtins.int,
    replacement: builtins.bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Column numbers drawn with the weights in each row; PyTorch's numbers for the same seed.

    Args:
        input: weights, shape (columns,) or (rows, columns), floating; they need not sum to one.
        num_samples: how many of each row.
        replacement: whether a column may be drawn again.
        generator: where the numbers come from; the default generator if None.

    Returns:
        int64, shape (num_samples,) or (rows, num_samples).

    Raises:
        RuntimeError: weights that are negative, not finite, not floating or all zero; another number of dimensions;
            fewer columns than are to be drawn without replacement; no samples.
    """

def multiply(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input · other, broadcast, in the promoted dtype.

    Raises:
        OverflowError: an integer of more than 64 bits.
    """

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix (n, k) and a vector (k,).

    Raises:
        RuntimeError: other numbers of dimensions, sizes that do not fit, different dtypes.
    """

def mvlgamma(input: Tensor, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the p-variate gamma function, elementwise: p(p − 1)/4 · ln π + Σ lgamma(x − j/2), j < p.

    Raises:
        RuntimeError: ``p`` is not positive.
    """

nan: builtins.float

def nan_to_num(
    input: Tensor,
    nan: builtins.float | None = None,
    posinf: builtins.float | None = None,
    neginf: builtins.float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with NaN and the infinities replaced by numbers; integers stay as they are.

    Args:
        input: any dtype.
        nan: replaces NaN; 0 for None.
        posinf, neginf: replace +∞ and −∞; the dtype's largest and smallest number for None.
    """

def nan_to_num_(
    input: Tensor,
    nan: builtins.float | None = None,
    posinf: builtins.float | None = None,
    neginf: builtins.float | None = None,
) -> Tensor:
    """In-place version of `nan_to_num`."""

def nanmean(
    input: Tensor,
    dim: Dim = None,
    keepdim: builtins.bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean over ``dim`` of the elements that are not NaN; NaN where there are none.

    Raises:
        RuntimeError: integers or bools, or a dimension given twice. IndexError: a dimension out of range.
    """

@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`median` of the elements that are not NaN; NaN where there are none."""

@overload
def nanmedian(
    input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: tuple[Tensor, ...] | None = None
) -> return_types.nanmedian: ...
def nanquantile(
    input: Tensor,
    q: builtins.float | Tensor,
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """`quantile` of the elements that are not NaN; NaN where there are none."""

def nansum(
    input: Tensor,
    dim: Dim = None,
    keepdim: builtins.bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum over ``dim``, NaN counting as 0; see `sum`.

    Raises:
        IndexError: a dimension out of range. RuntimeError: a dimension given twice.
    """

def narrow(input: Tensor, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int) -> Tensor:
    """A view of ``length`` elements of dimension ``dim``, beginning with ``start``.

    Raises:
        IndexError, RuntimeError: the range does not lie inside the dimension.
    """

def narrow_copy(
    input: Tensor, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int, *, out: Tensor | None = None
) -> Tensor:
    """A copy of what `narrow` gives a view of."""

def native_channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """Another name of `channel_shuffle`."""

def ne(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input != other, as bool."""

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """−x, elementwise.

    Raises:
        RuntimeError: a bool tensor.
    """

def neg_(input: Tensor) -> Tensor:
    """In-place version of `neg`."""

def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """−x, elementwise.

    Raises:
        RuntimeError: a bool tensor.
    """

def negative_(input: Tensor) -> Tensor:
    """In-place version of `neg`."""

newaxis: None

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The next number of the dtype after ``input`` in the direction of ``other``, broadcast.

    Raises:
        NotImplementedError: integers or bools; a gradient asked for.
    """

@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False, out: Tensor | None = None) -> Tensor:
    """The positions of nonzero elements, in row-major order. Computes the tensor.

    Args:
        as_tuple: as one int64 vector per dimension, ready for indexing; otherwise as the rows of one matrix.
    """

@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True], out: tuple[Tensor, ...] | None = None) -> tuple[Tensor, ...]: ...
def nonzero_static(
    input: Tensor, *, size: builtins.int, fill_value: builtins.int = -1, out: Tensor | None = None
) -> Tensor:
    """The positions of the first ``size`` nonzero elements as rows of an int64 matrix, of known shape.

    Args:
        input: any shape and dtype.
        size: how many rows.
        fill_value: what the rows hold for which there is no element.

    Raises:
        RuntimeError: a negative size.
    """

def norm(
    input: Tensor,
    p: builtins.float | str | None = "fro",
    dim: Dim = None,
    keepdim: builtins.bool = False,
    dtype: dtype | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """(Σ |x|^p)^(1/p) over ``dim``, of the elements as one vector.

    Args:
        input: floating or complex dtype; 16-bit floats are computed in float32.
        p: a number; "fro" or None for 2; ±inf for the largest or smallest magnitude; 0 counts the nonzero; "nuc" for
            the sum of a matrix's singular values.
        dim: None for all dimensions, an int or several; two for "nuc".
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype first.

    Raises:
        RuntimeError: integers or bools; an unknown name; a negative or infinite ``p`` of no elements.
    """

def normal(
    mean: builtins.float | Tensor = 0.0,
    std: builtins.float | Tensor = 1.0,
    size: Sizes | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Normally distributed numbers; the gradients of ``mean`` and ``std`` are zero.

    Args:
        mean: a number, or a tensor with one mean per number drawn.
        std: a number, or a tensor that broadcasts with ``mean``.
        size: the shape, given if and only if ``mean`` and ``std`` are numbers.
        generator: where the numbers come from; the default generator if None.
        options: see `TensorOptions`; only where ``size`` is given.

    Raises:
        TypeError: numbers without a size.
        RuntimeError: a standard deviation that is negative or complex.
    """

def not_equal(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input != other, as bool."""

def numel(input: Tensor) -> builtins.int:
    """The number of elements."""

def ones(
    *sizes: Sizes,
    size: Sizes | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor of ones; the size as separate ints or one sequence."""

def ones_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Ones of ``input``'s shape, and its dtype, device and order in memory unless others are given."""

def orgqr(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The columns of Q that `geqrf` describes; see `lazygrad.linalg.householder_product`."""

def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor,
    left: builtins.bool = True,
    transpose: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Q·other, or other·Q if not ``left``, with the square Q that `geqrf` describes, without making it.

    Args:
        input: reflectors, shape (…, m, k); see `lazygrad.linalg.householder_product`.
        tau: shape (…, k).
        other: shape (…, m, n), or (…, n, m) if not ``left``, of the same dtype and batch.
        transpose: Qᴴ takes Q's place.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of the elements of two vectors, (n,) and (m,): shape (n, m), in the promoted dtype.

    Raises:
        RuntimeError: not vectors.
    """

def pairwise_distance(
    x1: Tensor, x2: Tensor, p: builtins.float = 2.0, eps: builtins.float = 1e-06, keepdim: builtins.bool = False
) -> Tensor:
    """‖x1 − x2 + eps‖ₚ along the last dimension of the broadcast operands.

    Raises:
        RuntimeError: integers or bools, or shapes that do not broadcast.
    """

def pca_lowrank(
    A: Tensor, q: builtins.int | None = None, center: builtins.bool = True, niter: builtins.int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V): the principal components of rows of ``A`` are the columns of V; see `svd_lowrank`.

    Args:
        A: shape (…, m, n), float or complex: m samples of n features.
        q: how many; min(6, m, n) by default.
        center: subtract each feature's mean first.
        niter: subspace iterations.

    Raises:
        ValueError: fewer than two dimensions; ``q`` not in [0, min(m, n)]; a negative ``niter``.
        RuntimeError: integers. NotImplementedError: 16-bit floats.
    """

def pdist(input: Tensor, p: builtins.float = 2.0) -> Tensor:
    """The p-norm distances between the rows of a matrix (n, k), pair by pair: shape (n·(n - 1)/2,).

    Raises:
        RuntimeError: not a matrix, a negative ``p``, integers. NotImplementedError: 16-bit floats.
    """

per_channel_affine: QScheme
per_channel_symmetric: QScheme
per_tensor_affine: QScheme
per_tensor_symmetric: QScheme

def permute(input: Tensor, *given: Sizes, dims: Sequence[builtins.int] | None = None) -> Tensor:
    """A view with the dimensions in the order ``dims``.

    Raises:
        RuntimeError: ``dims`` does not name every dimension once.
    """

def permute_copy(
    input: Tensor, *given: Sizes, dims: Sequence[builtins.int] | None = None, out: Tensor | None = None
) -> Tensor:
    """A copy of what `permute` gives a view of."""

pi: builtins.float

def pinverse(input: Tensor, rcond: builtins.float = 1e-15) -> Tensor:
    """The Moore-Penrose inverse; see `lazygrad.linalg.pinv`, whose relative tolerance ``rcond`` is."""

def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """(…, C·r², H, W) → (…, C, H·r, W·r) with r the factor: channels become pixels.

    Raises:
        RuntimeError: fewer than three dimensions, or channels that r² does not divide.
    """

def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """(…, C, H·r, W·r) → (…, C·r², H, W) with r the factor: pixels become channels.

    Raises:
        RuntimeError: fewer than three dimensions, or a height or width that r does not divide.
    """

def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """A Poisson number for each rate in ``input``, in its shape and dtype, whose gradient is zero.

    Raises:
        RuntimeError: a negative rate.
        NotImplementedError: not a floating dtype.
    """

def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: builtins.bool,
    full: builtins.bool,
    eps: builtins.float,
    reduction: builtins.int,
) -> Tensor:
    """`nn.functional.poisson_nll_loss`."""

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """abs·(cos(angle) + i·sin(angle)), broadcast; dtypes as in `complex`.

    Raises:
        RuntimeError: other dtypes, or shapes that do not broadcast.
    """

def polygamma(n: builtins.int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of `digamma`, elementwise: (−1)ⁿ⁺¹ n! ζ(n + 1, x).

    Raises:
        RuntimeError: ``n`` is negative. TypeError: not an int.
    """

def positive(input: Tensor) -> Tensor:
    """``input`` itself.

    Raises:
        RuntimeError: a bool tensor.
    """

def pow(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    """input^exponent, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: integers to a negative integer power; an exponent that the dtype cannot hold.
        OverflowError: an integer of more than 64 bits.
    """

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x above 0, weight·x below. Source: He et al., 2015.

    Args:
        input: (N, C, …) or, with a single weight, any shape.
        weight: one number, or one per channel, in the input's dtype.

    Raises:
        RuntimeError: the number of weights is neither 1 nor that of the channels, or the dtypes differ.
    """

preserve_format: memory_format

def prod(
    input: Tensor,
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product of all elements, or along one ``dim``; see `sum` for dtypes.

    Raises:
        TypeError: several dimensions.
        IndexError: a dimension out of range.
    """

def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both can be cast to, by PyTorch's table.

    Raises:
        RuntimeError: a float8 dtype with another one; uint16, uint32 or uint64 with another dtype that is no float.
    """

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """``input``, seen as flat, with the elements at ``index`` replaced by those of ``source``, or increased by them.

    Args:
        input: any shape.
        index: int64 or int32 of any shape; negative ones count from the end.
        source: as many elements, of the input's dtype.
        accumulate: add instead of replacing.

    Raises:
        RuntimeError: another dtype. IndexError: another number of elements, an index out of range.
    """

qint32: QuantizedDType
qint8: QuantizedDType

def qr(input: Tensor, some: builtins.bool = True, *, out: tuple[Tensor, ...] | None = None) -> return_types.qr:
    """(Q, R) with input = Q·R; ``some=False`` for a square Q. See `lazygrad.linalg.qr`."""

def quantile(
    input: Tensor,
    q: builtins.float | Tensor,
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The q-quantiles along ``dim``, or of all elements; NaN where there is a NaN.

    Args:
        input: float32 or float64.
        q: a number in [0, 1], or a vector of them in the input's dtype, which becomes the first dimension.
        dim: the dimension; all elements when None.
        keepdim: keep the dimension with size 1.
        interpolation: between the two neighbours of a quantile: linear, lower, higher, midpoint or nearest.

    Raises:
        RuntimeError: another dtype, an empty input, a ``q`` out of range, an unknown interpolation.
        IndexError: ``dim`` out of range.
    """

quint8: QuantizedDType

def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians as degrees; integers are converted to the default float dtype."""

def rad2deg_(input: Tensor) -> Tensor:
    """In-place version of `rad2deg`."""

def rand(
    *sizes: Sizes,
    size: Sizes | None = None,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Uniform numbers from [0, 1); the size as separate ints or one sequence.

    Raises:
        NotImplementedError: not a floating dtype.
    """

def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Uniform numbers from [0, 1) in ``input``'s shape, dtype and device unless others are given."""

def randint(
    *bounds: Any,
    low: builtins.int | None = None,
    high: builtins.int | None = None,
    size: Sizes | None = None,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Integers from [low, high): ``randint(high, size)`` or ``randint(low, high, size)``.

    Raises:
        TypeError: missing or misplaced arguments.
        RuntimeError: an empty range, or one that ``dtype`` (int64 by default) cannot hold.
    """

def randint_like(
    input: Tensor,
    *bounds: Any,
    low: builtins.int | None = None,
    high: builtins.int | None = None,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Integers from [low, high), called with ``high`` or ``low, high``, in ``input``'s shape, dtype and device."""

def randn(
    *sizes: Sizes,
    size: Sizes | None = None,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Standard normal numbers; the size as separate ints or one sequence.

    Raises:
        NotImplementedError: not a floating dtype.
    """

def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Standard normal numbers in ``input``'s shape, dtype and device unless others are given."""

def randperm(
    n: builtins.int,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The integers 0 … n-1 in random order, int64 unless ``dtype`` says otherwise.

    Raises:
        RuntimeError: ``n`` is negative, or too large for ``dtype``.
    """

def range(
    start: Operand = 0,
    end: Operand | None = None,
    step: Operand = 1,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """start, start + step, … up to and with ``end``, in the default float dtype; `arange` is the usual choice.

    Raises:
        RuntimeError: a step of 0 or away from the end; an endpoint that is not finite.
    """

def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension; a view where they lie in row-major order."""

def real(input: Tensor) -> Tensor:
    """The real part, as a view; a real tensor itself."""

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1/x, elementwise."""

def reciprocal_(input: Tensor) -> Tensor:
    """In-place version of `reciprocal`."""

def relu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """max(x, 0), elementwise; the dtype stays.

    Raises:
        RuntimeError: a bool tensor.
    """

def relu_(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """In-place version of `relu`."""

def remainder(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input − other·⌊input / other⌋: the sign of the divisor, but a zero has the sign of the dividend.

    Raises:
        RuntimeError, OverflowError: see `floor_divide`.
    """

def renorm(
    input: Tensor, p: builtins.float, dim: builtins.int, maxnorm: builtins.float, *, out: Tensor | None = None
) -> Tensor:
    """``input`` with every slice along ``dim`` whose p-norm is larger than ``maxnorm`` scaled down to it.

    Args:
        input: at least two dimensions, floating or complex; norms of 16-bit floats are computed in float32.
        p: positive.
        dim: the dimension whose slices are meant.
        maxnorm: not negative.

    Raises:
        RuntimeError: fewer than two dimensions, ``p`` not positive, ``maxnorm`` negative, integers.
        IndexError: ``dim`` out of range.
    """

def repeat_interleave(
    input: Tensor,
    repeats: builtins.int | Tensor | None = None,
    dim: builtins.int | None = None,
    *,
    output_size: builtins.int | None = None,
) -> Tensor:
    """Each element of a dimension several times in a row.

    Args:
        repeats: how often, one number or one per element. A tensor is computed, as the result's shape depends on it.
            Left out, ``input`` holds the repeats and the result is the index of each repeated element.
        dim: without it, the flattened tensor is taken.
        output_size: accepted for PyTorch's signature.

    Raises:
        RuntimeError: repeats that are negative, not integers, or do not fit the dimension.
    """

def reshape(input: Tensor, *given: Sizes, shape: Sequence[builtins.int] | None = None) -> Tensor:
    """The elements in row-major order under another shape; one size may be -1. A view where possible, else a copy.

    Raises:
        RuntimeError: the sizes do not multiply to the number of elements.
    """

def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """`resize_` to another tensor's shape."""

def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or a copy of it where it `is_conj`."""

def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or a copy of it where it `is_neg`."""

@overload
def result_type(tensor: Any, other: Any) -> dtype:
    """The dtype of arithmetic between two operands, tensors or Python numbers, by any of PyTorch's names for them.

    Raises:
        TypeError: not two operands, or other names.
    """

@overload
def result_type(*, scalar: Scalar, tensor: Tensor) -> dtype: ...
@overload
def result_type(*, scalar1: Scalar, scalar2: Scalar) -> dtype: ...
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[builtins.int],
    weight: Tensor | None = None,
    eps: builtins.float | None = None,
) -> Tensor:
    """x / √(mean(x²) + eps) · weight over the trailing dimensions. Source: Zhang and Sennrich, 2019.

    Args:
        input: (…, *normalized_shape), floating.
        normalized_shape: the sizes of the dimensions normalized together.
        weight: normalized_shape; the input's dtype, or float32 beside a 16-bit input.
        eps: added to the mean; None for the distance from 1 to the next number of the input's dtype.

    Raises:
        RuntimeError: shapes or dtypes that do not fit together.
        NotImplementedError: integers or bools.
    """

def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """`rnn_tanh` with relu."""

def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of `rnn_relu`; see `lstm_cell`."""

def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of tanh(W x + b + U h + c), called as `lstm`; ``hx`` is one tensor. Source: Elman, 1990."""

def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of `rnn_tanh`; see `lstm_cell`."""

def roll(
    input: Tensor,
    shifts: builtins.int | Sequence[builtins.int],
    dims: builtins.int | Sequence[builtins.int] | None = None,
) -> Tensor:
    """The elements moved along dimensions, those pushed out at one end coming back at the other.

    Args:
        shifts: how far, one per dim.
        dims: without them, the flattened tensor is rolled.

    Raises:
        RuntimeError: not as many shifts as dims.
    """

def rot90(input: Tensor, k: builtins.int = 1, dims: Sequence[builtins.int] = (0, 1)) -> Tensor:
    """A copy turned by k·90° in the plane of two dimensions, from the first towards the second.

    Raises:
        RuntimeError: not two different dims.
    """

def round(input: Tensor, *, decimals: builtins.int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest multiple of 10^−decimals, ties to even; integers stay as they are.

    Raises:
        RuntimeError: a bool tensor.
    """

def round_(input: Tensor, *, decimals: builtins.int = 0) -> Tensor:
    """In-place version of `round`."""

def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Another name of `vstack`."""

def rrelu(
    input: Tensor,
    lower: builtins.float = 0.125,
    upper: builtins.float = 0.3333333333333333,
    training: builtins.bool = False,
    inplace: builtins.bool = False,
) -> Tensor:
    """x above 0; below, x times a slope drawn from [lower, upper), or times their mean outside training.

    Source: Xu et al., "Empirical Evaluation of Rectified Activations", 2015.

    Raises:
        RuntimeError: lower is greater than upper.
        NotImplementedError: integers or bools.
    """

def rrelu_(
    input: Tensor,
    lower: builtins.float = 0.125,
    upper: builtins.float = 0.3333333333333333,
    training: builtins.bool = False,
    inplace: builtins.bool = False,
) -> Tensor:
    """In-place version of `rrelu`."""

def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1/√x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def rsqrt_(input: Tensor) -> Tensor:
    """In-place version of `rsqrt`."""

def rsub(input: Tensor, other: Operand, *, alpha: Scalar = 1) -> Tensor:
    """other − alpha·input, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: see `sub`.
    """

def scalar_tensor(
    s: Operand,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """A 0-dim tensor of a number, in the default float dtype unless ``dtype`` says otherwise."""

def scatter(
    input: Tensor,
    dim: builtins.int,
    index: Tensor,
    src: Tensor | Scalar | None = None,
    *,
    value: Scalar | None = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with src[…, i, …] written to position index[…, i, …] of dimension ``dim``.

    Args:
        index: int64 or int32, no larger than ``src``, nor than ``input`` except along ``dim``.
        src: a tensor, or one number (also as ``value``).
        reduce: None, ``"add"`` or ``"multiply"``, to combine with what is there.

    Raises:
        RuntimeError: dtypes that differ, shapes that do not fit; at run time, an index out of range.
    """

def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input`` with src[…, i, …] added at position index[…, i, …] of dimension ``dim``.

    Raises:
        RuntimeError: as `scatter`.
    """

def scatter_reduce(
    input: Tensor,
    dim: builtins.int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: builtins.bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with, at each position that ``index`` names, the reduction of all ``src`` elements sent there.

    Args:
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether what ``input`` holds there takes part.

    Raises:
        RuntimeError: as `scatter`; another ``reduce``.
    """

def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: builtins.bool = False,
    right: builtins.bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Where to insert values into a sorted sequence so that it stays sorted.

    Args:
        sorted_sequence: ascending along its last dimension; 1-dim, or with the leading dimensions of ``input``.
        input: values, a tensor or a number.
        out_int32: give int32 instead of int64.
        right: insert behind equal elements rather than before them.
        side: "left" or "right", the same choice in words.
        sorter: indices that sort ``sorted_sequence``, where it is not sorted itself.

    Raises:
        RuntimeError: leading dimensions that differ; a ``side`` that is neither, or contradicts ``right``.
    """

def seed() -> builtins.int:
    """Seed all random numbers from the operating system; returns the seed."""

def select(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """A view of one element of dimension ``dim``, without that dimension.

    Raises:
        IndexError: out of range, or a 0-dim tensor.
    """

def select_copy(input: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what `select` gives a view of."""

def select_scatter(
    input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor | None = None
) -> Tensor:
    """``input`` with one element of dimension ``dim`` replaced by ``src``.

    Raises:
        RuntimeError: ``src`` has another shape. IndexError: out of range.
    """

def selu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """scale · elu(x, alpha) with the constants that keep mean 0 and variance 1. Source: Klambauer et al., 2017.

    Raises:
        NotImplementedError: integers or bools.
    """

def selu_(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """In-place version of `selu`."""

def set_default_tensor_type(t: Any) -> None:
    """Make a type's dtype and device the default ones; `set_default_dtype` is the usual choice.

    Args:
        t: a floating type such as `DoubleTensor`, or its name.

    Raises:
        TypeError: not the type of a floating dtype.
    """

def set_printoptions(
    precision: builtins.int | None = None,
    threshold: builtins.float | None = None,
    edgeitems: builtins.int | None = None,
    linewidth: builtins.int | None = None,
    profile: str | None = None,
    sci_mode: builtins.bool | None = None,
) -> None:
    """Change how tensors print; what is left out stays, but ``sci_mode`` returns to its automatic choice.

    Args:
        precision: digits after the point.
        threshold: a tensor with more elements than this is summarized.
        edgeitems: how many items are shown at each end of a summarized dimension.
        linewidth: characters per line.
        profile: start from ``"default"``, ``"short"`` or ``"full"``.
        sci_mode: whether numbers are written as 1.0000e+00; None decides by their sizes.

    Raises:
        ValueError: an unknown profile.
    """

def set_rng_state(new_state: Tensor) -> None:
    """Continue all random numbers from what `get_rng_state` returned.

    Raises:
        TypeError: not a uint8 tensor.
        RuntimeError: not such a state.
    """

def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x/|x|, and 0 where x is 0; `sign` for real dtypes."""

short: dtype

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1/(1 + e⁻ˣ), elementwise. Integer and bool tensors are converted to the default float dtype."""

def sigmoid_(input: Tensor) -> Tensor:
    """In-place version of `sigmoid`."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """−1, 0 or 1, elementwise; 0 for NaN."""

def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where the sign bit is set, as bool: below 0, at −0 and at a negative NaN."""

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def sin_(input: Tensor) -> Tensor:
    """In-place version of `sin`."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(πx) / (πx), 1 at 0, elementwise. Integers are converted to the default float dtype."""

def sinc_(input: Tensor) -> Tensor:
    """In-place version of `sinc`."""

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sinh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def sinh_(input: Tensor) -> Tensor:
    """In-place version of `sinh`."""

def slice_copy(
    input: Tensor,
    dim: builtins.int = 0,
    start: builtins.int | None = None,
    end: builtins.int | None = None,
    step: builtins.int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of what `slice` gives a view of."""

def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: builtins.int = 0,
    start: builtins.int | None = None,
    end: builtins.int | None = None,
    step: builtins.int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with the elements start:end:step of dimension ``dim`` replaced by ``src``.

    Raises:
        RuntimeError: ``src`` has another shape, or the step is not positive. IndexError: ``dim`` out of range.
    """

def slogdet(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.slogdet:
    """Sign and logarithm of the determinant; see `lazygrad.linalg.slogdet`."""

def softmax(input: Tensor, dim: builtins.int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """eˣ / Σ eˣ along ``dim``.

    Args:
        input: any shape, floating.
        dim: the dimension that sums to 1.
        dtype: cast the input to this dtype first; the result has it.

    Raises:
        IndexError: ``dim`` out of range.
        NotImplementedError: integers or bools without ``dtype``.
    """

def sort(
    input: Tensor,
    dim: builtins.int = -1,
    descending: builtins.bool = False,
    *,
    stable: builtins.bool | None = None,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.sort:
    """The elements in order along ``dim``, as a named pair (values, indices).

    Args:
        input: any shape and dtype.
        dim: the dimension to sort along.
        descending: largest first.
        stable: equal elements keep their order; they do in any case.

    Raises:
        IndexError: ``dim`` out of range.
    """

sparse_bsc: layout
sparse_bsr: layout
sparse_coo: layout
sparse_csc: layout
sparse_csr: layout

def split(
    tensor: Tensor, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0
) -> tuple[Tensor, ...]:
    """Views of consecutive pieces of one dimension.

    Args:
        split_size_or_sections: the size of every piece, of which the last may be smaller; or the sizes one by one.

    Raises:
        RuntimeError: a size is negative, or the sizes do not add up to the dimension's.
    """

def split_copy(
    tensor: Tensor,
    split_size_or_sections: builtins.int | Sequence[builtins.int],
    dim: builtins.int = 0,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> tuple[Tensor, ...]:
    """A copy of what `split` gives a view of."""

def split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """`split` into pieces of the given sizes."""

def split_with_sizes_copy(
    input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0, *, out: tuple[Tensor, ...] | None = None
) -> tuple[Tensor, ...]:
    """A copy of what `split_with_sizes` gives a view of."""

def spmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, k) and (k, m).

    Raises:
        RuntimeError: not matrices, sizes that do not fit, different dtypes.
    """

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """√x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def sqrt_(input: Tensor) -> Tensor:
    """In-place version of `sqrt`."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x², elementwise; bool becomes int64."""

def square_(input: Tensor) -> Tensor:
    """In-place version of `square`."""

def squeeze(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
    """A view without dimensions of size 1: all of them, or those among ``dim``."""

def squeeze_copy(
    input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, *, out: Tensor | None = None
) -> Tensor:
    """A copy of what `squeeze` gives a view of."""

def stack(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors, all of one shape, along a new dimension.

    Raises:
        RuntimeError: no tensors, or shapes that differ.
    """

def std(
    input: Tensor,
    dim: Dim = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: Scalar | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The square root of `var`, with gradient 0 where it is 0.

    Raises:
        RuntimeError: integers or bools.
        IndexError: a dimension out of range.
        TypeError: both ``unbiased`` and ``correction``.
    """

def std_mean(
    input: Tensor,
    dim: Dim = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: Scalar | None = None,
) -> tuple[Tensor, Tensor]:
    """`std` and `mean` over ``dim``."""

def stft(
    input: Tensor,
    n_fft: builtins.int,
    hop_length: builtins.int | None = None,
    win_length: builtins.int | None = None,
    window: Tensor | None = None,
    center: builtins.bool = True,
    pad_mode: str = "reflect",
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    return_complex: builtins.bool | None = None,
    align_to_window: builtins.bool | None = None,
) -> Tensor:
    """The Fourier transform of overlapping windowed pieces.

    Args:
        input: (length,) or (batch, length), floating or complex.
        n_fft: samples per piece.
        hop_length: from one piece to the next; by default ``n_fft // 4``.
        win_length: how many samples the window covers, in the middle of a piece; by default all.
        window: (win_length,); by default ones.
        center: the signal is padded, so that the pieces are centered at the multiples of ``hop_length``.
        pad_mode: how, as in `nn.functional.pad`.
        normalized: divide by √n_fft.
        onesided: leave out the frequencies that are conjugates of others; default unless something is complex.
        return_complex: False, for real inputs only, gives pairs of real numbers along a last dimension.
        align_to_window: not supported.

    Returns:
        (frequencies, pieces) or (batch, frequencies, pieces).

    Raises:
        RuntimeError: sizes that do not fit; a real input without ``return_complex``; ``onesided`` of complex input.
        NotImplementedError: an unknown ``pad_mode``; ``align_to_window``.
    """

strided: layout

def sub(input: Operand, other: Operand, *old: Any, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """input − alpha·other, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: a bool operand; ``alpha`` does not fit the promoted dtype.
    """

def subtract(input: Operand, other: Operand, *old: Any, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    """input − alpha·other, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: a bool operand; ``alpha`` does not fit the promoted dtype.
    """

def sum(
    input: Tensor,
    dim: Dim = None,
    keepdim: builtins.bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum over ``dim``.

    Args:
        input: any shape and dtype; integers and bools are summed in int64, 16-bit floats in float32.
        dim: None or an empty tuple for all dimensions.
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype before summing.

    Raises:
        IndexError: a dimension out of range.
        RuntimeError: a dimension given twice.
    """

def svd(
    input: Tensor,
    some: builtins.bool = True,
    compute_uv: builtins.bool = True,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.svd:
    """(U, S, V) with input = U·diag(S)·Vᴴ; see `lazygrad.linalg.svd`, which returns Vᴴ.

    Args:
        some: False for square U and V.
        compute_uv: False for S alone: U and V, square, are zeros.
    """

def svd_lowrank(
    A: Tensor, q: builtins.int | None = 6, niter: builtins.int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) with A ≈ U·diag(S)·Vᴴ of rank ``q``, by a randomized method.

    N. Halko, P. G. Martinsson and J. A. Tropp, "Finding structure with randomness" (2009), algorithms 4.4 and 5.1.

    Args:
        A: shape (…, m, n), float or complex.
        q: how many singular values; a bit more than are wanted.
        niter: subspace iterations, each of which sharpens the result.
        M: subtracted from A; broadcasts to its shape.

    Returns:
        U (…, m, q), S (…, q), V (…, n, q), with the generator's random numbers in them.

    Raises:
        ValueError: fewer than two dimensions. RuntimeError: integers. NotImplementedError: 16-bit floats.
    """

def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """Another name of `transpose`."""

def swapdims(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """Another name of `transpose`."""

def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and numbers stay as they are.

    Raises:
        RuntimeError: more than two dimensions.
    """

def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of what `t` gives a view of."""

def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of the flattened tensor at ``index``, in its shape; negative ones count from the end.

    Raises:
        RuntimeError: an index that is not int64 or int32. IndexError: at run time, one out of range.
    """

def take_along_dim(
    input: Tensor, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """`gather`, after broadcasting the other dimensions; without ``dim``, of the flattened tensors.

    Negative indices count from the end.

    Raises:
        RuntimeError: as `gather`; tensors of different rank, or whose other dimensions do not broadcast.
    """

def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """tan x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def tan_(input: Tensor) -> Tensor:
    """In-place version of `tan`."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """tanh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def tanh_(input: Tensor) -> Tensor:
    """In-place version of `tanh`."""

def tensor(
    data: Any, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, requires_grad: builtins.bool = False
) -> Tensor:
    """A new tensor with a copy of ``data``: a number, nested sequences, a numpy array or a tensor.

    Raises:
        TypeError, ValueError, RuntimeError: rows of different lengths, something that is not a number, a Python
            number that does not fit into ``dtype``.
    """

def tensor_split(
    input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor, dim: builtins.int = 0
) -> tuple[Tensor, ...]:
    """Views of pieces of one dimension.

    Args:
        indices_or_sections: how many pieces, whose sizes then differ by at most 1; or where to cut. A tensor is read.

    Raises:
        RuntimeError: not a positive number of pieces.
    """

def tensordot(
    a: Tensor, b: Tensor, dims: builtins.int | Sequence[Sequence[builtins.int]] = 2, *, out: Tensor | None = None
) -> Tensor:
    """The sum of products over pairs of dimensions.

    Args:
        a, b: tensors of one dtype.
        dims: how many of the last dimensions of ``a`` to pair with the first of ``b``; or two lists, the dimensions
            of ``a`` and those of ``b`` they pair with. Of a pair, one size may be 1.

    Returns:
        The other dimensions of ``a``, then those of ``b``.

    Raises:
        RuntimeError: sizes, dtypes or counts of dimensions that do not fit.
        IndexError: a dimension out of range.
    """

def threshold(
    input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False
) -> Tensor:
    """x above the threshold, ``value`` elsewhere; the dtype stays."""

def threshold_(
    input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False
) -> Tensor:
    """In-place version of `threshold`."""

def tile(input: Tensor, *given: Sizes, dims: Sequence[builtins.int] | None = None) -> Tensor:
    """`repeat`, where missing counts of leading dimensions are 1."""

def topk(
    input: Tensor,
    k: builtins.int,
    dim: builtins.int = -1,
    largest: builtins.bool = True,
    sorted: builtins.bool = True,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.topk:
    """The ``k`` largest elements along ``dim``, largest first, as a named pair (values, indices).

    Args:
        input: any shape, not bool.
        k: how many, at most the size of ``dim``.
        dim: the dimension to choose along.
        largest: False for the smallest, smallest first.
        sorted: accepted; the result is sorted in any case.

    Raises:
        RuntimeError: ``k`` out of range; a bool tensor.
        IndexError: ``dim`` out of range.
    """

def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal, 0-dim.

    Raises:
        RuntimeError: not a matrix.
    """

def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A view with two dimensions swapped.

    Raises:
        IndexError: a dim is out of range.
    """

def transpose_copy(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what `transpose` gives a view of."""

def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: builtins.float | Tensor | None = None, dim: builtins.int = -1
) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule.

    Args:
        y: ordinates.
        x: abscissas, broadcast against ``y``; or
        dx: the distance of neighbours, 1 by default.
        dim: the dimension.

    Raises:
        RuntimeError: bools; ``x`` of another length. IndexError: ``dim`` out of range. TypeError: both x and dx.
    """

def trapz(
    y: Tensor, x: Tensor | None = None, *, dx: builtins.float | Tensor | None = None, dim: builtins.int = -1
) -> Tensor:
    """Another name of `trapezoid`."""

def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: builtins.bool = True,
    transpose: builtins.bool = False,
    unitriangular: builtins.bool = False,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.triangular_solve:
    """(solution, cloned_coefficient): X with A·X = input, or Aᵀ·X = input, and a copy of A.

    `lazygrad.linalg.solve_triangular` takes its place.

    Args:
        input: shape (…, n, k).
        A: triangular, shape (…, n, n), of the same dtype.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """

def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of the last two dimensions, zeros above ``diagonal``.

    Raises:
        RuntimeError: fewer than two dimensions.
    """

def tril_indices(
    row: builtins.int,
    col: builtins.int,
    offset: builtins.int = 0,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Row and column numbers, as shape (2, count), of a matrix's elements on and below a diagonal; int64."""

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: builtins.float = 1.0,
    p: builtins.float = 2,
    eps: builtins.float = 1e-06,
    swap: builtins.bool = False,
    reduction: builtins.int = 1,
) -> Tensor:
    """`nn.functional.triplet_margin_loss`."""

def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of the last two dimensions, zeros below ``diagonal``.

    Raises:
        RuntimeError: fewer than two dimensions.
    """

def triu_indices(
    row: builtins.int,
    col: builtins.int,
    offset: builtins.int = 0,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Row and column numbers, as shape (2, count), of a matrix's elements on and above a diagonal; int64."""

def true_divide(
    input: Operand, other: Operand, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """input / other, broadcast.

    Args:
        input, other: tensors or numbers.
        rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

    Raises:
        RuntimeError: another rounding mode; integers divided by 0 with rounding.
        OverflowError: an integer of more than 64 bits.
    """

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x rounded towards zero, elementwise; integers stay as they are."""

def trunc_(input: Tensor) -> Tensor:
    """In-place version of `trunc`."""

def typename(obj: Any) -> str:
    """``'lazygrad.FloatTensor'`` for a tensor; the qualified name of the class of anything else."""

uint16: dtype
uint32: dtype
uint64: dtype
uint8: dtype

def unbind(input: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Views of all elements of dimension ``dim``, each without that dimension.

    Raises:
        IndexError: ``dim`` is out of range, or a 0-dim tensor.
    """

def unbind_copy(input: Tensor, dim: builtins.int = 0, *, out: tuple[Tensor, ...] | None = None) -> tuple[Tensor, ...]:
    """A copy of what `unbind` gives a view of."""

def unflatten(input: Tensor, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
    """One dimension as several of the given sizes, of which one may be -1. A view.

    Raises:
        RuntimeError: the sizes do not multiply to the dimension's.
    """

def unfold_copy(
    input: Tensor, dimension: builtins.int, size: builtins.int, step: builtins.int, *, out: Tensor | None = None
) -> Tensor:
    """A copy of what `unfold` gives a view of."""

@overload
def unique(
    input: Tensor,
    sorted: builtins.bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: builtins.int | None = None,
) -> Tensor:
    """The distinct elements, or the distinct slices along ``dim``, in ascending order. Computes ``input`` now.

    Args:
        input: any shape and dtype; gradients do not flow through.
        sorted: accepted; the result is sorted in any case.
        return_inverse: also return, for every element or slice, its int64 position in the result.
        return_counts: also return how often each occurs, int64.
        dim: None for the distinct elements of the whole tensor.

    Returns:
        The distinct ones, or a tuple of them with the inverse and the counts that were asked for.

    Raises:
        IndexError: ``dim`` out of range.
        RuntimeError: slices along ``dim`` that have no elements.
    """

@overload
def unique(
    input: Tensor,
    sorted: builtins.bool = True,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: builtins.int | None = None,
) -> Any: ...
@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: builtins.int | None = None,
) -> Tensor:
    """The elements, or the slices along ``dim``, without those that equal the one before. Computes ``input`` now.

    Args and what is returned: see `unique`.
    """

@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: builtins.int | None = None,
) -> Any: ...
def unravel_index(indices: Tensor, shape: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, ...]:
    """The coordinates of flat positions in a tensor of ``shape``: an int64 tensor per dimension.

    Raises:
        TypeError: indices that are not integers. ValueError: a negative size, or an index out of range.
    """

def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Copies of what `chunk` gives."""

def unsafe_split(input: Tensor, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Copies of what `split` gives."""

def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0
) -> tuple[Tensor, ...]:
    """Copies of what `split_with_sizes` gives."""

def unsqueeze(input: Tensor, dim: builtins.int) -> Tensor:
    """A view with a new dimension of size 1 at ``dim``."""

def unsqueeze_copy(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what `unsqueeze` gives a view of."""

def vander(x: Tensor, N: builtins.int | None = None, increasing: builtins.bool = False) -> Tensor:
    """The Vandermonde matrix (n, N): row i holds the powers of x[i], the highest first unless ``increasing``.

    Args:
        x: a vector; bools and integers give int64.
        N: how many powers; n by default.
        increasing: begin with the power 0.

    Raises:
        RuntimeError: not a vector, or a negative ``N``.
    """

def var(
    input: Tensor,
    dim: Dim = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: Scalar | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Σ (x - mean)² / max(0, count - correction) over ``dim``, all dimensions when None.

    Args:
        input: floating dtype; 16-bit floats are computed in float32.
        dim: dimensions to reduce.
        unbiased: False for ``correction=0``, True for ``correction=1``.
        keepdim: keep reduced dimensions with size 1.
        correction: default 1.

    Raises:
        RuntimeError: integers or bools.
        IndexError: a dimension out of range.
        TypeError: both ``unbiased`` and ``correction``.
    """

def var_mean(
    input: Tensor,
    dim: Dim = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: Scalar | None = None,
) -> tuple[Tensor, Tensor]:
    """`var` and `mean` over ``dim``."""

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Σ conj(input)·other of two vectors, 0-dim.

    Raises:
        RuntimeError: not vectors, different lengths or dtypes.
    """

def view_as_complex(input: Tensor) -> Tensor:
    """A complex view of pairs of real numbers that lie next to each other along the last dimension.

    Args:
        input: float32 or float64, of shape (…, 2).

    Raises:
        RuntimeError: another dtype or shape, or pairs that are no complex numbers in memory.
    """

def view_as_real(input: Tensor) -> Tensor:
    """A view with the real and imaginary parts along a new last dimension of size 2.

    Raises:
        RuntimeError: not a complex dtype, or a conjugate that was not resolved.
    """

def view_copy(
    input: Tensor,
    *given: Sizes | dtype,
    size: Sequence[builtins.int] | None = None,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of what `view` gives a view of."""

def vsplit(
    input: Tensor,
    *indices_or_sections: Cuts,
    sections: builtins.int | None = None,
    indices: Sequence[builtins.int] | None = None,
) -> tuple[Tensor, ...]:
    """Views of pieces below one another: of the first dimension of at least two; see `hsplit`."""

def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors below one another: along the first dimension, vectors as rows."""

@overload
def where(condition: Tensor, *, out: tuple[Tensor, ...] | None = None) -> tuple[Tensor, ...]:
    """``input`` where the condition holds, ``other`` elsewhere; all three broadcast.

    With the condition alone, the positions at which it holds, as `nonzero` with ``as_tuple``.

    Raises:
        RuntimeError: the condition is neither bool nor, which is deprecated, uint8.
        TypeError: one of ``input`` and ``other`` is missing.
    """

@overload
def where(condition: Tensor, input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor: ...
def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """``body_fn`` applied to the carried values as long as ``cond_fn`` holds of them; the last values.

    Each test computes a tensor's value, so that a long loop runs piece by piece.

    Raises:
        RuntimeError: the functions cannot be called.
    """

def xlogy(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input · ln(other), broadcast; 0 where ``input`` is 0, unless ``other`` is NaN. Integers are taken as floats."""

def xlogy_(input: Operand, other: Operand) -> Tensor:
    """In-place version of `xlogy`."""

def zero_(input: Tensor) -> Tensor:
    """Set every element to zero."""

def zeros(
    *sizes: Sizes,
    size: Sizes | None = None,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor of zeros; the size as separate ints or one sequence."""

def zeros_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    layout: layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Zeros of ``input``'s shape, and its dtype, device and order in memory unless others are given."""
