"""Named results, as PyTorch returns them from functions with several."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from lazygrad.ir.spoken_name import spoken
from lazygrad.tensor import Tensor

Named = TypeVar("Named", bound=type)


def _shown(cls: Named) -> Named:
    """Prints a result field by field, as PyTorch does."""

    def __repr__(self: Any) -> str:
        lines = ",\n".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
        return spoken(f"return_types.{cls.__name__}(\n{lines})")

    cls.__repr__ = __repr__  # type: ignore[assignment]
    return cls


@_shown
class max(NamedTuple):
    """What `lazygrad.max` returns along a dimension."""

    values: Tensor
    indices: Tensor


@_shown
class min(NamedTuple):
    """What `lazygrad.min` returns along a dimension."""

    values: Tensor
    indices: Tensor


@_shown
class median(NamedTuple):
    """What `lazygrad.median` returns along a dimension."""

    values: Tensor
    indices: Tensor


@_shown
class kthvalue(NamedTuple):
    """What `lazygrad.kthvalue` returns."""

    values: Tensor
    indices: Tensor


@_shown
class sort(NamedTuple):
    """What `lazygrad.sort` returns."""

    values: Tensor
    indices: Tensor


@_shown
class topk(NamedTuple):
    """What `lazygrad.topk` returns."""

    values: Tensor
    indices: Tensor


@_shown
class aminmax(NamedTuple):
    """What `lazygrad.aminmax` returns."""

    min: Tensor
    max: Tensor


@_shown
class linalg_cholesky_ex(NamedTuple):
    """What `lazygrad.linalg.cholesky_ex` returns."""

    L: Tensor
    info: Tensor


@_shown
class linalg_lu(NamedTuple):
    """What `lazygrad.linalg.lu` returns."""

    P: Tensor
    L: Tensor
    U: Tensor


@_shown
class lu_unpack(NamedTuple):
    """What `lazygrad.lu_unpack` returns."""

    P: Tensor
    L: Tensor
    U: Tensor


@_shown
class linalg_lu_factor(NamedTuple):
    """What `lazygrad.linalg.lu_factor` returns."""

    LU: Tensor
    pivots: Tensor


@_shown
class linalg_lu_factor_ex(NamedTuple):
    """What `lazygrad.linalg.lu_factor_ex` returns."""

    LU: Tensor
    pivots: Tensor
    info: Tensor


@_shown
class linalg_ldl_factor(NamedTuple):
    """What `lazygrad.linalg.ldl_factor` returns."""

    LD: Tensor
    pivots: Tensor


@_shown
class linalg_ldl_factor_ex(NamedTuple):
    """What `lazygrad.linalg.ldl_factor_ex` returns."""

    LD: Tensor
    pivots: Tensor
    info: Tensor


@_shown
class linalg_qr(NamedTuple):
    """What `lazygrad.linalg.qr` returns."""

    Q: Tensor
    R: Tensor


@_shown
class qr(NamedTuple):
    """What `lazygrad.qr` returns."""

    Q: Tensor
    R: Tensor


@_shown
class geqrf(NamedTuple):
    """What `lazygrad.geqrf` returns."""

    a: Tensor
    tau: Tensor


@_shown
class linalg_svd(NamedTuple):
    """What `lazygrad.linalg.svd` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor


@_shown
class svd(NamedTuple):
    """What `lazygrad.svd` returns."""

    U: Tensor
    S: Tensor
    V: Tensor


@_shown
class linalg_eig(NamedTuple):
    """What `lazygrad.linalg.eig` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


@_shown
class linalg_eigh(NamedTuple):
    """What `lazygrad.linalg.eigh` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


@_shown
class linalg_slogdet(NamedTuple):
    """What `lazygrad.linalg.slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor


@_shown
class slogdet(NamedTuple):
    """What `lazygrad.slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor


@_shown
class linalg_inv_ex(NamedTuple):
    """What `lazygrad.linalg.inv_ex` returns."""

    inverse: Tensor
    info: Tensor


@_shown
class linalg_solve_ex(NamedTuple):
    """What `lazygrad.linalg.solve_ex` returns."""

    result: Tensor
    info: Tensor


@_shown
class linalg_lstsq(NamedTuple):
    """What `lazygrad.linalg.lstsq` returns."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


@_shown
class triangular_solve(NamedTuple):
    """What `lazygrad.triangular_solve` returns."""

    solution: Tensor
    cloned_coefficient: Tensor


@_shown
class nanmedian(NamedTuple):
    """What `lazygrad.nanmedian` returns along a dimension."""

    values: Tensor
    indices: Tensor


@_shown
class mode(NamedTuple):
    """What `lazygrad.mode` returns."""

    values: Tensor
    indices: Tensor


@_shown
class cummax(NamedTuple):
    """What `lazygrad.cummax` returns."""

    values: Tensor
    indices: Tensor


@_shown
class cummin(NamedTuple):
    """What `lazygrad.cummin` returns."""

    values: Tensor
    indices: Tensor


@_shown
class frexp(NamedTuple):
    """What `lazygrad.frexp` returns."""

    mantissa: Tensor
    exponent: Tensor


@_shown
class histogram(NamedTuple):
    """What `lazygrad.histogram` returns."""

    hist: Tensor
    bin_edges: Tensor


@_shown
class histogramdd(NamedTuple):
    """What `lazygrad.histogramdd` returns."""

    hist: Tensor
    bin_edges: tuple[Tensor, ...]
