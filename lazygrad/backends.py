"""``lazygrad.backends``: the switches of PyTorch's back ends, which programs set before they start.

Of these back ends there is CUDA only, so that `is_available` of others is False, and a setting of theirs is kept but
changes nothing. How lazygrad computes is chosen by `lazygrad.set_backend` and `lazygrad.use_deterministic_algorithms`.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterator
from enum import IntEnum
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

from lazygrad.ir.user_warning import warn_user
from lazygrad.targets.cuda.drivers import device_count
from lazygrad.targets.cuda.product_precision import ProductPrecision, set_product_precision


class _BackEnd(ModuleType):
    """Settings by name, and whether the back end can be used. A module: ``import lazygrad.backends.cudnn as cudnn``.

    Args:
        name: PyTorch's.
        available: whether what it stands for is there.
        settings: the names that can be set, with PyTorch's defaults.
    """

    def __init__(self, name: str, available: bool = False, **settings: Any) -> None:
        path = f"lazygrad.backends.{name}"
        super().__init__(path)
        sys.modules[path] = self
        self.__dict__.update(settings, _name=name, _available=available, _settings=tuple(settings))

    def is_available(self) -> bool:
        """Whether computations can use it."""
        return self._available

    def is_built(self) -> bool:
        """Whether this library was built for it."""
        return self._available

    def version(self) -> None:
        """The version of its library: there is none."""

    @contextlib.contextmanager
    def flags(self, **settings: Any) -> Iterator[None]:
        """Other settings inside a ``with`` block."""
        before = {name: getattr(self, name) for name in settings}
        for name, value in settings.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            self.__dict__.update(before)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # what the import system asks of a module
        raise AttributeError(f"backends.{self._name} has no setting {name!r}; it has {', '.join(self._settings)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("__"):
            getattr(self, name)  # refuses unknown names, whose setting PyTorch would not notice either
        self.__dict__[name] = value

    def __repr__(self) -> str:
        return f"lazygrad.backends.{self._name}"


cudnn = _BackEnd(
    "cudnn",
    enabled=True,
    benchmark=False,
    benchmark_limit=10,
    deterministic=False,
    allow_tf32=True,
    fp32_precision="none",
)


class _Cuda(_BackEnd):
    """The switches of CUDA, which is built in and may or may not find a device."""

    def is_available(self) -> bool:
        return device_count() > 0

    def is_built(self) -> bool:
        """Whether this library was built for it: there is nothing to build, so whether it can be used."""
        return self.is_available()


class _CudaProducts(_BackEnd):
    """How exactly products are computed on CUDA devices. TF32 is also steered by `set_float32_matmul_precision`."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "fp32_precision" and value not in _FLOAT32_PRECISIONS:
            raise RuntimeError(f"fp32_precision must be one of {', '.join(_FLOAT32_PRECISIONS)}, not {value!r}")
        super().__setattr__(name, value)
        if name == "allow_tf32":
            set_float32_matmul_precision("high" if value else "highest")
        elif name == "fp32_precision":
            set_float32_matmul_precision("high" if value == "tf32" else "highest")
        else:
            self.apply()

    def apply(self) -> None:
        """Let the products of devices do what the switches say."""
        set_product_precision(
            ProductPrecision(
                tf32=self.allow_tf32,
                reduced_f16=self.allow_fp16_reduced_precision_reduction,
                reduced_bf16=self.allow_bf16_reduced_precision_reduction,
            )
        )


_FLOAT32_PRECISIONS = ("none", "ieee", "tf32", "bf16")
cuda = _Cuda("cuda", preferred_linalg_library=None)


class SDPBackend(IntEnum):
    """Ways to compute attention that PyTorch chooses from."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


class SDPAParams(NamedTuple):
    """What an attention is called with, for `can_use_flash_attention` and its kin."""

    query: Any
    key: Any
    value: Any
    attn_mask: Any
    dropout: float
    is_causal: bool
    enable_gqa: bool


_KINDS_OF_ATTENTION = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}


@contextlib.contextmanager
def only_attention_of(kinds: Collection[SDPBackend]) -> Iterator[None]:
    """Switch on some kinds of attention, and all others off, until the block ends."""
    before = {name: getattr(cuda, f"{name}_sdp_enabled")() for name in _KINDS_OF_ATTENTION}
    try:
        for name, kind in _KINDS_OF_ATTENTION.items():
            getattr(cuda, f"enable_{name}_sdp")(kind in kinds)
        yield
    finally:
        for name, was_enabled in before.items():
            getattr(cuda, f"enable_{name}_sdp")(was_enabled)


def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> contextlib.AbstractContextManager[None]:
    """`lazygrad.nn.attention.sdpa_kernel` by its former name, with a warning."""
    warn_user(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please "
        "see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    enabled = {"flash": enable_flash, "math": enable_math, "mem_efficient": enable_mem_efficient, "cudnn": enable_cudnn}
    return only_attention_of([_KINDS_OF_ATTENTION[name] for name, is_on in enabled.items() if is_on])


def _cannot_use(params: SDPAParams, debug: bool = False) -> bool:
    """False: there are none of PyTorch's kernels for CUDA."""
    return False


for _kind in _KINDS_OF_ATTENTION:  # of which lazygrad chooses one itself
    _is_enabled = [True]
    cuda.__dict__[f"enable_{_kind}_sdp"] = partial(_is_enabled.__setitem__, 0)
    cuda.__dict__[f"{_kind}_sdp_enabled"] = partial(_is_enabled.__getitem__, 0)
    cuda.__dict__[f"can_use_{_kind.removeprefix('mem_')}_attention"] = _cannot_use
del cuda.__dict__["can_use_math_attention"]
cuda.__dict__.update(
    SDPBackend=SDPBackend,
    SDPAParams=SDPAParams,
    sdp_kernel=sdp_kernel,
    is_flash_attention_available=lambda: False,
    is_ck_sdpa_available=lambda: False,
)
_products = _CudaProducts(
    "cuda.matmul",
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    fp32_precision="none",
)
cuda.__dict__["matmul"] = _products
mps = _BackEnd("mps")
mkl = _BackEnd("mkl")
mkldnn = _BackEnd("mkldnn", enabled=True, deterministic=False, allow_tf32=True, fp32_precision="none")
openmp = _BackEnd("openmp")
opt_einsum = _BackEnd("opt_einsum", available=True, enabled=True, strategy="auto")


def set_flush_denormal(mode: bool) -> bool:
    """Ask for numbers below the normal range to become zero; returns False, as they are always computed."""
    return False


_PRECISIONS = ("highest", "high", "medium")


class _Precision:
    current = "highest"


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was told, ``"highest"`` at first."""
    return _Precision.current


def set_float32_matmul_precision(precision: str) -> None:
    """Allow float32 products to be computed less exactly: on CUDA devices, in TF32. Those of the CPU stay exact.

    Raises:
        RuntimeError: none of ``"highest"``, ``"high"`` and ``"medium"``.
    """
    if precision not in _PRECISIONS:
        raise RuntimeError(f"{precision!r} is not one of {', '.join(_PRECISIONS)}")
    _Precision.current = precision
    _products.__dict__["allow_tf32"] = precision != "highest"
    _products.apply()
