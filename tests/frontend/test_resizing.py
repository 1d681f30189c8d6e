"""resize_, resize_as_ and set_: other sizes and other memory in place."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")


def test_smaller_and_equal_sizes_look_at_the_same_memory() -> None:
    def run(t: Any) -> Any:
        x = t.arange(6.0)
        alias = x.view(2, 3)
        x.resize_(2, 2)
        x[0, 0] = 9
        return x, x.stride(), alias.clone(), alias.resize_((3, 2))

    assert_alike(run, torch, lg)


def test_larger_sizes_keep_the_elements() -> None:
    def run(t: Any) -> Any:
        x = t.arange(4.0)
        pointer = x.resize_(2, 4)
        return pointer is x, x[0], tuple(x.shape)  # what was not there before has any value

    assert_alike(run, torch, lg)


def test_resize_of_a_slice_starts_at_its_offset() -> None:
    def run(t: Any) -> Any:
        x = t.arange(6.0)[2:4]
        return x.resize_(3).clone(), x.resize_as_(t.zeros(2, 1)), x.storage_offset()

    assert_alike(run, torch, lg)


def test_set_shares_memory() -> None:
    def run(t: Any) -> Any:
        x, y = t.arange(6.0), t.zeros(2)
        y.set_(x)
        y[0] = 7
        z = t.zeros(1).set_(x.view(2, 3).t())
        return x, z, z.stride(), t.ones(3).set_()

    assert_alike(run, torch, lg)


@pytest.mark.parametrize("t", [lg, torch], ids=["lazygrad", "torch"])
def test_errors(t: Any) -> None:
    with pytest.raises(RuntimeError):
        t.ones(2, requires_grad=True).resize_(3)
    with pytest.raises(RuntimeError):
        t.ones(2).resize_(-1)
    with pytest.raises(RuntimeError):
        t.ones(2).set_(t.ones(2, dtype=t.int64))
