"""`torch.nested`: tensors of different sizes kept together."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import lazygrad as lg
import lazygrad.nested
from tests.oracle.comparing import error_class


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def _two(t: Any, **options: Any) -> Any:
    return t.nested.nested_tensor([t.arange(6.0).reshape(2, 3), t.arange(12.0).reshape(4, 3) + 10], **options)


def _facts(t: Any) -> Any:
    x = _two(t)
    return (
        x.is_nested, x.dim(), x.ndim, x.size(0), x.size(2), x.size(-1), x.size(-3), x.numel(), x.requires_grad,
        x.dtype is t.float32, x.layout is t.strided, str(x.device), [each.tolist() for each in x.unbind()],
        [tuple(each.shape) for each in x], x[1].tolist(), x[-1, 0].tolist(), x[1, 0, 2].item(), x.is_leaf,
        x.to(t.float64).unbind()[0].dtype is t.float64, x.clone().size(0), x.detach().requires_grad,
    )  # fmt: skip


def _padded(t: Any) -> Any:
    x = _two(t)
    lines = t.nested.nested_tensor([[1, 2], [3.5], []])
    return [
        x.to_padded_tensor(-1.0).tolist(), t.nested.to_padded_tensor(x, 0.5, (3, 5, 4)).tolist(),
        lines.to_padded_tensor(0).tolist(), t.nested.nested_tensor([]).to_padded_tensor(0.0).tolist(),
        t.nested.as_nested_tensor(t.ones(2, 3)).to_padded_tensor(0.0).tolist(),
    ]  # fmt: skip


def _texts(t: Any) -> Any:
    return [repr(t.nested.nested_tensor([t.ones(2), t.zeros(3)])), repr(_two(t, requires_grad=True)),
            repr(t.nested.nested_tensor([[[1, 2], [3, 4]], [[5, 6]]]))]  # fmt: skip


def _gradients(t: Any) -> Any:
    x = _two(t, requires_grad=True)
    (x.to_padded_tensor(3.0) ** 2).sum().backward()
    given = t.ones(2, 3, requires_grad=True)
    kept = t.nested.as_nested_tensor([given, t.zeros(1, 3)])
    (kept.to_padded_tensor(2.0) * 5).sum().backward()
    source = t.ones(2, requires_grad=True)
    copied = t.nested.nested_tensor([source])
    return [each.tolist() for each in x.grad.unbind()], given.grad.tolist(), kept.requires_grad, copied.requires_grad


def _dtypes(t: Any) -> Any:
    nested, integers = t.nested, t.ones(2, dtype=t.int64)
    return [
        nested.nested_tensor([integers, t.ones(3)]).dtype is t.int64,
        nested.as_nested_tensor([t.ones(2), integers]).dtype is t.float32,
        nested.nested_tensor([integers], dtype=t.float64).dtype is t.float64,
        nested.nested_tensor([]).dtype is t.float32,
        nested.nested_tensor([]).size(0),
        nested.nested_tensor([]).dim(),
    ]


@pytest.mark.parametrize("program", [_facts, _padded, _gradients, _dtypes])
def test_programs_are_torchs(torch: ModuleType, program: Any) -> None:
    assert program(lg) == program(torch)


@pytest.mark.host_memory("tensors of other devices print their device")
def test_texts_are_torchs(torch: ModuleType) -> None:
    assert _texts(lg) == _texts(torch)


@pytest.mark.parametrize("program", [
    lambda t: _two(t).size(1),
    lambda t: _two(t).size(3),
    lambda t: _two(t).unbind(1),
    lambda t: _two(t)[2],
    lambda t: _two(t).to_padded_tensor(0.0, (2, 2, 3)),
    lambda t: _two(t).to_padded_tensor(0.0, (2, 4)),
    lambda t: t.nested.nested_tensor(t.ones(2, 3)),
    lambda t: t.nested.nested_tensor(3),
    lambda t: t.nested.nested_tensor([t.ones(2, 3), t.ones(2)]),
    lambda t: t.nested.nested_tensor([t.ones(2)], layout=t.sparse_coo),
])  # fmt: skip
def test_errors_are_torchs(torch: ModuleType, program: Any) -> None:
    messages = []
    for t in (lg, torch):
        with pytest.raises(Exception) as caught:
            program(t)
        messages.append((error_class(caught.value), str(caught.value).replace("lazygrad.", "torch.")))
    assert messages[0][0] is messages[1][0]
    numbers = " for Tensor at index"  # which of two tensors PyTorch calls the first is not said
    assert messages[0][1].partition(numbers)[0][:60] == messages[1][1].partition(numbers)[0][:60]


def test_what_is_left_out() -> None:
    x = _two(lg)
    for program in (lambda: x[0:1], lambda: lg.sin(x), lambda: lg.cos(x)):
        with pytest.raises(NotImplementedError, match=r"unbind\(\)"):
            program()
    with pytest.raises(AttributeError, match=r"'sin' of nested tensors: call unbind\(\)"):
        x.sin()
    with pytest.raises(NotImplementedError, match="padded by"):
        lg.nested.to_padded_tensor(lg.ones(2), 0.0)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"ask size\(dim\)"):
        x.size()
