"""Copies of tensors as Python objects: copy, deepcopy, pickle."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest


def test_deepcopy(torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> list[Any]:
        x = t.tensor([1.0, 2.0], requires_grad=True)
        (x * x).sum().backward()
        base = t.arange(4.0)
        pair = copy.deepcopy([x, x, base, base.view(2, 2)])
        pair[2][0] = 9
        with t.no_grad():
            pair[0][0] = 5
        shared = pair[0] is pair[1]
        return [shared, pair[0].is_leaf, pair[0].grad.tolist(), pair[3].tolist(), base.tolist(), x.tolist()]

    assert outcome(candidate) == outcome(torch)


def test_copy_is_another_leaf(candidate: Any) -> None:
    x = candidate.tensor([1.0, 2.0], requires_grad=True)
    y = copy.copy(x)
    (y * 3).sum().backward()
    assert y.requires_grad and y.is_leaf and y.tolist() == [1.0, 2.0]
    assert x.grad is None


@pytest.mark.parametrize("name", ["float32", "bfloat16", "int64", "bool"])
def test_pickle(name: str, candidate: Any) -> None:
    x = candidate.tensor([[1, 0], [0, 1]], dtype=getattr(candidate, name))
    for tensor in (x, x.t()[1:], candidate.zeros(0, 2), candidate.tensor(2)):
        back = pickle.loads(pickle.dumps(tensor))
        assert (back.dtype, tuple(back.shape), back.tolist()) == (tensor.dtype, tuple(tensor.shape), tensor.tolist())


def test_pickle_keeps_requires_grad_and_attributes(candidate: Any) -> None:
    x = candidate.tensor([1.0], requires_grad=True)
    x.label = "weight"
    back = pickle.loads(pickle.dumps(x))
    assert back.requires_grad and back.is_leaf and back.label == "weight"


_COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
}


@pytest.mark.filterwarnings("ignore:backward hook")
@pytest.mark.parametrize("copied", _COPIES.values(), ids=_COPIES)
@pytest.mark.parametrize("kind", ["tensor", "parameter"])
def test_copies_have_no_hooks(copied: Callable[[Any], Any], kind: str, torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> list[Any]:
        called: list[str] = []
        x = t.ones(2, requires_grad=True) if kind == "tensor" else t.nn.Parameter(t.ones(2))
        x.register_hook(lambda gradient: called.append("hook"))
        x.register_post_accumulate_grad_hook(lambda leaf: called.append("accumulated"))
        other = copied(x)
        other.sum().backward()
        return [called, other.grad.tolist(), other.requires_grad]

    assert outcome(candidate) == outcome(torch)


@pytest.mark.parametrize("copied", _COPIES.values(), ids=_COPIES)
def test_attributes_of_parameters(copied: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> Any:
        parameter = t.nn.Parameter(t.ones(2))
        parameter.group = "slow"
        return getattr(copied(parameter), "group", None)

    assert outcome(candidate) == outcome(torch)


_LAID_OUT: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda t: t.arange(12.0).reshape(3, 4).t(),
    "columns": lambda t: t.arange(12.0).reshape(3, 4)[:, 1:3],
    "rows": lambda t: t.arange(12.0).reshape(3, 4)[1:],
    "expanded": lambda t: t.ones(1, 4).expand(3, 4),
    "channels last": lambda t: t.ones(2, 3, 4, 5).contiguous(memory_format=t.channels_last),
    "imaginary part": lambda t: t.view_as_complex(t.arange(6.0).reshape(3, 2)).imag,
    "bytes": lambda t: t.arange(6).view(t.int16)[1:],
    "windows": lambda t: t.arange(5.0).unfold(0, 3, 1),
    "halves": lambda t: t.arange(6, dtype=t.bfloat16).reshape(2, 3).t(),
    "leaf": lambda t: t.arange(6.0).requires_grad_(),
    "strided": lambda t: t.arange(12.0).as_strided((2, 3), (1, 2), 3),
}


@pytest.mark.parametrize("name", _LAID_OUT)
@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy], ids=range(3))
def test_copies_keep_strides(name: str, copied: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> Any:
        x = copied(_LAID_OUT[name](t))
        laid_out = x.stride(), x.storage_offset(), x.untyped_storage().nbytes()
        return x.tolist(), str(x.dtype).rpartition(".")[2], laid_out, x.requires_grad, x.is_leaf

    assert outcome(candidate) == outcome(torch)


def test_pickled_conjugates_keep_their_numbers(candidate: Any) -> None:
    x = candidate.tensor([[1 + 2j, 3j]])
    for made in (x.conj(), x.mH, x.conj().imag, x.conj().real):
        assert pickle.loads(pickle.dumps(made)).tolist() == made.tolist()
