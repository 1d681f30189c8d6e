"""Names of keywords whose results are no tensors of floats, or whose overloads differ in PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

CALLS = {
    "vsplit at": lambda t, x: x.vsplit(indices=[3]),
    "dsplit": lambda t, x: x.view(2, 2, 4).dsplit(sections=2),
    "copy_": lambda t, x: x.copy_(other=x * 2),
    "one_hot": lambda t, x: t.nn.functional.one_hot(input=t.tensor([1, 0]), num_classes=3),
    "isin of a number": lambda t, x: t.isin(element=0, test_elements=x),
    "isin a number": lambda t, x: t.isin(elements=x, test_element=0),
    "cholesky_solve": lambda t, x: x.cholesky_solve(input2=t.eye(4) * 2),
    "cholesky_inverse": lambda t, x: t.cholesky_inverse(input=t.eye(3) * 2),
    "orgqr": lambda t, x: t.orgqr(t.eye(3), input2=t.ones(3)),
    "ormqr": lambda t, x: t.ormqr(t.eye(4), input2=t.ones(4), input3=x),
    "promote_types": lambda t, x: t.promote_types(type1=t.int8, type2=t.float16),
    "can_cast": lambda t, x: t.can_cast(from_=t.float32, to=t.int8),
    "result_type": lambda t, x: t.result_type(tensor=t.tensor(1), other=2.5),
    "result_type of a number": lambda t, x: t.result_type(scalar=2.5, tensor=t.tensor(1)),
    "result_type of numbers": lambda t, x: t.result_type(scalar1=1, scalar2=2.5),
    "size": lambda t, x: [x[:2].size(axis=0), x.size(axis=-1), x[:2].size(dim=0)],
    "stride": lambda t, x: [x.stride(axis=0), x.stride(dim=1)],
    "to": lambda t, x: x.to(tensor=t.ones(1, dtype=t.int64), copy=True) * 2,
}


def _listed(result: Any) -> Any:
    """What a call gave, as something that compares."""
    if isinstance(result, tuple):
        return [_listed(part) for part in result]
    return result.tolist() if hasattr(result, "tolist") else str(result).rpartition(".")[2]


@pytest.mark.parametrize("name", CALLS)
def test_keywords_have_pytorchs_names(name: str) -> None:
    expected, found = (_listed(CALLS[name](t, t.arange(16.0).reshape(4, 4))) for t in (torch, lg))
    assert found == expected
