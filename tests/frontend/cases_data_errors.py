"""Calls whose data can be wrong: with good data PyTorch computes, with bad data it raises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Call = Callable[[Any, Any, Any], Any]  # (framework, x, data) -> result

X = [[0.5, -1.0, 2.0, 0.25], [1.5, 0.125, -0.5, 3.0], [0.0, 1.0, -2.0, 0.75]]


@dataclass(frozen=True)
class DataCase:
    """One function, and data of it that PyTorch refuses.

    Attributes:
        name: of the test.
        call: of a framework, a floating matrix of 3 rows and 4 columns, and the data.
        good, bad: the data.
        words: a regular expression that PyTorch's message and ours match.
        is_probability: the matrix is squeezed into (0, 1) first.
        without_gradient: the result has none.
    """

    name: str
    call: Call
    good: Any
    bad: Any
    words: str
    is_probability: bool = False
    without_gradient: bool = False

    def __str__(self) -> str:
        return self.name


def _functional(name: str, **options: Any) -> Call:
    return lambda m, x, data: getattr(m.nn.functional, name)(x, data, **options)


def _weighted(name: str) -> Call:
    return lambda m, x, data: getattr(m.nn.functional, name)(x, data, weight=m.tensor([1.0, 2.0, 3.0, 0.5]))


def _images(name: str) -> Call:
    return lambda m, x, data: getattr(m.nn.functional, name)(x.reshape(1, 3, 2, 2), data)


def _planes(name: str) -> Call:
    return lambda m, x, data: getattr(m.nn.functional, name)(x[0].reshape(1, 1, 2, 2), data.reshape(1, 1, 2, 2), 2)


def _sorted_by(m: Any, x: Any, data: Any) -> Any:
    return m.searchsorted(x[0], m.tensor([0.3]), sorter=data)


_CLASS = r"[Tt]arget.* out of (bounds|range)"
_INDEX = r"out of (range|bounds)"

LOSSES = [
    DataCase("cross_entropy", _functional("cross_entropy"), [0, 3, 1], [0, 4, 1], _CLASS),
    DataCase("cross_entropy below", _functional("cross_entropy"), [0, 3, -100], [0, -1, 1], _CLASS),
    DataCase("cross_entropy sum", _functional("cross_entropy", reduction="sum"), [0, 3, 1], [0, 1, 4], _CLASS),
    DataCase("cross_entropy none", _functional("cross_entropy", reduction="none"), [0, 3, 1], [9, 1, 0], _CLASS),
    DataCase("cross_entropy smooth", _functional("cross_entropy", label_smoothing=0.1), [0, 3, 1], [0, 4, 1], _CLASS),
    DataCase("cross_entropy weighted", _weighted("cross_entropy"), [0, 3, 1], [0, 4, 1], _CLASS),
    DataCase("cross_entropy images", _images("cross_entropy"), [[[0, 1], [2, 1]]], [[[0, 1], [3, 1]]], _CLASS),
    DataCase("nll_loss", _functional("nll_loss"), [0, 3, 1], [0, 4, 1], _CLASS),
    DataCase("nll_loss below", _functional("nll_loss"), [0, 3, -100], [0, -1, 1], _CLASS),
    DataCase("nll_loss weighted", _weighted("nll_loss"), [0, 3, 1], [0, -2, 1], _CLASS),
    DataCase("nll_loss images", _images("nll_loss"), [[[0, 1], [2, 1]]], [[[0, 1], [3, 1]]], _CLASS),
    DataCase("multi_margin_loss", _functional("multi_margin_loss"), [0, 3, 1], [0, -1, 1], _CLASS),
    DataCase("multilabel_margin_loss", _functional("multilabel_margin_loss"),
             [[0, 3, -1, 0]] * 3, [[0, 3, -1, 4]] * 3, _CLASS),
    DataCase("binary_cross_entropy target", _functional("binary_cross_entropy"), [[0.5, 0.0, 1.0, 0.1]] * 3,
             [[0.5, 0.0, 1.5, 0.1]] * 3, "all elements of target should be between 0 and 1", is_probability=True),
    DataCase("binary_cross_entropy input", lambda m, x, data: m.nn.functional.binary_cross_entropy(x * data, x * 0),
             1.0, 2.0, "all elements of input should be between 0 and 1", is_probability=True),
    DataCase("binary_cross_entropy NaN", lambda m, x, data: m.nn.functional.binary_cross_entropy(x * data, x * 0),
             1.0, float("nan"), "all elements of input should be between 0 and 1", is_probability=True),
    DataCase("gaussian_nll_loss", lambda m, x, data: m.nn.functional.gaussian_nll_loss(x, x * 2, data),
             [[1.0]] * 3, [[1.0], [-1.0], [2.0]], "var has negative entry/entries"),
]  # fmt: skip

_ROWS = [[0, 3, 1, 1]] * 3

INDEXING = [
    DataCase("embedding", lambda m, x, data: m.nn.functional.embedding(data, x), [[0, 2]], [[0, 3]], _INDEX),
    DataCase("embedding below", lambda m, x, data: m.nn.functional.embedding(data, x), [[0, 2]], [[0, -1]], _INDEX),
    DataCase("embedding_bag", lambda m, x, data: m.nn.functional.embedding_bag(data, x), [[0, 2]], [[0, 3]],
             r"not in the valid range|out of bounds"),
    DataCase("embedding_bag offsets", lambda m, x, data: m.nn.functional.embedding_bag(m.tensor([0, 2, 1]), x, data),
             [0, 2], [1, 2], r"offsets\[0\] has to be 0"),
    DataCase("embedding_bag end", lambda m, x, data: m.nn.functional.embedding_bag(m.tensor([0, 2, 1]), x, data),
             [0, 2], [0, 4], r"can not be greater than"),
    DataCase("gather", lambda m, x, data: m.gather(x, 1, data), [[0, 3]] * 3, [[0, 4]] * 3, _INDEX),
    DataCase("gather below", lambda m, x, data: m.gather(x, 1, data), [[0, 3]] * 3, [[0, -1]] * 3, _INDEX),
    DataCase("take_along_dim flat", lambda m, x, data: m.take_along_dim(x, data), [1, 3], [1, 99], _INDEX),
    DataCase("take", lambda m, x, data: m.take(x, data), [-1, 11], [12], _INDEX),
    DataCase("index_select", lambda m, x, data: m.index_select(x, 0, data), [0, 2], [0, 3], _INDEX),
    DataCase("index_select below", lambda m, x, data: m.index_select(x, 0, data), [0, 2], [0, -1], _INDEX),
    DataCase("brackets", lambda m, x, data: x[data], [0, -3], [0, 3], _INDEX),
    DataCase("brackets, both", lambda m, x, data: x[m.tensor([0, 1]), data], [0, -4], [0, -5], _INDEX),
    DataCase("scatter", lambda m, x, data: m.scatter(x, 1, data, 2 * x), _ROWS, [[0, 4, 1, 2]] * 3,
             _INDEX),
    DataCase("scatter below", lambda m, x, data: m.scatter(x, 1, data, 2.0), [[0, 3]] * 3, [[0, -1]] * 3, _INDEX),
    DataCase("scatter_add", lambda m, x, data: m.scatter_add(x, 1, data, 2 * x), _ROWS, [[0, -1, 1, 2]] * 3,
             _INDEX),
    DataCase("scatter_reduce", lambda m, x, data: m.scatter_reduce(x, 1, data, 2 * x, "amax"), _ROWS,
             [[0, -1, 1, 2]] * 3, _INDEX),
    DataCase("index_add", lambda m, x, data: m.index_add(x, 0, data, 2 * x), [0, 2, 1], [0, 3, 1], _INDEX),
    DataCase("index_add below", lambda m, x, data: m.index_add(x, 0, data, 2 * x), [0, 2, 1], [0, -1, 1], _INDEX),
    DataCase("index_add vector", lambda m, x, data: m.index_add(x[0], 0, data, x[1]), [0, 2, 1, 3], [0, -1, 1, 0],
             _INDEX),
    DataCase("index_copy", lambda m, x, data: m.index_copy(x, 0, data, 2 * x), [0, 2, 1], [0, -1, 1], _INDEX),
    DataCase("index_fill", lambda m, x, data: m.index_fill(x, 0, data, 2.0), [0, -1], [0, 3], _INDEX),
    DataCase("index_reduce", lambda m, x, data: m.index_reduce(x, 0, data, 2 * x, "amax"), [0, 2, 1], [0, -1, 1],
             _INDEX),
    DataCase("index_put", lambda m, x, data: m.index_put(x, (data,), x[:2], accumulate=True), [0, -1], [0, 3], _INDEX),
    DataCase("put", lambda m, x, data: (x * 1).put_(data, x[0, :2]), [0, -1], [0, 12], _INDEX),
    DataCase("max_unpool2d", _planes("max_unpool2d"), [0, 5, 8, 15], [0, 5, 8, 16], "Found an invalid max index"),
    DataCase("max_unpool2d below", _planes("max_unpool2d"), [0, 5, 8, 15], [0, 5, 8, -1], "Found an invalid max index"),
    DataCase("masked_scatter", lambda m, x, data: m.masked_scatter(x, data, 2 * x[:2]), [[True, False, True, False]],
             [[True, False, True, True]], "Number of elements of source < number of ones in mask"),
    DataCase("searchsorted sorter", _sorted_by, [1, 3, 0, 2], [1, 3, 0, -1], _INDEX, without_gradient=True),
]  # fmt: skip

_SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
_REGULAR = [[2.0, 0.5], [0.5, 1.0]]

MATRICES = [
    DataCase("inv", lambda m, x, data: m.linalg.inv(data + 0 * x[:2, :2]), _REGULAR, _SINGULAR, "singular"),
    DataCase("inverse of a batch", lambda m, x, data: m.inverse(m.stack([m.eye(2), data]) * x[1, 3]), _REGULAR,
             _SINGULAR, r"\(Batch element 1\).*singular"),
    DataCase("solve", lambda m, x, data: m.linalg.solve(data, x[:2]), _REGULAR, _SINGULAR, "singular"),
    DataCase("cholesky", lambda m, x, data: m.linalg.cholesky(data + 0 * x[:2, :2]), _REGULAR, [[1.0, 2.0], [2.0, 1.0]],
             "not positive-definite"),
    DataCase("svd", lambda m, x, data: m.linalg.svdvals(data + 0 * x[:2, :2]), _REGULAR, [[float("nan"), 1.0]] * 2,
             "converge"),
    DataCase("eig", lambda m, x, data: m.linalg.eigvals(data + 0 * x[:2, :2]).real, _REGULAR,
             [[float("nan"), 1.0]] * 2, "infs or NaNs"),
    DataCase("lu_factor", lambda m, x, data: m.linalg.lu_factor(data + 0 * x[:2, :2])[0], _REGULAR, _SINGULAR,
             "zero|singular"),
    DataCase("lu_solve pivots", lambda m, x, data: m.linalg.lu_solve(m.eye(2), data.to(m.int32), x[:2]), [1, 2], [1, 9],
             "[Pp]ivots"),
]  # fmt: skip

INTEGERS = [
    DataCase(name, call, [1, 2], [1, 0], "ZeroDivisionError", without_gradient=True)
    for name, call in (
        ("floor_divide", lambda m, x, data: m.tensor([5, 6]) // data),
        ("divided by", lambda m, x, data: 7 // data),
        ("remainder", lambda m, x, data: m.tensor([5, 6]) % data),
        ("fmod", lambda m, x, data: m.fmod(m.tensor([5, 6]), data)),
        ("trunc", lambda m, x, data: m.div(m.tensor([5, 6]), data, rounding_mode="trunc")),
    )
]


def _lengths(m: Any, x: Any, data: Any) -> Any:
    return m.nn.functional.ctc_loss(x.unsqueeze(1), m.tensor([[1]]), data, m.tensor([1]))


# Their shape or their random numbers depend on the data, so that it is looked at where the call is written.
AT_ONCE = [
    DataCase(
        "one_hot", lambda m, x, data: m.nn.functional.one_hot(data, 3), [0, 2], [0, 3], "smaller than num_classes"
    ),
    DataCase("one_hot below", lambda m, x, data: m.nn.functional.one_hot(data, 3), [0, 2], [-1], "non-negative"),
    DataCase("bincount", lambda m, x, data: m.bincount(data), [0, 2], [-1, 2], "non-negative"),
    DataCase("repeat_interleave", lambda m, x, data: m.repeat_interleave(x[0, :2], data), [0, 2], [-1, 2], "negative"),
    DataCase("multinomial", lambda m, x, data: m.multinomial(data, 1), [0.0, 1.0], [-1.0, 2.0], "element < 0"),
    DataCase("multinomial zeros", lambda m, x, data: m.multinomial(data, 1), [0.0, 1.0], [0.0, 0.0], "<= 0"),
    DataCase("bernoulli", lambda m, x, data: m.bernoulli(data), [0.0, 1.0], [0.0, 2.0], r"p\w* .*(>= 0|\[0, 1\])"),
    DataCase("poisson", lambda m, x, data: m.poisson(data) * 0, [0.0, 1.0], [-1.0], "non-negative"),
    DataCase("normal", lambda m, x, data: m.normal(m.tensor([0.0]), data) * 0, [1.0], [-1.0], "std >= 0.0"),
    DataCase("histc", lambda m, x, data: m.histc(data, 4), [0.0, 1.0], [1.0, float("inf")], "is not finite"),
    DataCase("quantile", lambda m, x, data: m.quantile(x, data), [0.5], [1.5], "must be in the range"),
    DataCase("ctc_loss", _lengths, [3], [4], "input_lengths"),
    DataCase("brackets, a number", lambda m, x, data: x[data], 2, 3, _INDEX),
]

COMPUTED = [*LOSSES, *INDEXING, *MATRICES, *INTEGERS]
DIFFERENTIABLE = [case for case in COMPUTED if not case.without_gradient]

# One of each way in which compiled code can refuse: in an element, in a row, in lanes, in a call, in a call of numpy's.
KERNELS = [
    case for case in COMPUTED
    if case.name in ("cross_entropy", "cross_entropy images", "nll_loss below", "binary_cross_entropy target",
                     "embedding", "gather below", "scatter_add", "inv")
]  # fmt: skip
