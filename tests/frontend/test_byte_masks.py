"""Masks of ``uint8``, from before there was ``bool``: read and written with a warning, and one number is refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg

CALLS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "read": lambda t, x, mask, rows: x[mask],
    "read rows": lambda t, x, mask, rows: x[rows],
    "read columns": lambda t, x, mask, rows: x[:, t.tensor([1, 0, 1], dtype=t.uint8)],
    "read by two masks": lambda t, x, mask, rows: x[rows, t.tensor([1, 0, 0], dtype=t.uint8)],
    "read by mask and places": lambda t, x, mask, rows: x[rows, t.tensor([1])],
    "read by 0-dim mask": lambda t, x, mask, rows: x[t.tensor(0, dtype=t.uint8)],
    "read by a mask of another shape": lambda t, x, mask, rows: x[t.ones(3, dtype=t.uint8)],
    "write": lambda t, x, mask, rows: x.__setitem__(mask, t.tensor([7.0, 8.0, 9.0])),
    "write a number": lambda t, x, mask, rows: x.__setitem__(mask, 5.0),
    "write one element": lambda t, x, mask, rows: x.__setitem__(mask, t.tensor([[5.0]])),
    "write a number to part of rows": lambda t, x, mask, rows: x.__setitem__((rows, 1), 5.0),
    "write a number by two masks": lambda t, x, mask, rows: x.__setitem__(
        (rows, t.tensor([1, 0, 0], dtype=t.uint8)), 5.0
    ),
    "write a number by mask and places": lambda t, x, mask, rows: x.__setitem__((rows, t.tensor([1])), 5.0),
    "write a number by a 0-dim mask": lambda t, x, mask, rows: x.__setitem__(t.tensor(1, dtype=t.uint8), 5.0),
    "add in place": lambda t, x, mask, rows: x.__setitem__(mask, x[mask] + 1),
    "index_put_": lambda t, x, mask, rows: x.index_put_((mask,), t.tensor([7.0, 8.0, 9.0])),
    "index_put_ of a number": lambda t, x, mask, rows: x.index_put_((mask,), t.tensor(5.0)),
    "index_put": lambda t, x, mask, rows: t.index_put(x, (rows,), t.tensor(5.0)),
    "index_put_ that adds": lambda t, x, mask, rows: x.index_put_((rows,), t.tensor(5.0), accumulate=True),
    "masked_fill": lambda t, x, mask, rows: x.masked_fill(mask, 9.0),
    "where": lambda t, x, mask, rows: t.where(mask, x, -x),
}


def outcome(call: Callable[[Any, Any, Any, Any], Any], t: Any) -> Any:
    x = t.arange(6.0).reshape(2, 3)
    mask, rows = t.tensor([[1, 0, 2], [0, 1, 0]], dtype=t.uint8), t.tensor([1, 0], dtype=t.uint8)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = call(t, x, mask, rows)
            seen: Any = [x.tolist(), None if result is None else result.tolist()]
        except (RuntimeError, IndexError) as error:
            seen = type(error).__name__
    return seen, len(found), {str(each.message).partition(" (Triggered")[0] for each in found}


@pytest.mark.parametrize("name", CALLS)
def test_a_mask_of_bytes_does_what_it_does_in_torch(name: str, torch: Any) -> None:
    seen, count, texts = outcome(CALLS[name], lg)
    was_always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        assert (seen, count, texts) == outcome(CALLS[name], torch)
    finally:
        torch.set_warn_always(was_always)


def test_a_gradient_passes_what_a_mask_of_bytes_left(torch: Any) -> None:
    gradients = []
    for t in (lg, torch):
        x = t.arange(6.0).reshape(2, 3).requires_grad_()
        y = x * 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y[t.tensor([[1, 0, 2], [0, 1, 0]], dtype=t.uint8)] = t.tensor([7.0, 8.0, 9.0])
            y.sum().backward()
        gradients.append(x.grad.tolist())
    assert gradients[0] == gradients[1]
