"""Arithmetic of sparse tensors: with numbers, with tensors in memory, and with each other.

What maps zero to zero is computed on the values; sums of sparse tensors join their places, products keep those that
both have. Operators prefer these methods to those of `Tensor`, since a `SparseTensor` is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.dtype import bool_
from lazygrad.ir.node import next_serial
from lazygrad.ops.arguments.old_order import with_factor_between
from lazygrad.ops.arguments.operands import is_scalar
from lazygrad.ops.arguments.registering import write
from lazygrad.ops.indexing.masking import nonzero
from lazygrad.ops.reductions.sorting import searchsorted
from lazygrad.ops.shapes.joining import cat
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor, check_castable

_CHANGED = (
    "abs absolute asin arcsin asinh arcsinh atan arctan atanh arctanh ceil conj_physical deg2rad erf erfinv expm1 "
    "floor frac log1p nan_to_num neg negative rad2deg relu round sgn sign sin sinh sqrt tan tanh trunc fix"
).split()
ZERO_STAYS = [*_CHANGED, *"conj square isinf isnan isneginf isposinf signbit".split()]
_OF_SUMS = set("neg negative __neg__ conj conj_physical".split())  # what may be done before equal places are added up


def _on_values(name: str) -> Callable[..., SparseTensor]:
    function: Callable[..., Tensor] = getattr(Tensor, name)

    def method(self: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
        source = self if name in _OF_SUMS else self.coalesce()
        return source.like(function(source._values(), *args, **kwargs))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{name}` of the values, which leaves the other elements zero."
    return method


def _on_values_in_place(name: str) -> Callable[..., SparseTensor]:
    function: Callable[..., SparseTensor] = getattr(SparseTensor, name)

    def method(self: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
        if name not in _OF_SUMS and not self.is_coalesced():
            raise RuntimeError(f"{name}_: in-place on uncoalesced tensors is not supported; call .coalesce() first")
        return _written(self, function(self, *args, **kwargs), f"{name}_")

    method.__name__ = method.__qualname__ = f"{name}_"
    method.__doc__ = f"In-place version of `{name}`. RuntimeError: the tensor has to be coalesced first."
    return method


def _written(target: SparseTensor, result: Tensor, name: str) -> SparseTensor:
    """``target`` with the places and values of ``result``, in its own dtype.

    Raises:
        RuntimeError: a leaf that requires gradients; a dtype that cannot become the target's.
    """
    if target.requires_grad and target.is_leaf and is_grad_enabled():
        raise RuntimeError(f"{name}: a leaf Variable that requires grad is being used in an in-place operation. "
                           f"Update it inside `with lazygrad.no_grad():`")  # fmt: skip
    assert isinstance(result, SparseTensor)
    check_castable(result.dtype, target.dtype, name)
    target._places, target._merged, target._size = result._places, result._merged, result._size
    target._entries = result._entries.to(target.dtype)
    return target


for _name in (*ZERO_STAYS, "__neg__", "__abs__"):
    setattr(SparseTensor, _name, _on_values(_name))
for _name in _CHANGED:
    setattr(SparseTensor, f"{_name}_", _on_values_in_place(_name))


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


def add(self: Tensor, other: Any, *old: Any, alpha: Any = 1) -> Tensor:
    """self + alpha · other; sparse if both are.

    Raises:
        RuntimeError: sparse + dense (write dense + sparse), sizes that differ: nothing broadcasts.
    """
    if old:
        return with_factor_between(add, self, other, old, {} if alpha == 1 else {"alpha": alpha})
    if not isinstance(other, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(self, SparseTensor):
        return _added_to_dense(self, other, alpha)
    if tuple(self.shape) != tuple(other.shape) or self.sparse_dim() != other.sparse_dim():
        raise _sizes_differ(self, other)
    values = cat([self._values(), other._values() if alpha == 1 else other._values() * alpha])
    total = SparseTensor(cat([self._indices(), other._indices()], 1), values, self.shape).coalesce()
    return _known_sorted(total, self, other)


def _known_sorted(result: SparseTensor, *operands: SparseTensor) -> SparseTensor:
    """A result that is sorted, and says so if the operands did, as PyTorch's does."""
    result._merged = result._nnz() < 2 or all([operand.is_coalesced() for operand in operands])
    return result


def _sizes_differ(first: Tensor, second: Tensor) -> RuntimeError:
    return RuntimeError(f"add: expected 'self' and 'other' to have same size, but self has size {list(first.shape)} "
                        f"while other has size {list(second.shape)}")  # fmt: skip


def _added_to_dense(dense: Tensor, sparse: SparseTensor, alpha: Any) -> Tensor:
    """A dense tensor with the elements of ``sparse`` added, which does not broadcast."""
    if tuple(dense.shape) != tuple(sparse.shape):
        raise _sizes_differ(dense, sparse)
    added: Tensor = dense + (sparse.to_dense() if alpha == 1 else sparse.to_dense() * alpha)
    return added


def sub(self: Tensor, other: Any, *old: Any, alpha: Any = 1) -> Tensor:
    """self − alpha · other; see `add`.

    Raises:
        RuntimeError: also, a bool operand.
    """
    if old:
        return with_factor_between(sub, self, other, old, {} if alpha == 1 else {"alpha": alpha})
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
        return _known_sorted(_product(self.coalesce(), other.coalesce()), self, other)
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


def div(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> SparseTensor:
    """self / other for a number or 0-dim tensor. RuntimeError: anything else, since 0 / 0 is not zero."""
    if not isinstance(self, SparseTensor) or (not is_scalar(other) and (isinstance(other, SparseTensor) or other.ndim)):
        raise RuntimeError("div: a sparse tensor can only be divided by a number or a 0-dim tensor")
    source = self if rounding_mode is None else self.coalesce()  # a sum of rounded numbers is another one
    return source.like(source._values().div(other, rounding_mode=rounding_mode))


def floor_divide(self: SparseTensor, other: Any) -> SparseTensor:
    """self / other, rounded down; see `div`."""
    return div(self, other, rounding_mode="floor")


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


def _inplace(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        since = next_serial()
        result = function(self, *args, **kwargs)
        if isinstance(self, SparseTensor):
            return _written(self, result, name)
        return write(self, result.to_dense() if isinstance(result, SparseTensor) else result, name, since)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"In-place version of `{function.__name__}`."
    return method


def zero_(self: SparseTensor) -> SparseTensor:
    """Let no place be left."""
    return _written(self, self._without_places(tuple(self.shape)), "zero_")


def copy_(self: SparseTensor, src: Tensor, non_blocking: bool = False) -> SparseTensor:
    """Take over places and values of a sparse tensor, cast to this dtype.

    Raises:
        RuntimeError: one of the two is in memory, another size, or a leaf that requires gradients.
    """
    if not isinstance(src, SparseTensor) or not isinstance(self, SparseTensor):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Call .to_dense() first")
    if tuple(src.shape) != tuple(self.shape):
        raise RuntimeError(f"copy_: sizes of sparse tensors differ: {list(self.shape)} and {list(src.shape)}")
    return _written(self, src.to(self.dtype), "copy_")


_METHODS: dict[str, Callable[..., Tensor]] = {"add": add, "sub": sub, "subtract": sub, "mul": mul, "multiply": mul}
_METHODS |= {"div": div, "divide": div, "true_divide": div, "floor_divide": floor_divide}
_METHODS |= {f"{name}_": _inplace(f"{name}_", function) for name, function in _METHODS.items()}
_METHODS |= {
    "__add__": add,
    "__radd__": _reflected(add),
    "__sub__": sub,
    "__rsub__": _reflected(sub),
    "__mul__": mul,
    "__rmul__": mul,
    "__truediv__": div,
    "__floordiv__": floor_divide,
    "__pow__": pow,
    "pow": pow,
    "zero_": zero_,
    "copy_": copy_,
    "__iadd__": _METHODS["add_"],
    "__isub__": _METHODS["sub_"],
    "__imul__": _METHODS["mul_"],
    "__itruediv__": _METHODS["div_"],
    "__ifloordiv__": _METHODS["floor_divide_"],
}
for _name, _function in _METHODS.items():
    setattr(SparseTensor, _name, _function)
