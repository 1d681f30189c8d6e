"""``lazygrad.backends``: the switches of PyTorch's back ends, which programs set before they start.

There are no such back ends here, so that `is_available` is False and a setting is kept but changes nothing. How
lazygrad itself computes is chosen by `lazygrad.set_backend` and `lazygrad.use_deterministic_algorithms`.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any


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
cuda = _BackEnd("cuda", preferred_linalg_library=None)
cuda.__dict__["matmul"] = _BackEnd(
    "cuda.matmul",
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    fp32_precision="none",
)
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
    """Allow float32 products to be computed less exactly; accepted, and products stay exact.

    Raises:
        RuntimeError: none of ``"highest"``, ``"high"`` and ``"medium"``.
    """
    if precision not in _PRECISIONS:
        raise RuntimeError(f"{precision!r} is not one of {', '.join(_PRECISIONS)}")
    _Precision.current = precision
