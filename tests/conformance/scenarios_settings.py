"""Scenarios of what is set for a whole process or thread: random state, threads, printing, precision; and of saving."""

from __future__ import annotations

import io
from typing import Any

from tests.oracle.comparing import raised

from .scenarios import covers

_DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()


@covers("Generator manual_seed initial_seed seed get_rng_state set_rng_state rand randperm Tensor.random_")
def generators(t: Any) -> Any:
    t.manual_seed(5)
    first, state = t.rand(3), t.get_rng_state()
    second = t.randperm(7)
    t.set_rng_state(state)
    own = t.Generator().manual_seed(3)
    mine = t.rand(2, generator=own), t.randperm(4, generator=own), own.initial_seed()
    kept = own.get_state()
    again = t.randn(20, generator=own)
    own.set_state(kept)
    t.manual_seed(5)
    return (
        first,
        second,
        t.initial_seed(),
        mine,
        again,
        t.randn(20, generator=own),
        t.zeros(5, dtype=t.int64).random_(10),
        t.zeros(4).random_(2, 9),
        isinstance(t.seed(), int),
        str(own.device),
    )


@covers("get_num_threads set_num_threads get_num_interop_threads")
def threads(t: Any) -> Any:
    before = t.get_num_threads()
    t.set_num_threads(1)
    changed = t.get_num_threads()
    t.set_num_threads(before)
    return changed, raised(lambda: t.set_num_threads(0)), isinstance(t.get_num_interop_threads(), int)


@covers(
    "use_deterministic_algorithms are_deterministic_algorithms_enabled get_deterministic_debug_mode "
    "is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode"
)
def determinism(t: Any) -> Any:
    before = t.are_deterministic_algorithms_enabled()
    t.use_deterministic_algorithms(True, warn_only=True)
    try:
        on = (
            t.are_deterministic_algorithms_enabled(),
            t.is_deterministic_algorithms_warn_only_enabled(),
            t.get_deterministic_debug_mode(),
        )
        t.set_deterministic_debug_mode("default")
        return on, t.are_deterministic_algorithms_enabled()
    finally:
        t.use_deterministic_algorithms(before)


@covers("get_float32_matmul_precision set_float32_matmul_precision")
def matmul_precision(t: Any) -> Any:
    before = t.get_float32_matmul_precision()
    t.set_float32_matmul_precision("high")
    changed = t.get_float32_matmul_precision()
    t.set_float32_matmul_precision(before)
    return before, changed


@covers("set_warn_always is_warn_always_enabled set_flush_denormal")
def switches(t: Any) -> Any:
    before = t.is_warn_always_enabled()
    t.set_warn_always(True)
    changed = t.is_warn_always_enabled()
    t.set_warn_always(before)
    return before, changed, isinstance(t.set_flush_denormal(False), bool)


@covers("set_printoptions")
def printing(t: Any) -> Any:
    x = t.tensor([1.23456789, 1000.5, float("nan")])
    t.set_printoptions(precision=2, sci_mode=False)
    try:
        short = repr(x)
    finally:
        t.set_printoptions(profile="default")
    return short, repr(x), repr(t.arange(3)), repr(t.tensor(1.5, requires_grad=True))


@covers("AcceleratorError OutOfMemoryError")
def errors(t: Any) -> Any:
    return issubclass(t.OutOfMemoryError, RuntimeError), issubclass(t.AcceleratorError, RuntimeError)


@covers(
    "Tensor.is_shared Tensor.share_memory_ Tensor.is_pinned Tensor.is_inference is_inference Tensor.is_neg is_neg "
    "Tensor.is_conj is_conj is_nonzero Tensor.is_nonzero"
)
def flags(t: Any) -> Any:
    x = t.ones(2)
    return (
        x.is_shared(),
        x.share_memory_() is x,
        x.is_shared(),
        x.is_pinned(),
        x.is_inference(),
        t.is_inference(x),
        x.is_neg(),
        t.is_neg(x),
        x.is_conj(),
        t.is_conj(x),
        t.is_nonzero(t.tensor([2])),
        t.tensor(0.0).is_nonzero(),
        raised(lambda: t.is_nonzero(x)),
        raised(lambda: t.is_nonzero(t.ones(0))),
    )


@covers("Tensor.pin_memory")
def pinning_needs_an_accelerator(t: Any) -> Any:
    return raised(lambda: t.ones(2).pin_memory()) == "RuntimeError" or t.ones(2).pin_memory()


@covers("save load")
def saving(t: Any) -> Any:
    file = io.BytesIO()
    x = t.arange(6.0).reshape(2, 3)
    t.save({"x": x, "view": x[1], "n": 3, "list": [t.ones(2, dtype=t.int64)]}, file)
    file.seek(0)
    back = t.load(file)
    back["view"][0] = 9
    return back


@covers("Event Stream")
def streams_need_an_accelerator(t: Any) -> Any:
    return raised(lambda: t.Event().record()) != "nothing", raised(lambda: t.Stream()) != "nothing"


@covers("autocast")
def mixed_precision(t: Any) -> Any:
    x, w = t.ones(2, 3), t.ones(3, 2)
    with t.autocast("cpu", dtype=t.bfloat16):
        product, total = x @ w, (x + 1).sum()
        with t.autocast("cpu", enabled=False):
            plain = x @ w
    return product, total, plain, x @ w, t.is_autocast_enabled("cpu")


@covers("GradScaler")
def loss_scaling(t: Any) -> Any:
    scaler = t.GradScaler("cpu", init_scale=8.0, enabled=True)
    return scaler.get_scale(), scaler.scale(t.tensor(2.0)), scaler.is_enabled()


@covers("cond while_loop")
def control_flow(t: Any) -> Any:
    x = t.arange(3.0)
    if t.__name__ == "torch":  # which compiles both, for most of a minute
        return x * 2, x - 1, (t.tensor(4), x * 16)
    doubled = t.cond(x.sum() > 2, lambda v: v * 2, lambda v: v - 1, (x,))
    lowered = t.cond(False, lambda v: v * 2, lambda v: v - 1, (x,))
    return doubled, lowered, t.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * 2), (t.tensor(0), x))
