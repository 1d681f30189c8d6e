"""Conditions that public programs assert by PyTorch's functions for its tracers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

_HOLD: dict[str, Callable[[Any], Any]] = {
    "assert": lambda t: [t._assert(True, "x"), t._assert(3, None), t._assert(t.tensor([True]), "x")],
    "check": lambda t: [t._check(True), t._check(2 > 1, lambda: "x"), t._check(True, "x")],
    "sizes": lambda t: [t._check_is_size(0), t._check_is_size(3, max=3)],
    "all": lambda t: t._check_tensor_all(t.ones(3) > 0),
    "async": lambda t: [t._assert_async(t.tensor([True])), t._assert_async(t.tensor(float("nan")), "x")],
}
_FAIL: dict[str, Callable[[Any], Any]] = {
    "assert": lambda t: t._assert(False, "text"),
    "assert of a tensor": lambda t: t._assert(t.ones(2).sum() > 3, "text"),
    "async": lambda t: t._assert_async(t.tensor(0.0)),
    "async with text": lambda t: t._assert_async(t.tensor([False]), "text"),
    "async of several": lambda t: t._assert_async(t.ones(2)),
    "async of none": lambda t: t._assert_async(t.ones(0)),
    "check": lambda t: t._check(False),
    "check with text": lambda t: t._check(False, lambda: f"text {3}"),
    "check with": lambda t: t._check_with(KeyError, False, lambda: "text"),
    "value": lambda t: t._check_value(False, lambda: "text"),
    "type": lambda t: t._check_type(False, lambda: "text"),
    "index": lambda t: t._check_index(False),
    "not implemented": lambda t: t._check_not_implemented(False),
    "size": lambda t: t._check_is_size(-1),
    "size above": lambda t: t._check_is_size(4, lambda: "text", max=3),
    "all": lambda t: t._check_tensor_all(t.tensor([True, False]), lambda: "text"),
    "no bool": lambda t: t._check(1),
    "a tensor": lambda t: t._check(t.tensor(True)),
    "a message of text": lambda t: t._check(False, "text"),
    "all of no tensor": lambda t: t._check_tensor_all(True),
    "all of numbers": lambda t: t._check_tensor_all(t.ones(2)),
}


@pytest.mark.filterwarnings("ignore:_check_is_size will be removed")
@pytest.mark.parametrize("program", _HOLD.values(), ids=_HOLD)
def test_what_holds_says_nothing(program: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    assert program(candidate) == program(torch)


@pytest.mark.filterwarnings("ignore:_check_is_size will be removed")
@pytest.mark.parametrize("program", _FAIL.values(), ids=_FAIL)
def test_what_does_not_hold_is_said_as_by_torch(program: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    seen = []
    for framework in (candidate, torch):
        with pytest.raises(Exception) as raised:
            program(framework)
        seen.append((type(raised.value), str(raised.value).replace("lazygrad", "torch")))
    assert seen[0] == seen[1]
