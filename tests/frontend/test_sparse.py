"""Sparse tensors against PyTorch: places, values, text, arithmetic and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.sparse.arithmetic import ZERO_STAYS
from tests.frontend.texts import without_device
from tests.oracle.comparing import assert_alike, assert_close, raised

Program = Callable[[Any], Any]


def _matrix(t: Any, dtype: Any = None) -> Any:
    """(3, 4) with one place named twice."""
    places = t.tensor([[0, 1, 1, 0, 2], [2, 0, 2, 2, 3]])
    return t.sparse_coo_tensor(places, t.tensor([3.0, -4.0, 5.0, 0.5, 2.0], dtype=dtype), (3, 4))


def _other(t: Any) -> Any:
    return t.sparse_coo_tensor(t.tensor([[0, 1, 2], [2, 1, 3]]), t.tensor([1.5, 2.0, -1.0]), (3, 4))


def _rows(t: Any) -> Any:
    """(4, 2) whose values are rows."""
    return t.sparse_coo_tensor(t.tensor([[2, 0]]), t.tensor([[1.0, 2.0], [3.0, 4.0]]), (4, 2))


def _dense(t: Any) -> Any:
    return (t.arange(12.0) - 5).reshape(3, 4) / 3


_SPARSE: dict[str, Program] = {
    "made": lambda t: _matrix(t).coalesce(),
    "not coalesced": _matrix,
    "hybrid": _rows,
    "of lists": lambda t: t.sparse_coo_tensor([[0, 1]], [1, 2], (3,)),
    "size left out": lambda t: t.sparse_coo_tensor(t.tensor([[0, 4], [1, 1]]), t.ones(2, 3)),
    "empty": lambda t: t.sparse_coo_tensor((2, 3)),
    "empty by keyword": lambda t: t.sparse_coo_tensor(size=(2, 3), dtype=t.float64),
    "of another dtype": lambda t: t.sparse_coo_tensor(t.tensor([[1]]), t.tensor([1]), dtype=t.float64),
    "requires grad": lambda t: t.sparse_coo_tensor(t.tensor([[1]]), t.tensor([1.0]), requires_grad=True),
    "from dense": lambda t: t.diag(t.tensor([1.0, 0.0, 2.0])).to_sparse(),
    "from dense, rows": lambda t: t.diag(t.tensor([1.0, 0.0, 2.0])).to_sparse(1),
    "bool": lambda t: t.tensor([[True, False], [False, True]]).to_sparse(),
    "double": lambda t: _matrix(t).double(),
    "to": lambda t: _matrix(t).to(t.float64).coalesce(),
    "transposed": lambda t: _matrix(t).t().coalesce(),
    "swapped": lambda t: _matrix(t).transpose(0, 1).coalesce(),
    "times a number": lambda t: (2 * _matrix(t) * 3).coalesce(),
    "divided": lambda t: (_matrix(t) / 2).coalesce(),
    "negative": lambda t: (-_matrix(t)).coalesce(),
    "square root": lambda t: _matrix(t).abs().sqrt(),
    "sine": lambda t: t.sin(_matrix(t)),
    "sum": lambda t: (_matrix(t).coalesce() + _other(t).coalesce()).coalesce(),
    "weighted sum": lambda t: t.add(_matrix(t).coalesce(), _other(t).coalesce(), alpha=3).coalesce(),
    "difference": lambda t: (_matrix(t).coalesce() - _other(t).coalesce()).coalesce(),
    "product": lambda t: (_matrix(t).coalesce() * _other(t).coalesce()).coalesce(),
    "product with dense": lambda t: (_matrix(t).coalesce() * _dense(t)).coalesce(),
    "product of dense": lambda t: (_dense(t) * _matrix(t).coalesce()).coalesce(),
    "matrix product": lambda t: t.sparse.mm(_matrix(t), _other(t).t()).coalesce(),
    "sum over rows": lambda t: t.sparse.sum(_matrix(t), 0),
    "sum over columns": lambda t: t.sparse.sum(_matrix(t), -1, dtype=t.float64),
    "sum over values": lambda t: t.sparse.sum(_rows(t), 1),
    "sum over places": lambda t: t.sparse_coo_tensor(t.tensor([[0, 1, 1], [0, 0, 1]]), t.ones(3, 2)).sum(1).coalesce(),
    "softmax": lambda t: t.sparse.softmax(_matrix(t), 1),
    "softmax of columns": lambda t: t.sparse.softmax(_matrix(t), 0),
    "log_softmax": lambda t: t.sparse.log_softmax(_matrix(t) * 0.25, 1),
    "mask": lambda t: _dense(t).sparse_mask(_matrix(t).coalesce()),
    "a row": lambda t: _matrix(t).coalesce()[1].coalesce(),
    "in place": lambda t: _matrix(t).coalesce().mul_(2).add_(_other(t).coalesce()).coalesce(),
    "detached": lambda t: _matrix(t).clone().requires_grad_().detach().coalesce(),
    "degrees": lambda t: _matrix(t).rad2deg(),
    "small integers summed over columns": lambda t: t.sparse.sum(_matrix(t).int(), 1),
    "integers summed over columns": lambda t: _matrix(t).int().sum(1),
    "sum over no dimension": lambda t: t.sparse.sum(_matrix(t), ()),
    "conjugate": lambda t: (_matrix(t) * 1j).conj().coalesce().abs(),
    "matrix transpose": lambda t: _matrix(t).mT.coalesce(),
    "permuted": lambda t: _matrix(t).permute(1, 0).coalesce(),
    "product without places": lambda t: t.zeros(2).to_sparse() * t.ones(2, dtype=t.float64).to_sparse(),
    "places added in place": lambda t: _matrix(t).coalesce().add_(_other(t).coalesce(), alpha=-2),
    "places subtracted in place": lambda t: _matrix(t).coalesce().sub_(_other(t).coalesce()),
    "sum of what is not coalesced": lambda t: (_matrix(t) + _other(t)).to_dense().to_sparse(),
    "multiplied in place": lambda t: _matrix(t).multiply_(2).coalesce(),
    "divided in place": lambda t: _matrix(t).div_(4).coalesce(),
    "divided by another name": lambda t: t.true_divide(_matrix(t), 4).coalesce(),
    "rounded quotient": lambda t: _matrix(t).div(1.5, rounding_mode="trunc"),
    "floor division": lambda t: _matrix(t) // 1.5,
    "floor division in place": lambda t: _matrix(t).floor_divide_(1.5),
    "negated in place": lambda t: _matrix(t).neg_().coalesce(),
    "rooted in place": lambda t: t.sqrt_(_matrix(t).abs()),
    "rectified in place": lambda t: t.relu_(_matrix(t).coalesce()),
    "rectified": lambda t: t.nn.functional.relu(_matrix(t)),
    "emptied": lambda t: _matrix(t).zero_(),
    "emptied by a function, rows": lambda t: t.zero_(_rows(t)),
    "copied": lambda t: _matrix(t).copy_(_other(t)).coalesce(),
    "zeros like": lambda t: t.zeros_like(_rows(t)),
    "zeros like, of another dtype": lambda t: t.zeros_like(_rows(t), dtype=t.float64),
    "new zeros": lambda t: _matrix(t).new_zeros(2, 5),
    "data": lambda t: _matrix(t).requires_grad_().data.coalesce(),
    "detached in place": lambda t: _matrix(t).requires_grad_().mul(2).detach_().coalesce(),
    "type_as": lambda t: _matrix(t).type_as(_other(t).double()).coalesce(),
    "transposed in place": lambda t: _matrix(t).t_().coalesce(),
    "swapped in place": lambda t: _matrix(t).transpose_(0, 1).coalesce(),
    "unsqueezed": lambda t: _matrix(t).unsqueeze(1).coalesce(),
    "unsqueezed values": lambda t: _rows(t).unsqueeze(2).coalesce(),
    "selected column": lambda t: _matrix(t).select(1, 2).coalesce(),
    "selected value": lambda t: _rows(t).select(1, -1).coalesce(),
    "index_select": lambda t: t.index_select(_matrix(t), 1, t.tensor([3, 2, 2])).coalesce(),
    "index_select of values": lambda t: _rows(t).index_select(1, t.tensor([1, 1, 0])).coalesce(),
    "unbound": lambda t: _matrix(t).unbind(1)[2].coalesce(),
    "joined": lambda t: t.cat([_matrix(t), _other(t)]).coalesce(),
    "joined columns": lambda t: t.cat([_matrix(t), _other(t)], dim=1).coalesce(),
    "joined values": lambda t: t.cat([_rows(t), _rows(t)], -1).coalesce(),
    "stacked": lambda t: t.stack([_matrix(t), _other(t)], 1).coalesce(),
    "hstack": lambda t: t.hstack([_matrix(t), _other(t)]).coalesce(),
    "resized": lambda t: _matrix(t).coalesce().sparse_resize_((5, 6), 2, 0),
    "resized and cleared": lambda t: _matrix(t).sparse_resize_and_clear_((5, 6), 1, 1),
    "dense times sparse": lambda t: _dense(t).mul(_matrix(t).coalesce()),
    "of a type": lambda t: t.sparse.FloatTensor(t.tensor([[0, 1], [2, 0]]), t.tensor([3.0, 4.0]), t.Size([2, 3])),
    "of a type, size left out": lambda t: t.sparse.LongTensor(t.tensor([[0, 1], [2, 0]]), t.tensor([3, 4])),
    "of a type and other values": lambda t: t.sparse.FloatTensor(t.tensor([[0, 1]]), t.ones(2, 3).double(), (4, 3)),
    "of a type and sizes": lambda t: t.sparse.DoubleTensor(2, 3),
    "of a type and a size": lambda t: t.sparse.IntTensor(t.Size([2, 3])),
    "of a type and nothing": lambda t: t.sparse.HalfTensor(),
    "new": lambda t: _matrix(t).new(t.tensor([[0, 1], [2, 0]]), t.tensor([3.0, 4.0]), t.Size([2, 3])),
    "new of sizes": lambda t: _matrix(t).double().new(2, 3),
    "new of hybrids": lambda t: _rows(t).new(t.Size([2, 3])),
    "diagonals": lambda t: t.sparse.spdiags(t.arange(6.0).reshape(2, 3), t.tensor([0, -1]), (4, 3)).coalesce(),
}


@pytest.mark.parametrize("program", _SPARSE.values(), ids=_SPARSE)
def test_text_places_and_values(program: Program, torch: Any, candidate: Any) -> None:
    expected, found = program(torch), program(candidate)
    want, have = (without_device(text) for text in (repr(expected).replace("torch.", "lazygrad."), repr(found)))
    assert have.split(", grad_fn")[0] == want.split(", grad_fn")[0]
    assert_close(found, expected, slack=0.1)
    assert _facts(found) == _facts(expected)
    assert isinstance(found, candidate.Tensor) and found.layout is candidate.sparse_coo


def _facts(sparse: Any) -> tuple[Any, ...]:
    counts = sparse.sparse_dim(), sparse.dense_dim(), sparse._nnz(), sparse.dim()
    return *counts, tuple(sparse.shape), sparse.is_coalesced(), sparse.is_sparse, sparse.requires_grad


_IN_MEMORY: dict[str, Program] = {
    "to_dense": lambda t, s, d: s.to_dense(),
    "added to dense": lambda t, s, d: d + s,
    "mm": lambda t, s, d: t.mm(s, d.t()),
    "sparse.mm": lambda t, s, d: t.sparse.mm(s, d.t()),
    "@": lambda t, s, d: s @ d.t(),
    "@ a vector": lambda t, s, d: s @ d[0],
    "dense @ sparse": lambda t, s, d: d @ s.t(),
    "addmm": lambda t, s, d: t.sparse.addmm(d[:, :3], s, d.t(), beta=2.0, alpha=-1.5),
    "addmm of nan with beta 0": lambda t, s, d: t.sparse.addmm(t.full((3, 1), t.nan), s, d.t(), beta=0),
    "total": lambda t, s, d: t.sparse.sum(s) + s.sum(),
    "weighted": lambda t, s, d: (s * d).to_dense(),
    "added by a method": lambda t, s, d: d.add(s, alpha=3),
    "added with the factor before": lambda t, s, d: t.add(d, 3, s),
    "subtracted by another name": lambda t, s, d: t.subtract(d, s, alpha=2),
    "added to a copy in place": lambda t, s, d: d.clone().add_(s, alpha=2),
    "+=": lambda t, s, d: _changed(d.clone(), "__iadd__", s),
    "-=": lambda t, s, d: _changed(d * 2, "__isub__", s),
    "*=": lambda t, s, d: _changed(d * 2, "__imul__", s),
    "added to rows in place": lambda t, s, d: _changed(t.zeros(5, 4)[1:4], "add_", s.detach()) * d,
    "dense.mm": lambda t, s, d: d.mm(s.t()),
    "dense.matmul": lambda t, s, d: d.matmul(s.t()),
    "dense.addmm": lambda t, s, d: d[:, :3].addmm(s, d.t(), beta=2.0, alpha=-1.5),
    "dense.addmm_": lambda t, s, d: d[:, :3].clone().addmm_(s, d.t()),
    "bmm": lambda t, s, d: t.bmm(t.stack([s, s * 2]), t.stack([d.t(), d.t() * 3])),
    "linear of a sparse input": lambda t, s, d: t.nn.functional.linear(s, d, d[:, 0]),
    "norm": lambda t, s, d: s.detach().norm() + t.norm(s.detach()) + d,
    "softmax": lambda t, s, d: t.sparse.softmax(s, 1).to_dense() * d,
    "scaled": lambda t, s, d: (s * 3 / 2).to_dense() * d,
    "coalesced": lambda t, s, d: s.coalesce().values() * 2,
}


def _changed(tensor: Any, method: str, other: Any) -> Any:
    assert getattr(tensor, method)(other) is tensor
    return tensor


@pytest.mark.parametrize("program", _IN_MEMORY.values(), ids=_IN_MEMORY)
def test_values_and_gradients(program: Callable[..., Any], torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> list[Any]:
        values = t.tensor([3.0, -4.0, 5.0, 0.5, 2.0], requires_grad=True)
        dense = _dense(t).requires_grad_()
        sparse = t.sparse_coo_tensor(t.tensor([[0, 1, 1, 0, 2], [2, 0, 2, 2, 3]]), values, (3, 4))
        result = program(t, sparse, dense)
        weights = t.arange(1.0, result.numel() + 1).reshape(result.shape).to(result.dtype)
        (result * weights).sum().backward()
        found = [result.detach(), values.grad]
        # The text programs that do not read the dense operand leave it without gradient.
        found.append(t.zeros(3, 4) if dense.grad is None else dense.grad.to_dense())
        return found

    assert_alike(outcome, torch, candidate)


def test_gradient_of_a_sparse_leaf(torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> Any:
        sparse = _matrix(t).coalesce().detach().requires_grad_()
        t.sparse.mm(sparse, _dense(t).t()).sum().backward()
        return sparse.grad, sparse.grad.is_sparse

    assert_alike(outcome, torch, candidate, slack=0.1, floor=1e-6)


_ERRORS: dict[str, Program] = {
    "indices of an uncoalesced tensor": lambda t: _matrix(t).indices(),
    "values of an uncoalesced tensor": lambda t: _matrix(t).values(),
    "sparse + dense": lambda t: _matrix(t) + _dense(t),
    "sparse + number": lambda t: _matrix(t) + 1,
    "fewer values than places": lambda t: t.sparse_coo_tensor(t.tensor([[0, 1]]), t.ones(3)),
    "a size of another length": lambda t: t.sparse_coo_tensor(t.tensor([[0, 1]]), t.ones(2), (2, 3)),
    "places outside": lambda t: t.sparse_coo_tensor(t.tensor([[0, 7]]), t.ones(2), (3,), check_invariants=True),
    "negative places": lambda t: t.sparse_coo_tensor(t.tensor([[0, -7]]), t.ones(2)),
    "sizes that do not match": lambda t: t.sparse.mm(_matrix(t), _dense(t)),
    "numpy": lambda t: _matrix(t).numpy(),
    "exp": lambda t: t.exp(_matrix(t)),
    "==": lambda t: _matrix(t) == _matrix(t),
    "view": lambda t: _matrix(t).view(12),
    "exp in place": lambda t: _matrix(t).coalesce().exp_(),
    "sine in place, not coalesced": lambda t: _matrix(t).sin_(),
    "dense added in place": lambda t: _matrix(t).add_(_dense(t)),
    "dense integers += sparse floats": lambda t: _dense(t).long().add_(_matrix(t)),
    "dense += sparse of another size": lambda t: _dense(t)[:2].clone().add_(_matrix(t)),
    "a dense leaf += sparse": lambda t: _dense(t).requires_grad_().add_(_matrix(t)),
    "dense / sparse": lambda t: _dense(t).div_(_matrix(t)),
    "sparse copied to dense": lambda t: _dense(t).copy_(_matrix(t)),
    "sparse and dense joined": lambda t: t.cat([_matrix(t), _dense(t)]),
    "norm over a dimension": lambda t: _matrix(t).norm(dim=0),
    "shrunk": lambda t: _matrix(t).sparse_resize_((2, 2), 2, 0),
    "a row that is not there": lambda t: _matrix(t).select(0, 3),
    "rows that are not there": lambda t: _matrix(t).index_select(0, t.tensor([3])),
    "dense of another size + sparse": lambda t: _dense(t)[:1] + _matrix(t),
    "number - sparse": lambda t: 1 - _matrix(t),
    "subtraction of bools": lambda t: _matrix(t) - _matrix(t, t.bool),
    "power of an imaginary number": lambda t: _matrix(t).pow(1j),
    "a leaf in place": lambda t: _matrix(t).requires_grad_().mul_(2),
    "values of another size": lambda t: t.sparse_coo_tensor(t.tensor([[0, 1]]), t.ones(2, 3), (2, 2)),
    "a negative size": lambda t: t.sparse_coo_tensor(t.tensor([[0, 1]]), t.ones(2), (-2,)),
    "places said to be sorted": lambda t: t.sparse_coo_tensor(
        t.tensor([[1, 0]]), t.ones(2), (2,), is_coalesced=True, check_invariants=True
    ),
    "transpose of a dimension that is not there": lambda t: _matrix(t).transpose(0, 5),
    "permute of too few dimensions": lambda t: _matrix(t).permute(0),
    "an index that is a bool": lambda t: _matrix(t)[True],
    "softmax of no dimensions": lambda t: t.sparse.softmax(t.tensor(3.0).to_sparse(), 0),
    "softmax of complex numbers": lambda t: t.sparse.softmax(_matrix(t) * 1j, 0),
    "diagonals at places that are no integers": lambda t: t.sparse.spdiags(t.ones(3), t.tensor([0.0]), (3, 3)),
    "diagonals of three dimensions": lambda t: t.sparse.spdiags(t.ones(3), t.tensor([0]), (3, 3, 3)),
    "to_sparse of too many dimensions": lambda t: _dense(t).to_sparse(3),
}


@pytest.mark.parametrize("program", _ERRORS.values(), ids=_ERRORS)
def test_errors_are_those_of_torch(program: Program, torch: Any, candidate: Any) -> None:
    assert raised(lambda: program(candidate)) == raised(lambda: program(torch))


@pytest.mark.parametrize("name", ZERO_STAYS)
def test_functions_that_leave_zeros(name: str, torch: Any, candidate: Any) -> None:
    def program(t: Any) -> Any:
        return getattr(t, name)(t.tensor([[0, 0.5], [-0.25, 0]]).to_sparse())

    assert_alike(program, torch, candidate, slack=0.1, floor=0.0)


def test_types_know_their_tensors(torch: Any, candidate: Any) -> None:
    def facts(t: Any) -> list[Any]:
        types, sparse = [t.sparse.FloatTensor, t.sparse.DoubleTensor, t.FloatTensor], _matrix(t)
        names = [repr(kind).partition(".")[2] for kind in types]
        return [
            names,
            [isinstance(each, kind) for each in (sparse, sparse.double(), t.ones(2)) for kind in types],
            [sparse.type(t.sparse.DoubleTensor).type().partition(".")[2], t.sparse.FloatTensor.is_sparse],
        ]

    assert facts(candidate) == facts(torch)
    for wrong in ("FloatTensor(t.ones(2))", "FloatTensor([[0, 1]], t.ones(2))"):
        for framework in (candidate, torch):
            with pytest.raises(TypeError):
                eval(f"t.sparse.{wrong}", {"t": framework})


def test_an_element_has_the_dtype_of_its_tensor(torch: Any, candidate: Any) -> None:
    for index in ((0, 1), (1, 1)):
        want, have = (t.eye(2).bool().to_sparse()[index] for t in (torch, candidate))
        assert have.item() is want.item()


def test_what_has_no_sparse_form_says_so(candidate: Any) -> None:
    sparse = _matrix(candidate)
    for attempt in (lambda: sparse.mH, lambda: sparse.view(12), lambda: sparse.exp(), lambda: sparse.cumsum(0)):
        with pytest.raises(NotImplementedError, match="to_dense"):
            attempt()


def test_values_are_an_object_of_their_own(candidate: Any) -> None:
    values = candidate.ones(2)
    sparse = candidate.sparse_coo_tensor([[0, 1]], values)
    sparse.requires_grad_()
    assert sparse.requires_grad and not values.requires_grad


def test_positions_are_stored_row_by_row(candidate: Any) -> None:
    """What compiled code reads by address alone."""
    found = candidate.nonzero(candidate.eye(3))
    assert found.numpy().flags.c_contiguous and found.t().contiguous().tolist() == [[0, 1, 2], [0, 1, 2]]
    rows, columns = candidate.nonzero(candidate.eye(3), as_tuple=True)
    assert rows.numpy().flags.c_contiguous and columns.numpy().flags.c_contiguous


def test_a_step_is_one_plan(candidate: Any) -> None:
    """A product with a sparse matrix is recorded like anything else: nothing is computed before it is read."""
    sparse, dense = _matrix(candidate).coalesce(), _dense(candidate)
    product = candidate.relu(sparse @ dense.t()).sum()
    assert "buffer" in str(product.graph()) and product._storage.value.value is None


def test_names_of_products_with_a_sparse_matrix() -> None:
    """``spmm`` and ``dsmm`` are `mm`."""
    torch = pytest.importorskip("torch")
    results = []
    for t in (torch, lg):
        sparse = t.sparse_coo_tensor(t.tensor([[0, 1, 1], [2, 0, 2]]), t.tensor([3.0, 4.0, 5.0]), (2, 3))
        dense = t.arange(6.0).reshape(3, 2)
        products = (t.spmm(sparse, dense), t.dsmm(sparse, dense), t.spmm(dense, dense[:2]), t.spmm(sparse, sparse.t()))
        results.append([(x.to_dense() if x.is_sparse else x).tolist() for x in products])
    assert results[0] == results[1]
