"""Which ops take dtypes that are there to store and move numbers: those that PyTorch computes, and no others."""

from __future__ import annotations

from lazygrad.ir.dtype import DType
from lazygrad.ir.op import Kind, Op

_MOVING_KINDS = frozenset(
    [Kind.LEAF, Kind.MOVEMENT, Kind.IDENTITY, Kind.PADDING, Kind.TRANSFER, Kind.CALLBACK, Kind.GRADIENT]
)
_MOVING = frozenset(
    "take put gather scatter concat roll update_view read_view iota reinterpret cast_float8 pointwise cast contiguous "
    "clone where eq ne after require".split()
)
_OF_UNSIGNED = frozenset("mul bitwise_and bitwise_or bitwise_xor floor ceil trunc round argsort".split())

# What PyTorch calls its kernels in this error, where that is not the op's name with "_cpu".
_KERNELS = {
    "add": "add_stub", "sub": "add_stub", "invert": "bitwise_not_cpu", "shift_left": "lshift_cpu",
    "shift_right": "rshift_cpu", "floor_div": "div_floor_cpu", "pow": "pow", "matmul": "addmm_impl_cpu_",
    "reduce_sum": "sum_cpu", "reduce_prod": "prod_cpu", "reduce_max": "max_all", "reduce_min": "min_all",
    "argsort": "sorting_kernel_method_name", "cumsum": "cumsum_out_cpu", "cumprod": "cumprod_out_cpu",
    **{name: f"{name}_vml_cpu" for name in "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan "
       "sinh cosh tanh erf erfc erfinv floor ceil trunc round".split()},
}  # fmt: skip


def check_computes(op: Op, dtype: DType) -> None:
    """Let an op have an operand of a storage dtype, or refuse it.

    Raises:
        NotImplementedError: PyTorch has no such arithmetic either.
    """
    if op.kind in _MOVING_KINDS or op.name in _MOVING or (op.name in _OF_UNSIGNED and not dtype.is_float8):
        return
    kernel = _KERNELS.get(op.name, f"{op.name}_cpu")
    raise NotImplementedError(
        f"\"{kernel}\" not implemented for '{dtype.scalar_type}'; cast it first, for example with .float()"
    )
