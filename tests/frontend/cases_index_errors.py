"""Bad indices, bad in-place writes, and bad arguments of the functions of nn.functional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import ErrorCase
from tests.oracle.recipes import exactly, floats, integers

_X = floats(3, 4, requires_grad=False)
_LEAF = floats(3, 4)
_WHOLE = integers(3, 4)


def _functional(name: str, *arguments: Any, **keywords: Any) -> Callable[..., Any]:
    return lambda t, *tensors: getattr(t.nn.functional, name)(*tensors, *arguments, **keywords)


def _assign(x: Any, index: Any, value: Any) -> Any:
    x[index] = value
    return x


_INDICES = [
    ErrorCase("x[3]", lambda t, x: x[3], (_X,)),
    ErrorCase("x[-4]", lambda t, x: x[-4], (_X,)),
    ErrorCase("x[0, 0, 0]", lambda t, x: x[0, 0, 0], (_X,)),
    ErrorCase("x[0] of 0-dim", lambda t: t.tensor(1.0)[0]),
    ErrorCase("x[::-1]", lambda t, x: x[::-1], (_X,)),
    ErrorCase("x[::0]", lambda t, x: x[::0], (_X,)),
    ErrorCase("x[1.5]", lambda t, x: x[1.5], (_X,)),
    ErrorCase("x['a']", lambda t, x: x["a"], (_X,)),
    ErrorCase("x[tensor out of range]", lambda t, x: x[t.tensor([0, 3])], (_X,), data_dependent=True),
    ErrorCase("x[float tensor]", lambda t, x: x[t.tensor([0.0, 1.0])], (_X,)),
    ErrorCase("x[mask of a wrong length]", lambda t, x: x[t.tensor([True, False])], (_X,)),
    ErrorCase("x[mask of too many dims]", lambda t, x: x[t.ones(3, 4, 1, dtype=t.bool)], (_X,)),
    ErrorCase("x[indices that do not broadcast]", lambda t, x: x[t.tensor([0, 1]), t.tensor([0, 1, 2])], (_X,)),
    ErrorCase("x[3] = 1", lambda t, x: _assign(x, 3, 1), (_X,)),
    ErrorCase("x[0] = wrong shape", lambda t, x: _assign(x, 0, t.ones(3)), (_X,)),
    ErrorCase("x[mask] = wrong count", lambda t, x: _assign(x, x > -9, t.ones(5)), (_X,), data_dependent=True),
    ErrorCase("x[index] = wrong shape", lambda t, x: _assign(x, t.tensor([0, 1]), t.ones(3, 4)), (_X,)),
    ErrorCase("x[0] = a string", lambda t, x: _assign(x, 0, "a"), (_X,)),
    ErrorCase("x[index] = another dtype", lambda t, x: _assign(x, t.tensor([0, 1]), t.ones(4).double()), (_X,)),
    ErrorCase("delete an item", lambda t, x: x.__delitem__(0), (_X,)),
]

_BY_INDEX = [
    ErrorCase("index_select with floats", lambda t, x: t.index_select(x, 0, t.tensor([0.0])), (_X,)),
    ErrorCase("index_select with a matrix", lambda t, x: t.index_select(x, 0, t.tensor([[0]])), (_X,)),
    ErrorCase(
        "index_select out of range", lambda t, x: t.index_select(x, 0, t.tensor([3])), (_X,), data_dependent=True
    ),
    ErrorCase("gather of a wrong rank", lambda t, x: t.gather(x, 0, t.tensor([0])), (_X,)),
    ErrorCase("gather of a wrong size", lambda t, x: t.gather(x, 1, t.zeros(4, 2, dtype=t.int64)), (_X,)),
    ErrorCase("gather out of range", lambda t, x: t.gather(x, 1, t.full((3, 1), 4)), (_X,), data_dependent=True),
    ErrorCase("scatter of two dtypes", lambda t, x, w: x.scatter(1, w[:, :1] * 0, w), (_X, _WHOLE)),
    ErrorCase("scatter out of range", lambda t, x: x.scatter(1, t.full((3, 1), 4), 1.0), (_X,), data_dependent=True),
    ErrorCase("masked_fill with integers", lambda t, x, w: x.masked_fill(w, 0.0), (_X, _WHOLE)),
    ErrorCase("masked_fill with a vector", lambda t, x: x.masked_fill(x > 0, t.ones(2)), (_X,)),
    ErrorCase("masked_select with integers", lambda t, x, w: x.masked_select(w), (_X, _WHOLE)),
    ErrorCase(
        "one_hot of a negative class", _functional("one_hot", 3), (exactly([-1, 0], "int64"),), data_dependent=True
    ),
    ErrorCase(
        "one_hot of a class out of range", _functional("one_hot", 3), (exactly([3], "int64"),), data_dependent=True
    ),
    ErrorCase("one_hot of floats", _functional("one_hot", 3), (floats(2),)),
    ErrorCase("embedding with floats", _functional("embedding"), (floats(2), floats(3, 2))),
    ErrorCase(
        "embedding out of range", _functional("embedding"), (exactly([3], "int64"), floats(3, 2)), data_dependent=True
    ),
]

_IN_PLACE = [
    ErrorCase("in place on a leaf", lambda t, x: x.add_(1), (_LEAF,)),
    ErrorCase("item of a leaf", lambda t, x: _assign(x, 0, 1.0), (_LEAF,)),
    ErrorCase("in place on a view of a leaf", lambda t, x: x[0].mul_(2), (_LEAF,)),
    ErrorCase("in place on an expanded view", lambda t, x: x[:1].expand(3, 4).add_(1), (_X,)),
    ErrorCase("in place result does not fit", lambda t, w: w.add_(1.5), (_WHOLE,)),
    ErrorCase("in place division of integers", lambda t, w: w.div_(2), (_WHOLE,)),
    ErrorCase("in place exp of integers", lambda t, w: w.exp_(), (_WHOLE,)),
    ErrorCase("in place result has another shape", lambda t, x, y: x[0].add_(y), (_X, _X)),
    ErrorCase("copy_ of a wrong shape", lambda t, x: x.copy_(t.ones(5)), (_X,)),
    ErrorCase("requires_grad_ of integers", lambda t, w: w.requires_grad_(), (_WHOLE,)),
    ErrorCase("requires_grad of a result", lambda t, x: setattr(x * 2, "requires_grad", False), (_LEAF,)),
    ErrorCase("fill_ with a vector", lambda t, x: x.fill_(t.ones(2)), (_X,)),
]

_FUNCTIONAL = [
    ErrorCase("conv2d of wrong channels", _functional("conv2d"), (floats(1, 3, 5, 5), floats(2, 4, 3, 3))),
    ErrorCase("conv2d of a wrong rank", _functional("conv2d"), (floats(3, 5), floats(2, 3, 3, 3))),
    ErrorCase("conv2d of a kernel too large", _functional("conv2d"), (floats(1, 3, 2, 2), floats(2, 3, 3, 3))),
    ErrorCase(
        "conv2d with strided same padding",
        _functional("conv2d", stride=2, padding="same"),
        (floats(1, 3, 5, 5), floats(2, 3, 3, 3)),
    ),
    ErrorCase("conv2d with stride 0", _functional("conv2d", stride=0), (floats(1, 3, 5, 5), floats(2, 3, 3, 3))),
    ErrorCase(
        "conv2d with negative padding", _functional("conv2d", padding=-1), (floats(1, 3, 5, 5), floats(2, 3, 3, 3))
    ),
    ErrorCase("conv2d with a wrong bias", _functional("conv2d"), (floats(1, 3, 5, 5), floats(2, 3, 3, 3), floats(3))),
    ErrorCase(
        "conv2d of indivisible groups", _functional("conv2d", groups=2), (floats(1, 3, 5, 5), floats(2, 3, 3, 3))
    ),
    ErrorCase("conv1d of a matrix weight", _functional("conv1d"), (floats(1, 3, 5), floats(2, 3))),
    ErrorCase("max_pool2d of too much padding", _functional("max_pool2d", 2, padding=2), (floats(1, 1, 4, 4),)),
    ErrorCase("max_pool2d of a wrong rank", _functional("max_pool2d", 2), (floats(4, 4),)),
    ErrorCase("max_pool2d larger than its input", _functional("max_pool2d", 5), (floats(1, 1, 4, 4),)),
    ErrorCase("avg_pool2d larger than its input", _functional("avg_pool2d", 5), (floats(1, 1, 4, 4),)),
    ErrorCase("dropout with p = 2", _functional("dropout", p=2.0), (_X,)),
    ErrorCase("layer_norm of a wrong shape", _functional("layer_norm", (5,)), (_X,)),
    ErrorCase("group_norm of indivisible channels", _functional("group_norm", 3), (floats(2, 4, 3),)),
    ErrorCase(
        "batch_norm of one value per channel",
        lambda t, x: t.nn.functional.batch_norm(x, None, None, training=True),
        (floats(1, 3),),
    ),
    ErrorCase(
        "batch_norm with wrong statistics",
        lambda t, x: t.nn.functional.batch_norm(x, t.ones(4), t.ones(4)),
        (floats(2, 3),),
    ),
    ErrorCase(
        "attention with a mask and causal",
        lambda t, x: t.nn.functional.scaled_dot_product_attention(x, x, x, t.ones(3, 3), is_causal=True),
        (floats(1, 3, 4),),
    ),
    ErrorCase("cross_entropy of a wrong batch", _functional("cross_entropy"), (_X, exactly([0, 1], "int64"))),
    ErrorCase("cross_entropy of float classes", _functional("cross_entropy"), (_X, floats(3))),
    ErrorCase(
        "cross_entropy with an unknown reduction",
        _functional("cross_entropy", reduction="no"),
        (_X, exactly([0, 1, 2], "int64")),
    ),
    ErrorCase(
        "cross_entropy with wrong weights",
        lambda t, x, y: t.nn.functional.cross_entropy(x, y, weight=t.ones(3)),
        (_X, exactly([0, 1, 2], "int64")),
    ),
    ErrorCase("mse_loss that does not broadcast", _functional("mse_loss"), (_X, floats(3, 5))),
    ErrorCase("mse_loss with an unknown reduction", _functional("mse_loss", reduction="no"), (_X, _X)),
    ErrorCase("binary_cross_entropy of a wrong shape", _functional("binary_cross_entropy"), (_X, floats(3))),
    ErrorCase("glu of an odd size", _functional("glu"), (floats(2, 3),)),
]

CASES: list[ErrorCase] = [*_INDICES, *_BY_INDEX, *_IN_PLACE, *_FUNCTIONAL]
