"""Named results of functions that return two tensors, printed as PyTorch prints them."""

from __future__ import annotations

from typing import Any, NamedTuple

from lazygrad.tensor import Tensor


def _text(result: tuple[Any, ...], fields: tuple[str, ...]) -> str:
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


class nanmedian(_Selection):
    """What `lazygrad.nanmedian` returns along a dimension."""

    __slots__ = ()


class mode(_Selection):
    """What `lazygrad.mode` returns."""

    __slots__ = ()


class cummax(_Selection):
    """What `lazygrad.cummax` returns."""

    __slots__ = ()


class cummin(_Selection):
    """What `lazygrad.cummin` returns."""

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


class frexp(NamedTuple):
    """What `lazygrad.frexp` returns."""

    mantissa: Tensor
    exponent: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class histogram(NamedTuple):
    """What `lazygrad.histogram` returns."""

    hist: Tensor
    bin_edges: Tensor

    def __repr__(self) -> str:
        return _text(self, self._fields)


class histogramdd(NamedTuple):
    """What `lazygrad.histogramdd` returns."""

    hist: Tensor
    bin_edges: tuple[Tensor, ...]

    def __repr__(self) -> str:
        return _text(self, self._fields)
