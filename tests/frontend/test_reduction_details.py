"""Reductions and selections beyond the families of cases: named results, NaN and ties, halves, nothing to reduce."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest

from tests.frontend.texts import without_device
from tests.oracle.cases import Case, ErrorCase, assert_agrees, assert_raises_alike
from tests.oracle.recipes import Array, booleans, distinct, exactly, floats, integers

from .calls import call

pytestmark = pytest.mark.filterwarnings("ignore")

_CUBE = floats(2, 3, 4)
_NANS = exactly([2.0, nan, -1.0, nan, 3.0])
_TIES = exactly([[1.0, 2.0, 2.0, 3.0], [5.0, 5.0, 5.0, 1.0]])
_ONE_DIM: tuple[dict[str, Any], ...] = ({}, {"dim": 0}, {"dim": -1, "keepdim": True})

_MEDIANS = [
    case
    for name in ("median", "aminmax")
    for case in [
        *(case for options in _ONE_DIM for case in call(name, _CUBE, **options)),
        *call(name, _NANS),
        *call(name, _NANS, dim=0),
        *call(name, _TIES),
        *call(name, distinct(3, 5), dim=1),
        *call(name, floats()),
        *call(name, floats(), dim=0),
        *call(name, floats(3, 5), dim=1, floating="bfloat16", forms="t"),
        *call(name, floats(3, 5), floating="float16", forms="t"),
    ]
] + call("median", floats(0), forms="t", gradient=False)

_KTH = [
    *(case for k in (1, 2, 4) for case in call("kthvalue", _CUBE, k)),
    *call("kthvalue", _CUBE, k=1, dim=0, keepdim=True),
    *call("kthvalue", floats(), 1),
    *call("kthvalue", distinct(5), 2),
    *call("topk", floats(), 1),
    *call("topk", _NANS, 3),
    *call("topk", floats(3, 5), 2, floating="bfloat16", forms="t"),
    *call("sort", _NANS, descending=True),
    *call("sort", floats(3, 5), floating="float16", forms="t"),
]

_SPREAD = [
    case
    for name in ("var_mean", "std_mean")
    for options in ({}, {"dim": 1}, {"dim": (0, 2), "keepdim": True, "correction": 0}, {"unbiased": False})
    for case in call(name, _CUBE, forms="t", **options)
] + [
    *call("var", _CUBE, False),
    *call("var", _CUBE, None, correction=0),
    *call("std", _CUBE, True),
    *call("std", exactly([1.0, 1.0, 1.0])),
    *call("std", floats(3, 500, low=1000.0, high=1100.0), dim=1, floating="float16", forms="t", slack=2.0),
]

_NORMS = [
    *(
        case
        for p in (0.5, 1, 1.5, 2, 3, -1, inf, -inf)
        for values in ([0.0, 2.0, 3.0], [0.0, 0.0])
        for case in call("norm", exactly(values), p)
    ),
    *(case for p in (1, 2, 3) for case in call("norm", floats(0), p, forms="t", gradient=False)),
    *(case for p in (1, 2, 3) for case in call("norm", floats(3, 5), p, 1, floating="float16", forms="t")),
    *call("norm", exactly([nan, 0.0, 1.0], requires_grad=False), p=0),
    *call("norm", _CUBE, dtype="float64", forms="t"),
]

_NUMPY_NAMES = [
    *(
        case
        for name in ("sum", "mean", "amax", "any", "var", "logsumexp")
        for case in call(name, _CUBE, axis=(0, 1), forms="x")
    ),
    *(case for name in ("max", "argmax", "median") for case in call(name, _CUBE, axis=1, keepdims=True)),
    *call("cumsum", _CUBE, axis=1),
    *call("sort", _CUBE, axis=0),
    *call("topk", _CUBE, 1, axis=0),
]

_HALVES = [
    *call("sum", exactly([2048.0] + [1.0] * 200), floating="float16", forms="t"),
    *call("mean", exactly([60000.0, 60000.0, 60000.0]), floating="float16", forms="t"),
    *call("cumsum", exactly([2048.0] + [1.0] * 200), dim=0, floating="float16", forms="t", gradient=False),
    *call("prod", exactly([1.01] * 100, requires_grad=False), floating="bfloat16", forms="t"),
    *call("sum", exactly([256.0] + [1.0] * 300), floating="bfloat16", forms="t"),
    *call("logsumexp", exactly([[10.0] * 300]), dim=1, floating="bfloat16", forms="t"),
]

_UNIQUE = [
    *(
        case
        for options in (
            {},
            {"return_inverse": True},
            {"return_counts": True},
            {"return_inverse": True, "return_counts": True},
            {"dim": 0},
            {"dim": -1, "return_inverse": True, "return_counts": True},
        )
        for case in call("unique", integers(4, 5, high=2), **options)
    ),
    *call("unique", exactly([nan, 1.0, nan], requires_grad=False)),
    *call("unique", exactly(3, "int64"), return_inverse=True),
    *call("unique", floats(0, requires_grad=False)),
    *call("unique", integers(0, 2), dim=0),
    *call("unique", booleans(9)),
    *call("unique", exactly([1.5, 0.5, 1.5], requires_grad=False), floating="bfloat16", forms="t"),
]

_STEPS = exactly([1.0, 3.0, 3.0, 5.0], requires_grad=False)
_VALUES = exactly([[0.0, 3.0, 6.0], [5.0, 1.0, nan]], requires_grad=False)


def _plain(*values: Any) -> Array:
    return exactly(values, requires_grad=False)


_INSERTION = [
    *(
        case
        for options in ({}, {"right": True}, {"side": "right"}, {"out_int32": True})
        for case in call("searchsorted", _STEPS, _VALUES, forms="t", **options)
    ),
    *call("searchsorted", _STEPS, 3.0, forms="t"),
    *call("searchsorted", _plain(3.0, 1.0), _plain(2.0, 0.0), sorter=exactly([1, 0], "int64"), forms="t"),
    *call("searchsorted", _plain([1.0, 2.0], [3.0, 4.0]), _plain([0.0, 1.5, 2.0], [3.0, 4.0, 5.0]), forms="t"),
    *(case for right in (False, True) for case in call("bucketize", _VALUES, _STEPS, right=right, forms="t")),
]

_CLOSE = [
    *call("isclose", exactly([3, 9], "uint8"), exactly([4, 7], "uint8"), atol=1),
    *call("isclose", _NANS, _NANS),
    *call("isclose", _NANS, _NANS, equal_nan=True),
    *call("isclose", exactly([inf, -inf, 1.0]), exactly([inf, inf, inf])),
    *call("isclose", booleans(4), booleans(4)),
    *call("allclose", floats(2, 3), floats(1, 3)),
    *call("equal", floats(3), floats(2, 3)),
    *call("equal", _NANS, _NANS),
    *call("equal", exactly([1, 2], "int64"), exactly([1.0, 2.0])),
]

_CASES = [*_MEDIANS, *_KTH, *_SPREAD, *_NORMS, *_NUMPY_NAMES, *_HALVES, *_UNIQUE, *_INSERTION, *_CLOSE]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_agrees_with_torch(case: Case, torch: Any, candidate: Any) -> None:
    """Values, shapes, dtypes and gradients are torch's."""
    assert_agrees(case, torch, candidate)


_ERRORS: dict[str, Callable[[Any], Any]] = {
    "max of nothing, with sizes": lambda t: t.zeros(2, 0).max(),
    "max along an empty dim": lambda t: t.zeros(2, 0).max(1),
    "amax of nothing": lambda t: t.zeros(2, 0).amax(),
    "median along an empty dim": lambda t: t.zeros(2, 0).median(1),
    "aminmax of nothing": lambda t: t.zeros(0).aminmax(),
    "aminmax along an empty dim": lambda t: t.zeros(2, 0).aminmax(dim=1),
    "kthvalue along an empty dim": lambda t: t.zeros(2, 0).kthvalue(1),
    "kthvalue beyond": lambda t: t.zeros(2).kthvalue(3),
    "kthvalue 0": lambda t: t.zeros(2).kthvalue(0),
    "kthvalue of bools": lambda t: t.zeros(2, dtype=t.bool).kthvalue(1),
    "median of bools": lambda t: t.zeros(2, dtype=t.bool).median(),
    "argmax of bools": lambda t: t.zeros(3, dtype=t.bool).argmax(),
    "topk of bools": lambda t: t.zeros(3, dtype=t.bool).topk(1),
    "topk of a negative number": lambda t: t.zeros(3).topk(-1),
    "max keepdim without dim": lambda t: t.zeros(3).max(keepdim=True),
    "max with a float": lambda t: t.zeros(3).max(2.0),
    "prod over two dims": lambda t: t.zeros(3, 3).prod(dim=(0, 1)),
    "mean in integers": lambda t: t.zeros(3).mean(dtype=t.int64),
    "mean of bools": lambda t: t.zeros(3, dtype=t.bool).mean(),
    "var with both corrections": lambda t: t.zeros(3).var(correction=1, unbiased=True),
    "logsumexp without dim": lambda t: t.zeros(3).logsumexp(None),
    "infinity norm of nothing": lambda t: t.zeros(0).norm(inf),
    "negative norm of nothing": lambda t: t.zeros(2, 0).norm(-1, dim=1),
    "norm of integers": lambda t: t.zeros(3, dtype=t.int64).norm(),
    "norm of an unknown kind": lambda t: t.zeros(3).norm("taxicab"),
    "count_nonzero out of range": lambda t: t.zeros(3).count_nonzero(1),
    "cumsum over two dims": lambda t: t.zeros(2, 2).cumsum((0, 1)),
    "dim and axis": lambda t: t.zeros(2).sum(dim=0, axis=0),
    "unique slices of nothing": lambda t: t.zeros(2, 0).unique(dim=0),
    "unique out of range": lambda t: t.zeros(2, 2).unique(dim=2),
    "searchsorted on no side": lambda t: t.searchsorted(t.zeros(2), t.zeros(2), side="middle"),
    "searchsorted of other rows": lambda t: t.searchsorted(t.zeros(2, 2), t.zeros(3, 2)),
    "isclose of two dtypes": lambda t: t.isclose(t.zeros(2), t.zeros(2, dtype=t.float64)),
    "isclose within less than 0": lambda t: t.isclose(t.zeros(2), t.zeros(2), rtol=-1),
    "isclose to a number": lambda t: t.zeros(2).isclose(1.0),
    "equal to a number": lambda t: t.equal(t.zeros(2), 1),
}


@pytest.mark.parametrize("name", _ERRORS)
def test_raises_as_torch(name: str, torch: Any, candidate: Any) -> None:
    """Bad input raises torch's error class, with a message."""
    case = ErrorCase(name, _ERRORS[name])
    assert_raises_alike(case, torch, candidate)


_NAMED: dict[str, Callable[[Any], Any]] = {
    "max": lambda x: x.max(1),
    "min": lambda x: x.min(dim=0, keepdim=True),
    "median": lambda x: x.median(1),
    "kthvalue": lambda x: x.kthvalue(2),
    "sort": lambda x: x.sort(),
    "topk": lambda x: x.topk(2),
    "aminmax": lambda x: x.aminmax(),
}


@pytest.mark.parametrize("name", _NAMED)
def test_named_results_print_as_torch(name: str, torch: Any, candidate: Any) -> None:
    """The text is torch's, with the name of the package."""
    rows = [[3.0, 1.0, 2.0], [4.0, 0.0, 5.0]]
    texts = [without_device(repr(_NAMED[name](t.tensor(rows)))) for t in (torch, candidate)]
    assert texts[1].replace(candidate.__name__, "torch") == texts[0]


def test_named_results_are_tuples_with_a_home(candidate: Any) -> None:
    """They unpack, and their class is found where `return_types` says, as pickle needs."""
    result = candidate.tensor([3.0, 1.0]).max(0)
    values, indices = result
    assert isinstance(result, tuple)
    assert (values.item(), indices.item()) == (result.values.item(), result.indices.item()) == (3.0, 0)
    assert type(result) is candidate.return_types.max
    assert pickle.loads(pickle.dumps(type(result))) is type(result)


@pytest.mark.parametrize("dim", [(), []], ids=repr)
@pytest.mark.parametrize("name", ["any", "all"])
def test_no_dimension_is_none_for_any_and_all(name: str, dim: Any, torch: Any, candidate: Any) -> None:
    """Everywhere else `()` stands for all dimensions."""

    def outcome(t: Any) -> list[Any]:
        made = [t.tensor([[0.0, nan], [1.0, 0.0]]), t.tensor([[0, 2]], dtype=t.uint8), t.tensor(3), t.zeros(0, 2)]
        found = [getattr(t, name)(x, dim=dim, keepdim=keepdim) for x in made for keepdim in (False, True)]
        found += [getattr(x, name)(dim) for x in made]
        return [(each.tolist(), tuple(each.shape), str(each.dtype).rpartition(".")[2]) for each in found]

    assert outcome(candidate) == outcome(torch)


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "amax", "amin", "norm", "logsumexp", "nansum"])
def test_no_dimension_is_all_for_others(name: str, candidate: Any) -> None:
    x = candidate.tensor([[1.0, 2.0], [3.0, 5.0]])
    reduce = getattr(candidate, name)
    assert reduce(x, dim=()).tolist() == reduce(x, dim=(0, 1)).tolist()
