"""Views, movements and index functions in the forms that the conformance cases leave out, with torch as oracle."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.cases import Case, ErrorCase, assert_agrees, assert_raises_alike
from tests.oracle.comparing import raised
from tests.oracle.recipes import booleans, distinct, exactly, floats, integers

from .calls import call

pytestmark = pytest.mark.filterwarnings("ignore")

_CUBE = floats(2, 3, 4)
_GRID = floats(4, 5)
_COLUMNS = exactly([[0, 4, 2], [1, 1, 3], [2, 0, 0], [4, 4, 4]], "int64")

_WINDOWS = [
    *call("unfold", floats(8), 0, 3, 2, forms="x"),
    *call("unfold", _CUBE, 1, 2, 1, forms="x"),
    *call("unfold", _CUBE, -1, 4, 1, forms="x"),
    *call("unfold", floats(), 0, 1, 1, forms="x"),
    Case("as_strided diagonal", lambda t, x: (x * 2).as_strided((4,), (6,)), (_GRID,)),
    Case("as_strided repeats", lambda t, x: (x * 2).as_strided((3, 2, 2), (2, 0, 1), 1), (_GRID,)),
    Case("as_strided of a view", lambda t, x: (x * 2)[1:].t().as_strided((2, 2), (1, 5)), (_GRID,)),
]

_TURNED = [
    *(case for k in (-1, 0, 1, 2, 3, 4) for case in call("rot90", _CUBE, k, (0, 2))),
    *call("rot90", floats(2, 3)),
    *call("pixel_shuffle", floats(2, 8, 3, 2), 2, forms="F"),
    *call("roll", _CUBE, (1, 1), (0, 0)),
    *call("swapdims", _CUBE, 0, 2),
    *call("moveaxis", _CUBE, (0, 2), (-1, 0)),
    Case("attributes H and mH", lambda t, x, y: (x.H, y.mH, x.itemsize, y.nbytes), (floats(2, 3), _CUBE)),
    *call("squeeze", floats(1, 3, 1), ()),
    *call("t", floats(2, 3), forms="inplace"),
    *call("transpose", floats(2, 3, 1), -1, 0, forms="inplace"),
]

_CUT = [
    *call("tensor_split", floats(7), [1, 3, 9]),
    *call("tensor_split", floats(2, 7), (-2, 5), dim=1),
    *call("tensor_split", floats(2), 4),
    *call("split", floats(0, 2), 3),
    *call("chunk", floats(0, 2), 3),
    *call("repeat_interleave", floats(2, 2), exactly([3], "int64"), dim=1),
    *call("vstack", [floats(3), floats(3)], forms="t"),
    *call("hstack", [floats(), floats()], forms="t"),
    *call("cat", [floats(0), floats(0)], forms="t"),
    *call("cat", [floats(2, 3), floats(2, 3)], axis=1, forms="t"),
]

_BORDERS = [
    *(
        case
        for mode in ("reflect", "replicate", "circular")
        for case in [
            *call("pad", floats(2, 5), (-1, 2), mode=mode, forms="F"),
            *call("pad", floats(2, 5), (0, 0), mode=mode, forms="F"),
            *call("pad", floats(1, 2, 3, 4, 3), (1, 1, 0, 2, 2, 1), mode=mode, forms="F"),
            *call("pad", floats(2, 5), (1, 1), mode, 0.0, forms="F"),
        ]
    ),
    *call("pad", floats(), (), forms="F"),
    *call("pad", booleans(3), (1, 1), value=True, forms="F"),
]

_TRIANGLES = [
    *(case for k in (-2, 0, 1, 9) for name in ("tril", "triu") for case in call(name, _CUBE, k)),
    *call("tril", booleans(3, 3)),
    *call("triu", integers(2, 3), diagonal=1),
    *call("diag_embed", floats(2, 3), offset=-1, dim1=0, dim2=2),
]

_REDUCED = [
    *(
        case
        for how in ("sum", "prod", "mean", "amax", "amin")
        for include in (True, False)
        for case in call(
            "scatter_reduce", _GRID, 1, _COLUMNS, floats(4, 3), how, include_self=include, gradient=how != "prod"
        )
    ),
    *call("scatter_reduce", integers(4, 5), 1, _COLUMNS, integers(4, 3), "mean"),
    *call("scatter_reduce", integers(4, 5), 1, _COLUMNS, integers(4, 3), "amax", include_self=False),
    *call("scatter_reduce", _GRID, 1, _COLUMNS, floats(4, 3), "amax", forms="inplace"),
    *call("scatter", _GRID, 1, exactly([[0, 1], [2, 3]], "int32"), 3.5, reduce="multiply", forms="x", gradient=False),
]


def _put(t: Any, x: Any, values: Any, accumulate: bool) -> list[Any]:
    rows, columns = t.tensor([0, 2, 0]), t.tensor([1, 1, 4])
    target = x * 1
    returned = target.index_put_((rows, columns), values, accumulate=accumulate)
    return [
        target,
        returned is target,
        t.index_put(x, (rows,), values[0], accumulate),
        x.index_put((x > 0,), values[1]),
    ]


_PUT = [
    Case("index_put", lambda t, x, v: _put(t, x, v, False)[1:], (_GRID, floats(3))),
    Case("index_put accumulate", lambda t, x, v: _put(t, x, v, True), (_GRID, floats(3)), gradient=True),
    *call("masked_scatter", _GRID, booleans(5), floats(30)),
    *call("masked_scatter", floats(5), booleans(4, 5), floats(4, 5)),
    *call("masked_scatter", floats(3), exactly([False] * 3, "bool"), floats(0), gradient=False),
    *call("index_fill", _GRID, 0, exactly([2], "int64"), floats()),
    *call("index_fill", _GRID, 0, exactly([2, 0, 2], "int64"), floats()),
    *call("index_add", integers(5), 0, exactly([0, 0, 4], "int64"), integers(3), alpha=3),
    *call("index_select", floats(), 0, exactly([0], "int64")),
    Case("negative indices", lambda t, x: [x.take(t.tensor([-1])), x.index_fill(0, t.tensor([-1]), 0.0)], (_GRID,)),
    Case("negative take_along_dim", lambda t, x: x.take_along_dim(t.tensor([[-1]]), 0), (_GRID,)),
    *call("one_hot", integers(2, 3, high=4), forms="F"),
    *call("one_hot", integers(3, high=4), 6, forms="F"),
    *call("one_hot", exactly([], "int64"), 2, forms="F"),
]


def _sequences(t: Any, x: Any) -> list[Any]:
    """Lists that hold sequences or tensors count as tuples; ranges and tuples inside a tuple as arrays."""
    return [
        x[[[0, 1], [2, 3]]],
        x[[t.tensor(0), t.tensor(1)]],
        x[[slice(0, 1), 0]],
        x[range(2)],
        x[(0, 1), (2, 3)],
        x[[]],
    ]


def _numbers_that_are_tensors(t: Any) -> list[Any]:
    x = t.arange(12.0).reshape(3, 4)
    row = x[t.tensor(1)]
    row.add_(100)
    x[t.tensor(0, dtype=t.int16), t.tensor(2)] = -1
    return [x, x[t.tensor(1) : t.tensor(3)], x[t.tensor(True)], x[:, t.tensor(False)]]


def _dropped_dimensions_of_values(t: Any, x: Any) -> list[Any]:
    """Leading dimensions of size 1 of what is written do not count."""
    first, second, third = x * 1, x * 1, x * 1
    first[0] = t.ones(1, 1, 5)
    second[t.tensor([0, 1])] = t.ones(1, 1, 5)
    third[x > 0] = t.ones(1, 1)
    return [first, second, third]


def _masks_written_without_counting(t: Any, x: Any) -> list[Any]:
    cube = t.stack([x, x * 2], dim=2)
    rows, columns = cube * 1, cube * 1
    rows[t.tensor([True, False, True, False])] = cube[0]
    columns[:, cube[0, :, 0] > 0] = cube[:, :1]
    return [rows, columns]


def _strides_of_copies(t: Any) -> list[Any]:
    x = t.arange(24.0).reshape(2, 3, 4)
    views = [x.transpose(0, 1), x.permute(2, 0, 1), x[:, ::2].transpose(1, 2), x.expand(5, 2, 3, 4), x[:, :, 0].t()]
    return [(view.clone().stride(), view.clone()._base is None, view.clone()) for view in views]


def _refused_shape_changes(t: Any) -> list[Any]:
    leaf = t.ones(1, 3, requires_grad=True)
    outcomes = [raised(leaf.t_), raised(leaf.squeeze_), raised(lambda: leaf.unsqueeze_(0))]
    with t.no_grad():
        leaf.squeeze_(0)
    return [*outcomes, leaf.detach(), leaf.is_leaf, leaf.requires_grad]


_BRACKETS = [
    Case("sequences as indices", _sequences, (_GRID,)),
    Case("0-dim tensors as indices", _numbers_that_are_tensors),
    Case("leading ones of values", _dropped_dimensions_of_values, (_GRID,)),
    Case("masks written with broadcast values", _masks_written_without_counting, (_GRID,)),
    Case("clones keep the order of dimensions", _strides_of_copies),
    Case("shape changes of leaves", _refused_shape_changes, gradient=False),
    Case("rows by iteration", lambda t, x: [row * 2 for row in x], (distinct(3, 2, dtype="float32"),)),
]

CASES = [*_WINDOWS, *_TURNED, *_CUT, *_BORDERS, *_TRIANGLES, *_REDUCED, *_PUT, *_BRACKETS]

_X = floats(3, 4, requires_grad=False)


def _pad(*arguments: Any, **keywords: Any) -> Any:
    return lambda t, x: t.nn.functional.pad(x, *arguments, **keywords)


ERRORS = [
    ErrorCase("view of a dtype out of a string", lambda t, x: x.view("float32"), (_X,)),
    ErrorCase("unfold a window too large", lambda t, x: x.unfold(0, 4, 1), (_X,)),
    ErrorCase("unfold with step 0", lambda t, x: x.unfold(0, 2, 0), (_X,)),
    ErrorCase("as_strided beyond the storage", lambda t, x: x.as_strided((4, 4), (4, 1)), (_X,)),
    ErrorCase("rot90 in a line", lambda t, x: x.rot90(1, (0, 0)), (_X,)),
    ErrorCase("tensor_split into 0", lambda t, x: x.tensor_split(0), (_X,)),
    ErrorCase("split by 0", lambda t, x: x.split(0), (_X,)),
    ErrorCase("unbind a 0-dim tensor", lambda t, x: x[0, 0].unbind(), (_X,)),
    ErrorCase("stride of a dim out of range", lambda t, x: x.stride(2), (_X,)),
    ErrorCase("T of no matrix", lambda t, x: x[0].mT, (_X,)),
    ErrorCase("H of a cube", lambda t, x: x[None].H, (_X,)),
    ErrorCase("meshgrid of a matrix", lambda t, x: t.meshgrid(x, x, indexing="ij"), (_X,)),
    ErrorCase("repeat_interleave of a negative number", lambda t, x: x.repeat_interleave(-1), (_X,)),
    ErrorCase("reflect over too many dimensions", _pad((1, 1, 1, 1), mode="reflect"), (_X,)),
    ErrorCase("reflect wider than the tensor", _pad((4, 0), mode="reflect"), (_X,)),
    ErrorCase("circular wider than the tensor", _pad((5, 0), mode="circular"), (_X,)),
    ErrorCase("replicate with a value", _pad((1, 1), mode="replicate", value=1.0), (_X,)),
    ErrorCase("assign a list", lambda t, x: x.__setitem__(0, [1, 2, 3, 4]), (_X,)),
    ErrorCase("assign None", lambda t, x: x.__setitem__(0, None), (_X,)),
    ErrorCase("index of int16", lambda t, x: x[t.tensor([0], dtype=t.int16)], (_X,)),
    ErrorCase("list out of range", lambda t, x: x[[0, 3]], (_X,)),
    ErrorCase("index_add of another dtype", lambda t, x: x.index_add(0, t.tensor([0]), x[:1].double()), (_X,)),
    ErrorCase("index_copy of a wrong shape", lambda t, x: x.index_copy(0, t.tensor([0]), x), (_X,)),
    ErrorCase("index_fill with a vector", lambda t, x: x.index_fill(0, t.tensor([0]), x[0]), (_X,)),
    ErrorCase("scatter_reduce with an unknown reduction",
              lambda t, x: x.scatter_reduce(0, t.tensor([[0]]), x, "nothing"), (_X,)),
    ErrorCase("masked_scatter of another dtype", lambda t, x: x.masked_scatter(x > 0, x.double()), (_X,)),
    ErrorCase("gather of a negative index", lambda t, x: x.gather(0, t.tensor([[-1]])), (_X,)),
    ErrorCase("index_select of a negative index", lambda t, x: x.index_select(0, t.tensor([-1])), (_X,)),
    ErrorCase("index_add out of range", lambda t, x: x.index_add(0, t.tensor([7]), x[:1]), (_X,)),
    ErrorCase("index_copy out of range", lambda t, x: x.index_copy(0, t.tensor([7]), x[:1]), (_X,)),
    ErrorCase("index_fill out of range", lambda t, x: x.index_fill(0, t.tensor([7]), 1.0), (_X,)),
    ErrorCase("take out of range", lambda t, x: x.take(t.tensor([12])), (_X,)),
    ErrorCase("take with floats", lambda t, x: x.take(t.tensor([0.0])), (_X,)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_torch(case: Case, torch: Any, candidate: Any) -> None:
    """Values, shapes, dtypes, requires_grad and gradients are torch's."""
    assert_agrees(case, torch, candidate)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_raises_as_torch(case: ErrorCase, torch: Any, candidate: Any) -> None:
    """Bad input raises torch's error class, with a message."""
    assert_raises_alike(case, torch, candidate)


def test_rows_of_realized_data_need_no_plan(candidate: Any) -> None:
    """Reading one sample after another compiles nothing: a view of computed memory is read where it lies."""
    from lazygrad.runtime.realize import cache

    data = candidate.arange(20.0).reshape(5, 4).realize()
    data[0].numpy()
    before = len(cache)
    rows = [data[number].numpy().tolist() for number in range(5)]
    assert rows == data.numpy().tolist()
    assert len(cache) == before
