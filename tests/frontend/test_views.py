"""Every view of PyTorch's list shares memory as PyTorch's does: where it lies, and that writes go both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazygrad

View = Callable[[Any, Any], Any]

# Of x, shape (4, 6, 2): a view of it, or a sequence of views.
_VIEWS: dict[str, View] = {
    "an element": lambda t, x: x[1, 2, 0],
    "a row": lambda t, x: x[2],
    "a slice": lambda t, x: x[1:3, ::2],
    "...": lambda t, x: x[..., 1],
    "new dimension": lambda t, x: x[:, None],
    "as_strided": lambda t, x: x.as_strided((2, 3), (12, 2), 5),
    "detach": lambda t, x: x.detach(),
    "diagonal": lambda t, x: x.diagonal(1, 0, 1),
    "expand": lambda t, x: x[:, :1].expand(4, 3, 2)[:, 0],
    "expand_as": lambda t, x: x[:1].expand_as(x)[0],
    "broadcast_to": lambda t, x: t.broadcast_to(x[:1], (3, 6, 2))[1],
    "movedim": lambda t, x: x.movedim(0, 2),
    "moveaxis": lambda t, x: t.moveaxis(x, (0, 1), (1, 2)),
    "narrow": lambda t, x: x.narrow(1, 2, 3),
    "permute": lambda t, x: x.permute(2, 0, 1),
    "select": lambda t, x: x.select(1, -1),
    "squeeze": lambda t, x: x[:1].squeeze(0),
    "transpose": lambda t, x: x.transpose(0, 2),
    "swapaxes": lambda t, x: x.swapaxes(0, 1),
    "swapdims": lambda t, x: x.swapdims(1, 2),
    "t": lambda t, x: x[0].t(),
    "T": lambda t, x: x[0].T,
    "H": lambda t, x: x[1].H,
    "mT": lambda t, x: x.mT,
    "mH": lambda t, x: x.mH,
    "adjoint": lambda t, x: x.adjoint(),
    "view": lambda t, x: x.view(8, 6),
    "view of a dtype": lambda t, x: x.view(t.int32),
    "view_as": lambda t, x: x.view_as(t.zeros(24, 2)),
    "reshape": lambda t, x: x.reshape(-1),
    "flatten": lambda t, x: x.flatten(1),
    "ravel": lambda t, x: x.ravel(),
    "unflatten": lambda t, x: x.unflatten(1, (2, 3)),
    "unfold": lambda t, x: x.unfold(1, 2, 2),
    "unsqueeze": lambda t, x: x.unsqueeze(-1),
    "unbind": lambda t, x: x.unbind(1),
    "split": lambda t, x: x.split(4, 1),
    "tensor_split": lambda t, x: x.tensor_split(4, 1),
    "split_with_sizes": lambda t, x: x.split_with_sizes([1, 2, x.shape[1] - 3], 1),
    "hsplit": lambda t, x: x.hsplit([1]),
    "vsplit": lambda t, x: x.vsplit([1]),
    "chunk": lambda t, x: x.chunk(3, 1),
    "real": lambda t, x: x.real,
    "view_as_complex": lambda t, x: t.view_as_real(t.view_as_complex(x)),
    "a view of a view": lambda t, x: x.transpose(0, 1)[1:5:2].unsqueeze(0)[:, :, 1:],
}


def _pieces(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, (tuple, list)) else (found,)


def _base(t: Any) -> Any:
    return t.arange(48.0).reshape(4, 6, 2).clone()


@pytest.mark.parametrize("view", _VIEWS.values(), ids=_VIEWS)
def test_lies_in_memory_as_in_torch(view: View, torch: Any, candidate: Any) -> None:
    def facts(t: Any) -> list[Any]:
        x = _base(t)
        pieces = _pieces(view(t, x))
        return [
            (
                tuple(piece.shape),
                piece.stride(),
                piece.storage_offset(),
                (piece.data_ptr() - x.data_ptr()) if piece.numel() else 0,
                piece.is_contiguous(),
                piece._base is x,
                piece._is_view(),
                piece.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(),
            )
            for piece in pieces
        ]

    assert facts(candidate) == facts(torch)


@pytest.mark.parametrize("view", _VIEWS.values(), ids=_VIEWS)
def test_writes_go_both_ways(view: View, torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> list[Any]:
        x = _base(t)
        pieces = _pieces(view(t, x))
        pieces[0].fill_(7)
        pieces[-1].mul_(3)
        versions = x._version, [piece._version for piece in pieces]
        after = x.tolist()
        x.add_(0.5)
        return [after, [piece.tolist() for piece in pieces], versions, [piece._version for piece in pieces]]

    assert outcome(candidate) == outcome(torch)


@pytest.mark.parametrize("name", ["zeros_like", "empty_like", "rand_like", "clone", "to", "double", "type", "cpu copy"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_order_in_memory_is_kept(name: str, data: st.DataObject) -> None:
    """Strides of what is made in the image of a permuted, sliced or expanded tensor."""
    torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    axes = data.draw(st.permutations(range(len(sizes))))
    step = data.draw(st.sampled_from([1, 2]))

    def made(t: Any) -> Any:
        x = t.zeros(*sizes).permute(*axes)[::step]
        return {
            "clone": lambda: x.clone(),
            "to": lambda: x.to(t.float64),
            "double": lambda: x.double(),
            "type": lambda: x.type(t.int32),
            "cpu copy": lambda: x.to("cpu", copy=True),
        }.get(name, lambda: getattr(t, name)(x))()

    # The stride of a dimension of size 1 says nothing, and PyTorch leaves it as it was.
    def strides(x: Any) -> list[int]:
        return [stride for size, stride in zip(x.shape, x.stride(), strict=True) if size > 1]

    assert strides(made(lazygrad)) == strides(made(torch))


_FORMATS: dict[str, View] = {
    "contiguous": lambda t, x: x.contiguous(memory_format=t.channels_last),
    "to": lambda t, x: x.to(memory_format=t.channels_last),
    "to a dtype": lambda t, x: x.to(t.float64, memory_format=t.channels_last),
    "to and back": lambda t, x: x.to(memory_format=t.channels_last).contiguous(),
    "clone": lambda t, x: x.clone(memory_format=t.channels_last),
    "clone of one": lambda t, x: x.clone(memory_format=t.channels_last).clone(),
    "clone, row-major": lambda t, x: x.to(memory_format=t.channels_last).clone(memory_format=t.contiguous_format),
    "float": lambda t, x: x.double().float(memory_format=t.channels_last),
    "ones_like": lambda t, x: t.ones_like(x, memory_format=t.channels_last),
    "full_like of one": lambda t, x: t.full_like(x.to(memory_format=t.channels_last), 3),
    "empty": lambda t, x: t.empty(2, 3, 4, 5, memory_format=t.channels_last).zero_(),
    "five dimensions": lambda t, x: x.unsqueeze(2).contiguous(memory_format=t.channels_last_3d),
    "empty_strided": lambda t, x: t.empty_strided((2, 3), (1, 4)).zero_(),
    "new_empty_strided": lambda t, x: x.new_empty_strided((2, 2, 2), (1, 2, 5), dtype=t.int16).zero_(),
    "empty_permuted": lambda t, x: t.empty_permuted((2, 3, 4), (1, 2, 0)).zero_(),
}


@pytest.mark.parametrize("program", _FORMATS.values(), ids=_FORMATS)
def test_memory_formats(program: View, torch: Any, candidate: Any) -> None:
    def facts(t: Any) -> Any:
        x = program(t, t.arange(120.0).reshape(2, 3, 4, 5))
        formats = [t.contiguous_format, t.channels_last, t.channels_last_3d]
        flags = [x.is_contiguous(memory_format=form) for form in formats]
        return tuple(x.shape), x.stride(), flags, x.double().tolist(), x.untyped_storage().nbytes(), x._is_view()

    assert facts(candidate) == facts(torch)


def test_relaid_in_place(torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> Any:
        x = t.arange(6.0)
        y = x.as_strided_((2, 2), (1, 2), 1)
        return y is x, x.tolist(), x.stride(), x.storage_offset(), x.swapaxes_(0, 1).tolist(), x.dim_order()

    assert outcome(candidate) == outcome(torch)


def test_a_format_that_fits_is_not_copied(candidate: Any) -> None:
    x = candidate.zeros(2, 3, 4, 5).to(memory_format=candidate.channels_last)
    assert x.contiguous(memory_format=candidate.channels_last) is x and x.to(memory_format=candidate.channels_last) is x
    assert x.contiguous() is not x


def test_gradients_flow_through_formats(candidate: Any) -> None:
    x = candidate.arange(24.0).reshape(1, 2, 3, 4).requires_grad_()
    (x.contiguous(memory_format=candidate.channels_last).double() ** 2).sum().backward()
    assert (x.grad == 2 * x).all()


def test_what_numpy_writes_a_tensor_reads(candidate: Any) -> None:
    """What was recorded before has what was there then."""
    array = np.zeros(3, np.float32)
    x = candidate.from_numpy(array)
    pending = x + 1
    array[0] = 5
    assert x.tolist() == [5, 0, 0] and pending.tolist() == [1, 1, 1]
    array[1] = 7
    assert pending.tolist() == [1, 1, 1]
    copied = candidate.tensor(array)
    array[2] = 9
    assert copied.tolist() == [5, 7, 0]


def test_what_a_tensor_writes_numpy_sees(candidate: Any) -> None:
    array = np.zeros(3, np.float32)
    x = candidate.from_numpy(array)
    x.add_(1)
    assert array.tolist() == [1, 1, 1] and x.numpy().tolist() == [1, 1, 1]
    view = x.numpy()
    view[1] = 4
    assert x.tolist() == [1, 4, 1] and np.shares_memory(view, x.numpy())


@pytest.mark.parametrize("part", [((2, 2), (1, 2), 0), ((2, 2), (2, 1), 1), ((3,), (3,), 2), ((), (), 4)])
def test_gradient_of_as_strided_scatter(part: tuple[tuple[int, ...], tuple[int, ...], int]) -> None:
    """What is replaced has no gradient, as finite differences say; PyTorch gives it that of the source."""
    x = lazygrad.arange(1.0, 10.0, dtype=lazygrad.float64).reshape(3, 3).requires_grad_()
    source = lazygrad.ones(part[0], dtype=lazygrad.float64, requires_grad=True)

    def scattered(x: Any, source: Any) -> Any:
        return lazygrad.as_strided_scatter(x, source, *part).square()

    assert lazygrad.autograd.gradcheck(scattered, (x, source))
    into_x, _ = lazygrad.autograd.grad(scattered(x, source).sum(), (x, source))
    assert (into_x == 0).sum().item() == source.numel()
