"""Bad input to special functions, statistics and what joins or cuts tensors."""

from __future__ import annotations

from tests.oracle.cases import ErrorCase
from tests.oracle.recipes import booleans, floats, integers

_X = floats(3, 4, requires_grad=False)
_WHOLE = integers(3, 4)
_MASK = booleans(3, 4)

_POINTWISE = [
    ErrorCase("gcd of floats", lambda t, x: t.gcd(x, x), (_X,)),
    ErrorCase("lcm of bools", lambda t, m: t.lcm(m, m), (_MASK,)),
    ErrorCase("hypot of integers", lambda t, w: t.hypot(w, w), (_WHOLE,)),
    ErrorCase("hypot with a number", lambda t, x: t.hypot(x, 2.0), (_X,)),
    ErrorCase("logaddexp of integers", lambda t, w: t.logaddexp(w, w), (_WHOLE,)),
    ErrorCase("nextafter of integers", lambda t, w: t.nextafter(w, w), (_WHOLE,)),
    ErrorCase("heaviside of two dtypes", lambda t, x, w: t.heaviside(x, w), (_X, _WHOLE)),
    ErrorCase("igamma with a number", lambda t, x: t.igamma(x, 2.0), (_X,)),
    ErrorCase(
        "igamma's first gradient",
        lambda t, x: t.autograd.grad(t.igamma(x, x.detach()).sum(), x),
        (floats(3),),
        data_dependent=True,
    ),
    ErrorCase("polygamma of a negative order", lambda t, x: t.polygamma(-1, x), (_X,)),
    ErrorCase("polygamma of a float order", lambda t, x: t.polygamma(1.5, x), (_X,)),
    ErrorCase("mvlgamma of order 0", lambda t, x: t.mvlgamma(x, 0), (_X,)),
    ErrorCase("xlogy of numbers", lambda t: t.xlogy(2.0, 3.0)),
    ErrorCase("zeta of numbers", lambda t: t.special.zeta(2.0, 3.0)),
    ErrorCase("frexp of integers", lambda t, w: t.frexp(w), (_WHOLE,)),
    ErrorCase("erfinv of a list", lambda t: t.special.erfinv([0.5])),
    ErrorCase("copysign in place into integers", lambda t, w: w.copysign_(w), (_WHOLE,)),
]

_STATISTICS = [
    ErrorCase("cummax out of range", lambda t, x: t.cummax(x, 2), (_X,)),
    ErrorCase("logcumsumexp of integers", lambda t, w: t.logcumsumexp(w, 0), (_WHOLE,)),
    ErrorCase("quantile of integers", lambda t, w: t.quantile(w, 0.5), (_WHOLE,)),
    ErrorCase("quantile beyond 1", lambda t, x: t.quantile(x, 1.5), (_X,)),
    ErrorCase("quantile of nothing", lambda t: t.quantile(t.zeros(0), 0.5)),
    ErrorCase("quantile of another dtype", lambda t, x: t.quantile(x, t.tensor([0.5], dtype=t.float64)), (_X,)),
    ErrorCase("quantile with an unknown word", lambda t, x: t.quantile(x, 0.5, interpolation="no"), (_X,)),
    ErrorCase("nanmean of integers", lambda t, w: t.nanmean(w), (_WHOLE,)),
    ErrorCase("nanmedian of bools", lambda t, m: t.nanmedian(m), (_MASK,)),
    ErrorCase("mode of an empty dim", lambda t: t.mode(t.zeros(0, 3), 0)),
    ErrorCase("bincount of negative numbers", lambda t: t.bincount(t.tensor([-1]))),
    ErrorCase("bincount of floats", lambda t, x: t.bincount(x[0]), (_X,)),
    ErrorCase("bincount of a matrix", lambda t, w: t.bincount(w), (_WHOLE,)),
    ErrorCase("histc of a reversed range", lambda t, x: t.histc(x, 3, 2, 1), (_X,)),
    ErrorCase("histc without bins", lambda t, x: t.histc(x, 0), (_X,)),
    ErrorCase("histogram of integers", lambda t, w: t.histogram(w, 3), (_WHOLE,)),
    ErrorCase("histogram of weights that differ", lambda t, x: t.histogram(x, 3, weight=x[0]), (_X,)),
    ErrorCase("cov of a cube", lambda t: t.cov(t.zeros(2, 3, 4))),
    ErrorCase("cov of bools", lambda t, m: t.cov(m), (_MASK,)),
    ErrorCase("cov with float counts", lambda t, x: t.cov(x, fweights=x[0]), (_X,)),
    ErrorCase("diff of 0-dim", lambda t: t.diff(t.tensor(1.0))),
    ErrorCase("diff of a negative order", lambda t, x: t.diff(x, -1), (_X,)),
    ErrorCase("gradient of one element", lambda t: t.gradient(t.zeros(1))),
    ErrorCase("gradient of too many spacings", lambda t, x: t.gradient(x, spacing=[1.0, 2.0, 3.0]), (_X,)),
    ErrorCase("gradient of order 3", lambda t, x: t.gradient(x, edge_order=3), (_X,)),
    ErrorCase("trapezoid of lengths that differ", lambda t, x: t.trapezoid(x, t.zeros(5)), (_X,)),
    ErrorCase("isin of numbers", lambda t: t.isin(1, 2)),
]

_PARTS = [
    ErrorCase("cartesian_prod of a matrix", lambda t, x: t.cartesian_prod(x), (_X,)),
    ErrorCase("combinations of a matrix", lambda t, x: t.combinations(x), (_X,)),
    ErrorCase("block_diag of a cube", lambda t: t.block_diag(t.zeros(2, 2, 2))),
    ErrorCase("dstack of nothing", lambda t: t.dstack([])),
    ErrorCase("hsplit into unequal parts", lambda t, x: t.hsplit(x, 3), (_X,)),
    ErrorCase("vsplit of a vector", lambda t, x: t.vsplit(x[0], 2), (_X,)),
    ErrorCase("select_scatter of another shape", lambda t, x: t.select_scatter(x, t.zeros(2), 0, 0), (_X,)),
    ErrorCase("diagonal_scatter of another shape", lambda t, x: t.diagonal_scatter(x, t.zeros(2)), (_X,)),
    ErrorCase("put out of range", lambda t, x: x.put(t.tensor([12]), t.zeros(1)), (_X,), data_dependent=True),
    ErrorCase("put of another dtype", lambda t, x: x.put(t.tensor([1]), t.zeros(1, dtype=t.int64)), (_X,)),
    ErrorCase("put of too few", lambda t, x: x.put(t.tensor([1, 2]), t.zeros(1)), (_X,)),
    ErrorCase("index_reduce by sum", lambda t, x: x.index_reduce(0, t.tensor([0]), x[:1], "sum"), (_X,)),
    ErrorCase("nonzero_static of size -1", lambda t, x: t.nonzero_static(x, size=-1), (_X,)),
    ErrorCase("unravel_index of floats", lambda t, x: t.unravel_index(x, (12,)), (_X,)),
    ErrorCase("sum_to_size that does not expand", lambda t, x: x.sum_to_size(2, 4), (_X,)),
    ErrorCase("apply_ to a tensor with gradient", lambda t: t.ones(2, requires_grad=True).apply_(abs)),
    ErrorCase("is_nonzero of several", lambda t, x: x.is_nonzero(), (_X,)),
    ErrorCase("vander of 0-dim", lambda t: t.vander(t.tensor(1.0))),
    ErrorCase("pixel_unshuffle by 3", lambda t: t.pixel_unshuffle(t.zeros(1, 4, 4), 3)),
    ErrorCase("channel_shuffle by 4", lambda t: t.channel_shuffle(t.zeros(1, 6, 2), 4)),
]

CASES: list[ErrorCase] = [*_POINTWISE, *_STATISTICS, *_PARTS]
