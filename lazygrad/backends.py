"""``lazygrad.backends``: the switches of PyTorch's back ends, which programs set before they start.

Of these back ends there is CUDA only, so that `is_available` of others is False, and a setting of theirs is kept but
changes nothing. How lazygrad computes is chosen by `lazygrad.set_backend` and `lazygrad.use_deterministic_algorithms`.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import Any

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
for _kind in ("flash", "math", "mem_efficient", "cudnn"):  # kinds of attention, of which lazygrad chooses one itself
    _is_enabled = [True]
    cuda.__dict__[f"enable_{_kind}_sdp"] = partial(_is_enabled.__setitem__, 0)
    cuda.__dict__[f"{_kind}_sdp_enabled"] = partial(_is_enabled.__getitem__, 0)
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
