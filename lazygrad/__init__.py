"""lazygrad: a graph-compiling deep-learning framework with PyTorch's API.

    import lazygrad as lg
    x = lg.randn(2, 3)
    print(lg.stages(x.softmax(-1)).sources["numpy"])

Names are PyTorch's wherever PyTorch has the thing; what looks at programs or runs them is lazygrad's own.
"""

# isort: off
from lazygrad.host import pace as _pace  # the first, to see how long the others take

# isort: on
from importlib import import_module
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

from lazygrad import array_api, autograd, backends, cuda, linalg, random, sparse, version
from lazygrad import einops_backend as _einops_backend  # noqa: F401, it registers itself
from lazygrad import visdom_tensors as _visdom_tensors  # noqa: F401, it registers itself
from lazygrad.autocast_mode import (
    autocast,
    get_autocast_dtype,
    is_autocast_cpu_enabled,
    is_autocast_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)
from lazygrad.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from lazygrad.backends import get_float32_matmul_precision, set_float32_matmul_precision, set_flush_denormal
from lazygrad.cuda import AcceleratorError, OutOfMemoryError
from lazygrad.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from lazygrad.host.background import wait_for_all as wait_for_compiler
from lazygrad.host.threads import get_num_interop_threads, get_num_threads, set_num_threads
from lazygrad.host.warn_once import is_warn_always_enabled, set_warn_always
from lazygrad.ir.device import Device as device
from lazygrad.ir.device import get_default_device, set_default_device
from lazygrad.ir.dtype import DType as dtype
from lazygrad.ir.dtype import (
    bfloat16,
    complex64,
    complex128,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from lazygrad.ir.dtype import bool_ as bool
from lazygrad.ir.memory_format import Layout as layout
from lazygrad.ir.memory_format import MemoryFormat as memory_format
from lazygrad.ir.memory_format import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from lazygrad.ir.text import parse
from lazygrad.left_out import LEFT_OUT, stand_in
from lazygrad.ops import public, return_types
from lazygrad.ops.arguments.operands import get_default_dtype, set_default_dtype
from lazygrad.ops.layers.softmax_gradients import *
from lazygrad.ops.lists import *
from lazygrad.ops.objects import storages as storage
from lazygrad.ops.objects.assertions import *
from lazygrad.ops.public import *
from lazygrad.ops.random.gamma import *
from lazygrad.runtime.backend_choice import (
    are_deterministic_algorithms_enabled,
    backend,
    get_backend,
    get_deterministic_debug_mode,
    is_deterministic_algorithms_warn_only_enabled,
    set_backend,
    set_deterministic_debug_mode,
    use_deterministic_algorithms,
)
from lazygrad.runtime.cache_limits import set_plan_cache_limits
from lazygrad.runtime.realize import unfused
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from lazygrad.size import Size
from lazygrad.sparse import sparse_coo_tensor
from lazygrad.sparse.functions import *
from lazygrad.streams import Event, Stream
from lazygrad.tensor import Tensor, realize_all
from lazygrad.version import __version__ as __version__

half, float, double = float16, float32, float64
cfloat, cdouble = complex64, complex128
short, int, long = int16, int32, int64
Storage = public.FloatStorage  # type: ignore[attr-defined]
newaxis = None  # x[newaxis] adds a dimension

# fmt: off
if TYPE_CHECKING:
    from lazygrad import (
        accelerator,
        amp,
        compiler,
        cpu,
        data,
        distributed,
        distributions,
        fft,
        func,
        fx,
        hub,
        jit,
        library,
        masked,
        mps,
        nested,
        nn,
        optim,
        profiler,
        quantized,
        quasirandom,
        safetensors,
        signal,
        special,
        testing,
        utils,
        vision,
        xpu,
    )
    from lazygrad.amp import GradScaler
    from lazygrad.compiling import compile, mark_dynamic
    from lazygrad.export import export_numpy
    from lazygrad.func import vmap
    from lazygrad.futures import Future
    from lazygrad.inspect import (
        cache_info,
        check,
        compare,
        compile_for,
        dump,
        explain,
        explain_cache_miss,
        explain_fusion,
        graph_diff,
        last_step,
        override,
        profile,
        stages,
        summary,
    )
    from lazygrad.quantized import *
    from lazygrad.saving import load, save
    from lazygrad.torch_imports import as_torch

# Loaded when first used, so that importing the package stays quick.
_LAZY_MODULES = (
    "_C", "__config__", "_dynamo", "_functorch", "_higher_order_ops", "_inductor", "_jit_internal", "_logging",
    "_tensor_str", "accelerator", "amp", "compiler", "cpu", "data", "distributed", "distributions", "export", "fft",
    "func", "futures", "fx", "hub", "jit", "library",
    "masked", "mps", "multiprocessing", "nested", "nn", "onnx", "optim", "overrides", "profiler", "quantized",
    "quasirandom", "safetensors", "serialization", "signal", "special", "testing", "types", "utils", "vision", "xpu",
)
_LAZY = {name: f"lazygrad.{name}" for name in _LAZY_MODULES} | dict.fromkeys(
    (
        "cache_info", "check", "compare", "compile_for", "dump", "explain", "explain_cache_miss", "explain_fusion",
        "graph_diff", "last_step", "override", "profile", "stages", "summary",
    ),
    "lazygrad.inspect",
)
_QUANTIZED = (
    "dequantize", "fake_quantize_per_channel_affine", "fake_quantize_per_tensor_affine", "int_repr",
    "per_channel_affine", "per_channel_symmetric", "per_tensor_affine", "per_tensor_symmetric", "q_per_channel_axis",
    "q_per_channel_scales", "q_per_channel_zero_points", "q_scale", "q_zero_point", "qint8", "qint32",
    "quantize_per_channel", "quantize_per_tensor", "quantize_per_tensor_dynamic", "quint8",
)
_LAZY |= dict.fromkeys(_QUANTIZED, "lazygrad.quantized")
_LAZY["compile"] = _LAZY["mark_dynamic"] = "lazygrad.compiling"
_LAZY["as_torch"] = "lazygrad.torch_imports"
_LAZY["serialization"] = "lazygrad.saving"
_LAZY["load"] = _LAZY["save"] = "lazygrad.saving"
_LAZY["export_numpy"] = "lazygrad.export"
_LAZY["Future"] = "lazygrad.futures"
_LAZY["GradScaler"] = "lazygrad.amp"
_LAZY["vmap"] = "lazygrad.func"


def __getattr__(name: str) -> Any:
    if name in LEFT_OUT:
        return stand_in(name)
    if name not in _LAZY:
        from lazygrad.torch_imports import what_to_use

        raise AttributeError(f"module 'lazygrad' has no attribute {name!r}{what_to_use(f'torch.{name}')}")
    module = import_module(_LAZY[name])
    value = module if name in _LAZY_MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


__all__ = [
    # Tensors, dtypes, devices.
    "Tensor", "Size", "Storage", "dtype", "device", "bool", "uint8", "int8", "int16", "short", "int32", "int", "int64",
    "long",
    "float16", "half", "bfloat16", "float32", "float", "float64", "double", "complex64", "cfloat",
    "complex128", "cdouble", "uint16", "uint32", "uint64",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
    "layout", "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged",
    "memory_format", "contiguous_format", "preserve_format", "channels_last", "channels_last_3d",
    "get_default_dtype", "set_default_dtype", "get_default_device", "set_default_device",
    "return_types", "e", "inf", "nan", "newaxis", "pi",
    "sparse_coo_tensor", "Event", "Future", "Stream", "AcceleratorError", "OutOfMemoryError",
    # Gradients.
    "no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled", "inference_mode", "is_inference_mode_enabled",
    "vmap", "is_anomaly_enabled", "is_anomaly_check_nan_enabled", "set_anomaly_enabled",
    # When and how programs run.
    "backend", "get_backend", "set_backend", "wait_for_compiler", "use_deterministic_algorithms",
    "are_deterministic_algorithms_enabled", "is_deterministic_algorithms_warn_only_enabled",
    "get_float32_matmul_precision", "set_float32_matmul_precision", "set_flush_denormal",
    "get_deterministic_debug_mode", "set_deterministic_debug_mode", "get_num_interop_threads",
    "set_warn_always", "is_warn_always_enabled",
    "compile", "mark_dynamic", "realize_all", "unfused", "get_num_threads", "set_num_threads", "cache_info",
    "get_interpreted_runs", "set_interpreted_runs", "set_plan_cache_limits",
    # Mixed precision.
    "autocast", "is_autocast_cpu_enabled", "is_autocast_enabled",
    "get_autocast_dtype", "set_autocast_dtype", "set_autocast_enabled", "GradScaler",
    # Saving.
    "load", "save", "export_numpy",
    # Programs written for PyTorch.
    "as_torch",
    # Looking at programs.
    "stages", "dump", "last_step", "compare", "compile_for", "check", "explain", "explain_fusion", "explain_cache_miss",
    "graph_diff", "override", "parse", "profile", "summary",
    # Quantized tensors.
    *_QUANTIZED,
    # Subpackages.
    "accelerator", "amp", "array_api", "autograd", "backends", "compiler", "cpu", "cuda", "data", "distributed",
    "distributions", "fft", "func", "fx", "hub", "jit", "library", "linalg", "masked", "mps", "multiprocessing",
    "nested", "nn", "onnx", "optim", "profiler", "quantized", "quasirandom", "random", "safetensors", "signal",
    "sparse", "special", "storage", "testing", "utils", "version", "vision", "xpu",
    # The functions of tensors, family by family.
    *(name for name in vars(public) if not name.startswith("_")),
]
# fmt: on

_pace.is_imported()
