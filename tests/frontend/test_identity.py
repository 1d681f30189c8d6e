"""Whether a result is the operand itself, shares its memory, or is new: as in PyTorch, whatever the dtype."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    "call",
    [
        lambda t: ("sign", t.tensor([True, False])),
        lambda t: ("sgn", t.tensor([True, False])),
        lambda t: ("positive", t.tensor([1.0, 2.0])),
        lambda t: ("round", t.tensor([1, 2])),
        lambda t: ("nan_to_num", t.tensor([1, 2])),
        lambda t: ("conj_physical", t.tensor([1.0, 2.0])),
        lambda t: ("chain_matmul", t.tensor([[1.0, 2.0], [3.0, 4.0]])),
        lambda t: ("broadcast_tensors", t.tensor([1.0, 2.0])),
    ],
    ids="sign sgn positive round nan_to_num conj_physical chain_matmul broadcast_tensors".split(),
)
def test_functions_of_one_tensor(call: Any) -> None:
    """A caller who writes into a result must not change the operand, unless PyTorch shares them."""
    relations = []
    for t in (torch, lg):
        name, operand = call(t)
        relations.append(_relations([operand], getattr(t, name)(operand)))
    assert relations[0] == relations[1]


def test_products_of_one_matrix() -> None:
    """The first power is a copy, an equation that changes nothing a view."""
    for t in (torch, lg):
        matrix = t.tensor([[1.0, 2.0], [3.0, 4.0]])
        for power in (t.linalg.matrix_power(matrix, 1), t.matrix_power(matrix, 1)):
            power[0, 0] = 9.0
        same = t.einsum("ij->ij", matrix)
        assert same is not matrix and matrix[0, 0].item() == 1.0
        same[0, 0] = 7.0
        assert matrix[0, 0].item() == 7.0


def _tensors(value: Any) -> Iterator[Any]:
    if isinstance(value, (torch.Tensor, lg.Tensor)):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _memory(tensor: Any) -> Any:
    return tensor._storage if isinstance(tensor, lg.Tensor) else tensor.untyped_storage().data_ptr()


def _relations(operands: list[Any], result: Any) -> list[tuple[list[int], list[int]]]:
    """Per tensor of the result, which operands it is, and whose memory it shares."""
    return [
        (
            [i for i, x in enumerate(operands) if x is part],
            [i for i, x in enumerate(operands) if x.numel() and part.numel() and _memory(x) == _memory(part)],
        )
        for part in _tensors(result)
    ]


# Each is asked of a matrix, of one with a single element, and of one whose rows lie apart in memory.
_EXPRESSIONS = """
x.float() | x.to(x.dtype) | x.to(x.dtype, copy=True) | x.contiguous() | x.type_as(x) | x.to(x.device) | t.real(x)
t.conj(x) | x.resolve_conj() | +x | t.positive(x) | x.abs() | x.int().round() | x.int().floor()
t.nan_to_num(x.int()) | x.frac() | x.expand(x.shape) | x.expand_as(x) | t.broadcast_to(x, x.shape)
t.broadcast_tensors(x, x)[0] | x.reshape(x.shape) | x.view(x.shape) | x.flatten(0, 0) | x[0].flatten()
x.flatten() | x.ravel() | x[0].ravel() | x.squeeze() | x.squeeze(0) | x.permute(0, 1) | x.transpose(0, 0)
x[0].t() | x.T | x.swapaxes(0, 0) | x.movedim(0, 0) | x.narrow(0, 0, 1) | x.split(5)[0] | x.chunk(1)[0]
t.tensor_split(x, 1)[0] | x.flip([]) | x.roll(0) | x.roll(0, 0) | x.rot90(0) | x.rot90(4) | x.repeat(1, 1)
x.tile(1) | x.repeat_interleave(1) | t.cat([x]) | t.cat([x, x[:0]]) | t.stack([x]) | t.hstack([x])
t.atleast_1d(x) | t.atleast_2d(x) | t.atleast_3d(x) | t.block_diag(x) | x.tril(5) | x.sum(()) | x[:1].sum(0)
x.mean(()) | x[:1].cumsum(0) | x[0, 0].max() | x.sort()[0] | x.clamp(min=-1e9) | t.where(t.tensor(True), x, x)
x**1 | x * 1 | x + 0 | x / 1 | t.linalg.matrix_power(x, 1) | t.linalg.multi_dot([x, x]) | t.einsum("ij->ij", x)
t.einsum("ij->ji", x) | t.einsum("ii->i", x) | x.diagonal() | t.diag(x) | x[...] | x[:] | x[t.tensor([0])]
x[True] | x[()] | x.select(0, 0) | x.index_select(0, t.tensor([0])) | x.masked_select(x == x)
x.masked_fill(x != x, 0.0) | t.as_tensor(x) | t.asarray(x) | t.tensor(x) | x.clone() | x.detach() | x.data
x.requires_grad_(False) | x.bool().sgn() | x.bool().sign() | t.sgn(x) | x.unbind()[0] | x.unfold(0, 1, 1)
x.view_as(x) | x.sum_to_size(x.shape) | x.adjoint() | x.mT | t.diff(x, 0) | t.nn.functional.pad(x, (0, 0))
t.nn.functional.pad(x, (-1, 0)) | t.nn.functional.dropout(x, 0.5, training=False) | t.nn.functional.relu(x)
t.nn.functional.normalize(x) | t.nn.Identity()(x) | t.nn.Flatten()(x) | t.nn.Sequential()(x)
t.nn.functional.avg_pool1d(x[None], 1) | t.nn.functional.adaptive_avg_pool1d(x[None], x.shape[-1])
t.renorm(x, 2, 0, 1e9) | t.meshgrid(x[0], indexing="ij")[0] | t.cartesian_prod(x[0]) | t.combinations(x[0], 1)
t.linalg.vander(x[0], N=1)
"""
_MATRICES = {
    "matrix": lambda t: t.tensor([[1.0, 2.0], [3.0, 4.0]]),
    "one element": lambda t: t.tensor([[5.0]]),
    "strided": lambda t: t.arange(9.0).reshape(3, 3)[:2, :2],
}


@pytest.mark.parametrize("kind", _MATRICES)
def test_expressions_that_may_share_memory(kind: str) -> None:
    """An operation that has nothing to do is where a library may hand its operand back."""
    wrong = []
    for expression in _EXPRESSIONS.replace("|", "\n").strip().splitlines():
        found = []
        for t in (torch, lg):
            x = _MATRICES[kind](t)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found.append(_relations([x], eval(expression.strip(), {"t": t, "x": x})))
            except Exception as error:
                found.append(type(error))
        if found[0] != found[1]:
            wrong.append(f"{expression.strip()}: PyTorch {found[0]}, lazygrad {found[1]}")
    assert not wrong, "\n".join(wrong)


def test_the_first_value_of_a_process_may_be_empty() -> None:
    """Memory for no elements is found before any memory was asked for."""
    for program in (
        "assert lg.zeros(0, 3).realize().shape == (0, 3)",
        "assert lg.nn.functional.batch_norm(lg.zeros(0, 1), lg.zeros(1), lg.ones(1), training=True).shape == (0, 1)",
        "assert lg.zeros(0).sum().item() == 0",
    ):
        subprocess.run([sys.executable, "-c", f"import lazygrad as lg\n{program}"], check=True, timeout=60)
