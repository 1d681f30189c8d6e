"""Arithmetic of sparse tensors: with numbers, with tensors in memory, and with each other.

What maps zero to zero is computed on the values; sums of sparse tensors join their places, products keep those that
both have. Operators prefer these methods to those of `Tensor`, since a `SparseTensor` is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.dtype import bool_
from lazygrad.ops.arguments.operands import is_scalar
from lazygrad.ops.indexing.masking import nonzero
from lazygrad.ops.reductions.sorting import searchsorted
from lazygrad.ops.shapes.joining import cat
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor, check_castable

ZERO_STAYS = (
    "abs absolute asin arcsin asinh arcsinh atan arctan atanh arctanh ceil conj deg2rad erf erfinv expm1 floor isinf "
    "isnan log1p neg negative rad2deg relu round sgn sign sin sinh sqrt tan tanh trunc fix square"
).split()
_OF_SUMS = set("neg negative __neg__ conj".split())  # what may be done before equal places are added up


def _on_values(name: str) -> Callable[..., SparseTensor]:
    function: Callable[..., Tensor] = getattr(Tensor, name)

    def method(self: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
        source = self if name in _OF_SUMS else self.coalesce()
        return source.like(function(source._values(), *args, **kwargs))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{name}` of the values, which leaves the other elements zero."
    return method


for _name in (*ZERO_STAYS, "__neg__", "__abs__"):
    setattr(SparseTensor, _name, _on_values(_name))


def _casts(name: str) -> Callable[..., SparseTensor]:
    function: Callable[..., Tensor] = getattr(Tensor, name)

    def method(self: SparseTensor, memory_format: Any = None) -> SparseTensor:
        values = function(self._values())
        return self if values is self._values() else self.like(values)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"The tensor with values cast as by `Tensor.{name}`."
    return method


for _name in "float double half bfloat16 long int short char byte bool cfloat cdouble".split():
    setattr(SparseTensor, _name, _casts(_name))


def add(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """self + alpha · other; sparse if both are.

    Raises:
        RuntimeError: sparse + dense (write dense + sparse), sizes that differ: nothing broadcasts.
    """
    if not isinstance(other, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(self, SparseTensor):
        return _added_to_dense(self, other, alpha)
    if tuple(self.shape) != tuple(other.shape) or self.sparse_dim() != other.sparse_dim():
        raise _sizes_differ(self, other)
    values = cat([self._values(), other._values() if alpha == 1 else other._values() * alpha])
    return SparseTensor(cat([self._indices(), other._indices()], 1), values, self.shape).coalesce()


def _sizes_differ(first: Tensor, second: Tensor) -> RuntimeError:
    return RuntimeError(f"add: expected 'self' and 'other' to have same size, but self has size {list(first.shape)} "
                        f"while other has size {list(second.shape)}")  # fmt: skip


def _added_to_dense(dense: Tensor, sparse: SparseTensor, alpha: Any) -> Tensor:
    """A dense tensor with the elements of ``sparse`` added, which does not broadcast."""
    if tuple(dense.shape) != tuple(sparse.shape):
        raise _sizes_differ(dense, sparse)
    added: Tensor = dense + (sparse.to_dense() if alpha == 1 else sparse.to_dense() * alpha)
    return added


def sub(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """self − alpha · other; see `add`.

    Raises:
        RuntimeError: also, a bool operand.
    """
    if bool_ in (getattr(self, "dtype", None), getattr(other, "dtype", None)):
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported; cast it first")
    return add(self, other, alpha=-alpha)


def mul(self: SparseTensor, other: Any) -> SparseTensor:
    """self · other, elementwise; sparse, since zeros stay zero.

    Args:
        self: a sparse tensor, or with ``other`` sparse any tensor.
        other: a number, a tensor that broadcasts to ``self``'s shape, or a sparse tensor of that shape.

    Raises:
        RuntimeError: shapes that do not fit.
    """
    if not isinstance(self, SparseTensor):
        return mul(other, self)
    if isinstance(other, SparseTensor):
        return _product(self.coalesce(), other.coalesce())
    if is_scalar(other) or other.ndim == 0:
        return self.like(self._values() * other)
    return self.like(self._values() * other.expand(self.shape)[tuple(self._indices())])


def _product(first: SparseTensor, second: SparseTensor) -> SparseTensor:
    if tuple(first.shape) != tuple(second.shape) or first.sparse_dim() != second.sparse_dim():
        raise RuntimeError(f"mul operands have incompatible sizes {list(first.shape)} and {list(second.shape)}")
    ours, theirs = first.flat_places(), second.flat_places()
    if not len(ours) or not len(theirs):
        none: Any = first._values()[:0] * second._values()[:0]
        return SparseTensor(first._indices()[:, :0], none, first.shape, coalesced=True)
    found = searchsorted(theirs, ours).clamp(max=len(theirs) - 1)
    both = nonzero(theirs[found] == ours)[:, 0]
    values = first._values()[both] * second._values()[found[both]]
    return SparseTensor(first._indices()[:, both], values, first.shape, coalesced=True)


def div(self: SparseTensor, other: Any, *, rounding_mode: str | None = None) -> SparseTensor:
    """self / other for a number or 0-dim tensor. RuntimeError: anything else, since 0 / 0 is not zero."""
    if not is_scalar(other) and (isinstance(other, SparseTensor) or other.ndim):
        raise RuntimeError("div: a sparse tensor can only be divided by a number or a 0-dim tensor")
    return self.like(self._values().div(other, rounding_mode=rounding_mode))


def pow(self: SparseTensor, exponent: Any) -> SparseTensor:
    """self to the power of a positive number. RuntimeError: another exponent, since 0⁰ is not zero."""
    if not is_scalar(exponent) or isinstance(exponent, complex) or exponent <= 0:
        raise RuntimeError(f"pow: a sparse tensor needs a positive number as exponent, not {exponent!r}")
    merged = self.coalesce()
    return merged.like(merged._values().pow(exponent))


def _reflected(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(self: SparseTensor, other: Any) -> Tensor:
        if not isinstance(other, Tensor):
            raise RuntimeError(
                f"{function.__name__}(number, sparse) is not supported: the result has no zeros; call .to_dense() first"
            )
        return function(other, self)

    return method


def _inplace(name: str, function: Callable[..., Tensor]) -> Callable[..., SparseTensor]:
    def method(self: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
        if self.requires_grad and self.is_leaf and is_grad_enabled():
            raise RuntimeError(f"{name}: a leaf Variable that requires grad is being used in an in-place operation. "
                               f"Update it inside `with lazygrad.no_grad():`")  # fmt: skip
        result = function(self, *args, **kwargs)
        assert isinstance(result, SparseTensor)
        check_castable(result.dtype, self.dtype, name)
        self._places, self._merged = result._places, result._merged
        self._entries = result._entries.to(self.dtype)
        return self

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"In-place version of `{function.__name__}`."
    return method


_METHODS: dict[str, Callable[..., Tensor]] = {"add": add, "sub": sub, "mul": mul, "div": div}
_METHODS |= {f"{name}_": _inplace(f"{name}_", function) for name, function in _METHODS.items()}
_METHODS |= {
    "__add__": add,
    "__radd__": _reflected(add),
    "__sub__": sub,
    "__rsub__": _reflected(sub),
    "__mul__": mul,
    "__rmul__": mul,
    "__truediv__": div,
    "__pow__": pow,
    "pow": pow,
    "__iadd__": _METHODS["add_"],
    "__isub__": _METHODS["sub_"],
    "__imul__": _METHODS["mul_"],
    "__itruediv__": _METHODS["div_"],
}
for _name, _function in _METHODS.items():
    setattr(SparseTensor, _name, _function)
