"""Tensors with more to them than values: attributes, buffers, sparse ones, through files of either framework."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")


def _labelled(tensor: Any) -> Any:
    tensor.label = "slow"
    return tensor


_MADE: dict[str, Callable[[Any], Any]] = {
    "tensor with an attribute": lambda t: _labelled(t.arange(3.0)[1:]),
    "parameter with an attribute": lambda t: _labelled(t.nn.Parameter(t.ones(2), requires_grad=False)),
    "named parameter": lambda t: t.nn.Linear(2, 1, bias=False).weight.requires_grad_(False).zero_(),
    "buffer": lambda t: t.nn.Buffer(t.ones(2)),
    "buffer that is not persistent": lambda t: t.nn.Buffer(t.ones(2), persistent=False),
    "sparse": lambda t: t.sparse_coo_tensor(t.tensor([[1, 0, 1], [0, 2, 0]]), t.tensor([1.0, 2.0, 3.0]), (2, 3)),
    "sparse, coalesced": lambda t: t.eye(2).to_sparse(),
    "sparse, of rows": lambda t: t.eye(2).to_sparse(1),
    "sparse that requires grad": lambda t: t.eye(2).to_sparse().requires_grad_(),
    "hooked": lambda t: _hooked(t.ones(2, requires_grad=True)).detach(),
    "layout": lambda t: t.sparse_coo,
    "bytearray": lambda t: bytearray(b"a\xff"),
}


def _hooked(tensor: Any) -> Any:
    tensor.register_hook(lambda gradient: gradient)
    return tensor


def _described(t: Any, value: Any) -> Any:
    if not isinstance(value, t.Tensor):
        return str(value).replace("lazygrad.", "torch.")
    facts = [value.requires_grad, isinstance(value, t.nn.Parameter), isinstance(value, t.nn.Buffer)]
    facts += [getattr(value, name, None) for name in ("label", "persistent")]
    if value.layout is t.sparse_coo:
        parts = value._indices(), value._values()
        return facts, [part.tolist() for part in parts], tuple(value.shape), value.is_coalesced()
    return facts, value.tolist(), value.stride(), value.storage_offset()


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("made", _MADE.values(), ids=_MADE)
@pytest.mark.parametrize("writer", [torch, lazygrad], ids=["torch", "lazygrad"])
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
def test_either_framework_reads_it(writer: Any, made: Callable[[Any], Any], weights_only: bool) -> None:
    file = io.BytesIO()
    writer.save(made(writer), file)
    found = []
    for reader in (torch, lazygrad):
        file.seek(0)
        found.append(_described(reader, reader.load(file, weights_only=weights_only)))
    assert found[1] == found[0]


def test_a_file_names_places_that_do_not_exist() -> None:
    file = io.BytesIO()
    lazygrad.save(lazygrad.sparse_coo_tensor([[5]], [1.0], (2,)), file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="inconsistent"):
        lazygrad.load(file)
