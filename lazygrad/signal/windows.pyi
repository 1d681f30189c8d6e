# Written by `python -m tests.typing.stubs` from the functions themselves.

"""Window functions of ``M`` points, symmetric unless ``sym`` is False, with PyTorch's names.

n is M − 1, or M if ``sym`` is False. All raise ValueError for a negative ``M``, for dtypes other than float32 and
float64, and for layouts other than `strided`.
"""

from collections.abc import Iterable

from lazygrad.ir.memory_format import Layout
from lazygrad.ops.arguments.kinds import DeviceLike, DTypeLike
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]
# fmt: on

def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """A triangle, 1 − |2k/n − 1|."""

def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n)."""

def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """sin(π·(k + ½)/(n + 1))."""

def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """exp(−|k − center|/tau), by default around the middle."""

def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """exp(−½·((k − n/2)/std)²)."""

def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """a₀ − a₁·cos(2πk/n) + a₂·cos(4πk/n) − …"""

def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """alpha − (1 − alpha)·cos(2πk/n)."""

def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """0.54 − 0.46·cos(2πk/n)."""

def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """½ − ½·cos(2πk/n)."""

def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """I₀(beta·√(1 − (2k/n − 1)²)) / I₀(beta)."""

def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
) -> Tensor:
    """Nuttall's sum of four cosines (“Some windows with very good sidelobe behavior”, 1981)."""
