"""Named results of functions that return several tensors, printed as PyTorch prints them."""

from __future__ import annotations

from typing import NamedTuple

from lazygrad.tensor import Tensor


def _text(result: tuple[Tensor, ...], fields: tuple[str, ...]) -> str:
    lines = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, result, strict=True))
    return f"lazygrad.return_types.{type(result).__name__}(\n{lines})"


class _Selection(NamedTuple):
    """Elements and where along the dimension they were found (int64)."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class max(_Selection):
    """What `lazygrad.max` returns along a dimension."""

    __slots__ = ()


class min(_Selection):
    """What `lazygrad.min` returns along a dimension."""

    __slots__ = ()


class median(_Selection):
    """What `lazygrad.median` returns along a dimension."""

    __slots__ = ()


class kthvalue(_Selection):
    """What `lazygrad.kthvalue` returns."""

    __slots__ = ()


class sort(_Selection):
    """What `lazygrad.sort` returns."""

    __slots__ = ()


class topk(_Selection):
    """What `lazygrad.topk` returns."""

    __slots__ = ()


class aminmax(NamedTuple):
    """What `lazygrad.aminmax` returns."""

    min: Tensor
    max: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_cholesky_ex(NamedTuple):
    """What `lazygrad.linalg.cholesky_ex` returns."""

    L: Tensor
    info: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_lu(NamedTuple):
    """What `lazygrad.linalg.lu` returns."""

    P: Tensor
    L: Tensor
    U: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class lu_unpack(NamedTuple):
    """What `lazygrad.lu_unpack` returns."""

    P: Tensor
    L: Tensor
    U: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_lu_factor(NamedTuple):
    """What `lazygrad.linalg.lu_factor` returns."""

    LU: Tensor
    pivots: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_lu_factor_ex(NamedTuple):
    """What `lazygrad.linalg.lu_factor_ex` returns."""

    LU: Tensor
    pivots: Tensor
    info: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_ldl_factor(NamedTuple):
    """What `lazygrad.linalg.ldl_factor` returns."""

    LD: Tensor
    pivots: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_ldl_factor_ex(NamedTuple):
    """What `lazygrad.linalg.ldl_factor_ex` returns."""

    LD: Tensor
    pivots: Tensor
    info: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_qr(NamedTuple):
    """What `lazygrad.linalg.qr` returns."""

    Q: Tensor
    R: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class qr(NamedTuple):
    """What `lazygrad.qr` returns."""

    Q: Tensor
    R: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class geqrf(NamedTuple):
    """What `lazygrad.geqrf` returns."""

    a: Tensor
    tau: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_svd(NamedTuple):
    """What `lazygrad.linalg.svd` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class svd(NamedTuple):
    """What `lazygrad.svd` returns."""

    U: Tensor
    S: Tensor
    V: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_eig(NamedTuple):
    """What `lazygrad.linalg.eig` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_eigh(NamedTuple):
    """What `lazygrad.linalg.eigh` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_slogdet(NamedTuple):
    """What `lazygrad.linalg.slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class slogdet(NamedTuple):
    """What `lazygrad.slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_inv_ex(NamedTuple):
    """What `lazygrad.linalg.inv_ex` returns."""

    inverse: Tensor
    info: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_solve_ex(NamedTuple):
    """What `lazygrad.linalg.solve_ex` returns."""

    result: Tensor
    info: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class linalg_lstsq(NamedTuple):
    """What `lazygrad.linalg.lstsq` returns."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class triangular_solve(NamedTuple):
    """What `lazygrad.triangular_solve` returns."""

    solution: Tensor
    cloned_coefficient: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)
