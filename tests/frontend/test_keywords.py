"""Parameters have the names that PyTorch's functions take as keywords, and where its overloads differ, all of them."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch")

CALLS = {
    "split": lambda t, x: x.split(split_size=3),
    "split into sizes": lambda t, x: x.split(split_size=[1, 3], dim=1),
    "function split": lambda t, x: t.split(x, split_size_or_sections=2),
    "tensor_split": lambda t, x: x.tensor_split(sections=3),
    "tensor_split at": lambda t, x: t.tensor_split(x, indices=(1, 2), dim=1),
    "tensor_split by a tensor": lambda t, x: x.tensor_split(tensor_indices_or_sections=t.tensor([1])),
    "hsplit": lambda t, x: x.hsplit(sections=2),
    "hsplit at": lambda t, x: t.hsplit(x, indices=[1, 2]),
    "vsplit": lambda t, x: t.vsplit(x, sections=2),
    "vsplit at": lambda t, x: x.vsplit(indices=[3]),
    "dsplit": lambda t, x: x.view(2, 2, 4).dsplit(sections=2),
    "dsplit at": lambda t, x: t.dsplit(x.view(2, 2, 4), indices=[1]),
    "view": lambda t, x: x.view(dtype=t.int32),
    "resize_": lambda t, x: x.resize_(size=(2, 3)),
    "copy_": lambda t, x: x.copy_(other=x * 2),
    "swapaxes_": lambda t, x: x[:, :2].swapaxes_(axis0=0, axis1=1),
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


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.split(split_size=2, split_size_or_sections=2),
        lambda x: x.tensor_split(2, sections=2),
        lambda x: x.hsplit(sections=2, indices=[1]),
        lambda x: x.hsplit(2, sections=2),
        lambda x: x.vsplit(),
    ],
)
def test_a_parameter_given_twice_or_not_at_all_is_refused(call: Any) -> None:
    with pytest.raises(TypeError):
        call(lg.ones(4, 4))
