"""Nested tensors of the layout ``torch.jagged``, compared with PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg


def _facts_of(x: Any) -> list[Any]:
    lengths = x.lengths()
    return [
        [each.tolist() for each in x.unbind()], x.offsets().tolist(), None if lengths is None else lengths.tolist(),
        x.values().tolist(), x.requires_grad, x.is_leaf, x.is_nested, x.dim(), x.size(0), len(x), x.is_contiguous(),
        str(x.layout).rpartition(".")[2], str(x.dtype).rpartition(".")[2],
    ]  # fmt: skip


def _two(t: Any, **options: Any) -> Any:
    parts = [t.arange(6.0).reshape(2, 3), t.arange(12.0).reshape(4, 3) + 10]
    return t.nested.nested_tensor(parts, layout=t.jagged, **options)


def _narrowed(t: Any, start: Any, length: Any) -> Any:
    rows = t.arange(30.0).reshape(2, 5, 3)
    start, length = (t.tensor(each) if isinstance(each, list) else each for each in (start, length))
    return t.nested.narrow(rows, 1, start, length, layout=t.jagged)


MADE = {
    "of tensors": _two,
    "of lists": lambda t: t.nested.nested_tensor([[1.0, 2.0], [3.0]], layout=t.jagged),
    "of a tensor": lambda t: t.nested.nested_tensor(t.ones(2, 3, 4), layout=t.jagged),
    "of another dtype": lambda t: _two(t, dtype=t.float64),
    "a leaf": lambda t: _two(t, requires_grad=True),
    "along the last dimension": lambda t: t.nested.nested_tensor([t.ones(2, 3), t.ones(2, 4)], layout=t.jagged),
    "with a history": lambda t: t.nested.as_nested_tensor(
        [t.ones(2, 3, requires_grad=True), t.ones(1, 3)], layout=t.jagged
    ),
    "a tensor taken apart": lambda t: t.nested.as_nested_tensor(t.ones(2, 3, 4), layout=t.jagged),
    "of values": lambda t: t.nested.nested_tensor_from_jagged(t.arange(18.0).reshape(6, 3), t.tensor([0, 2, 6])),
    "of values and lengths": lambda t: t.nested.nested_tensor_from_jagged(t.ones(4, 2), lengths=t.tensor([1, 3])),
    "of values with gaps": lambda t: t.nested.nested_tensor_from_jagged(
        t.ones(6, 2), t.tensor([0, 3, 6]), lengths=t.tensor([1, 2])
    ),
    "of rows": lambda t: _narrowed(t, [0, 1], [2, 3]),
    "of rows from one place": lambda t: _narrowed(t, 0, [2, 3]),
    "picked": lambda t: t.nested.masked_select(
        t.arange(6.0).reshape(2, 3), t.tensor([[True, False, True], [False, True, False]])
    ),
    "copied": lambda t: _two(t).clone(),
    "detached": lambda t: _two(t, requires_grad=True).detach(),
    "converted": lambda t: _two(t).to(t.float64),
}


@pytest.mark.parametrize("name", MADE)
def test_they_are_made_as_in_torch(name: str, torch: Any) -> None:
    assert _facts_of(MADE[name](lg)) == _facts_of(MADE[name](torch))


def _pooled(t: Any) -> list[Any]:
    """As programs with sequences of different lengths compute: with the values, and with the offsets again."""
    t.manual_seed(0)
    layer, x = t.nn.Linear(3, 2), _two(t, requires_grad=True)
    around = t.nested.nested_tensor_from_jagged(layer(x.values()), x.offsets(), max_seqlen=5)
    (around.to_padded_tensor(0.0).sum(1) ** 2).sum().backward()
    assert tuple(around.to_padded_tensor(0.0).shape) == (2, 5, 2)
    last = t.stack([each[-1] for each in around.unbind()])
    values = [around.to_padded_tensor(-1.0), last, x.grad.values(), layer.weight.grad, x[1, 0], x[0]]
    return [each.detach().flatten().tolist() for each in values]


def test_programs_compute_with_the_values(torch: Any) -> None:
    for ours, theirs in zip(_pooled(lg), _pooled(torch), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-5)


@pytest.mark.parametrize("program", [
    lambda t: t.nested.nested_tensor([t.ones(2, 3), t.ones(4, 5)], layout=t.jagged),
    lambda t: t.nested.nested_tensor([t.ones(2, 3), t.ones(2)], layout=t.jagged),
    lambda t: t.nested.nested_tensor([t.tensor(1.0)], layout=t.jagged),
    lambda t: t.nested.nested_tensor([], layout=t.jagged),
    lambda t: t.nested.nested_tensor_from_jagged(t.ones(4, 2)),
    lambda t: t.nested.nested_tensor_from_jagged(t.ones(4, 2), t.tensor([[0, 4]])),
    lambda t: t.nested.narrow(t.ones(2, 5, 3), 2, 0, t.tensor([2, 3]), layout=t.jagged),
    lambda t: t.nested.narrow(t.ones(2, 5, 3), 1, 0, t.tensor([2, 3])),
])  # fmt: skip
def test_errors_are_torchs(program: Any, torch: Any) -> None:
    seen = []
    for t in (lg, torch):
        with pytest.raises((RuntimeError, AssertionError)) as caught:
            program(t)
        seen.append((type(caught.value), str(caught.value)))
    assert seen[0] == seen[1]


def test_what_is_left_out() -> None:
    x = _two(lg)
    with pytest.raises(NotImplementedError, match=r"compute with values\(\)"):
        lg.sin(x)
    with pytest.raises(AttributeError, match=r"'sin' of nested tensors: compute with values\(\)"):
        x.sin()
    gaps = lg.nested.nested_tensor_from_jagged(lg.ones(6, 2), lg.tensor([0, 3, 6]), lengths=lg.tensor([1, 2]))
    assert gaps.contiguous().values().shape == (3, 2) and x.contiguous() is x
    assert repr(gaps).startswith("NestedTensor(size=(2, j, 2), offsets=tensor([0, 3, 6]), contiguous=False)")
