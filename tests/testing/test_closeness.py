"""`assert_close` beside PyTorch's: what it accepts, and what it says of what it does not."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import testing

CASES: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "floats": lambda t: (t.tensor([1.0, 2.0, 3.0]), t.tensor([1.0, 2.0, 4.0])),
    "matrix": lambda t: (t.zeros(2, 2), t.tensor([[0.0, 1e-3], [0, 0]])),
    "close": lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.0 + 1e-6])),
    "halves": lambda t: (t.ones(3, dtype=t.float16), t.ones(3, dtype=t.float16) * 1.002),
    "bfloat16": lambda t: (t.ones(3, dtype=t.bfloat16), t.ones(3, dtype=t.bfloat16) * 1.01),
    "doubles": lambda t: (t.ones(3, dtype=t.float64), t.ones(3, dtype=t.float64) * (1 + 1e-6)),
    "integers": lambda t: (t.tensor([1, 2, 3]), t.tensor([1, 2, 4])),
    "bytes": lambda t: (t.tensor([1, 2], dtype=t.uint8), t.tensor([2, 255], dtype=t.uint8)),
    "bool tensors": lambda t: (t.tensor([True, False]), t.tensor([True, True])),
    "complex": lambda t: (t.tensor([1 + 1j]), t.tensor([2 + 1j])),
    "numbers": lambda t: (1.0, 2.0),
    "small numbers": lambda t: (0.0, 1e-8),
    "whole numbers": lambda t: (1, 2),
    "expected zero": lambda t: (1.0, 0.0),
    "complex numbers": lambda t: (1j, 2j),
    "numpy's numbers": lambda t: (np.float32(1), 2.0),
    "numpy's integer": lambda t: (np.int64(1), 1),
    "kinds of numbers": lambda t: (1, 1.0),
    "nan": lambda t: (nan, nan),
    "infinity": lambda t: (inf, 1.0),
    "infinities": lambda t: (inf, inf),
    "infinity expected": lambda t: (1.0, inf),
    "bools": lambda t: (True, False),
    "None": lambda t: (None, 1),
    "None twice": lambda t: (None, None),
    "texts": lambda t: ("a", "a"),
    "lengths": lambda t: ([1, 2], [1, 2, 3]),
    "inner lengths": lambda t: ([(1, 2)], [(1,)]),
    "keys": lambda t: ({"a": 1}, {"b": 1}),
    "nested": lambda t: ([t.zeros(2), {"a": t.ones(2)}], [t.zeros(2), {"a": t.ones(2) * 2}]),
    "keys in order": lambda t: ({"b": 1, "a": 2}, {"a": 3, "b": 5}),
    "list and tuple": lambda t: ((1,), [1]),
    "text in a list": lambda t: ([1, "a"], [1, "b"]),
    "empty": lambda t: ([], []),
    "shapes": lambda t: (t.zeros(2), t.zeros(3)),
    "dtypes": lambda t: (t.zeros(2), t.zeros(2, dtype=t.float64)),
    "no elements": lambda t: (t.zeros(0), t.zeros(0)),
    "0-dim": lambda t: (t.tensor(1.0), t.tensor(2.0)),
    "nan elements": lambda t: (t.tensor([nan, 1.0]), t.tensor([1.0, 2.0])),
    "infinite elements": lambda t: (t.tensor([inf, 1.0]), t.tensor([1.0, 1.0])),
    "arrays": lambda t: (np.zeros(2), np.ones(2)),
    "array and tensor": lambda t: (np.zeros(2), t.zeros(2)),
    "number and tensor": lambda t: (1, t.tensor(1)),
    "parameter": lambda t: (t.nn.Parameter(t.zeros(2)), t.zeros(2)),
    "sparse": lambda t: (t.eye(2).to_sparse(), t.eye(2).to_sparse()),
    "layouts": lambda t: (t.eye(2).to_sparse(), t.eye(2)),
    "devices": lambda t: (t.zeros(2, device="meta"), t.zeros(2)),
    "strides": lambda t: (t.zeros(2, 3), t.zeros(3, 2).t()),
}  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {
    "by default": {},
    "tolerant": {"rtol": 0.1, "atol": 0.6},
    "exact": {"rtol": 0, "atol": 0},
    "one tolerance": {"rtol": 0.1},
    "unchecked": {"check_dtype": False, "check_layout": False, "equal_nan": True},
    "strict": {"check_stride": True, "allow_subclasses": False},
    "message": {"msg": "another"},
    "made message": {"msg": lambda text: f"another: {text}"},
}


def _said(library: Any, assertion: Callable[..., None], case: str, options: dict[str, Any]) -> str:
    try:
        assertion(*CASES[case](library), **options)
    except (AssertionError, TypeError, ValueError) as error:
        text = str(error).replace("lazygrad.", "torch.").replace("torch.tensor.", "torch.")
        return f"{type(error).__name__}: {text}"
    return "close"


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("case", CASES)
def test_it_says_what_pytorch_says(case: str, options: str, torch: Any) -> None:
    expected = _said(torch, torch.testing.assert_close, case, OPTIONS[options])
    assert _said(lg, testing.assert_close, case, OPTIONS[options]) == expected


def test_keys_that_have_no_order_are_compared_as_they_come() -> None:
    with pytest.raises(AssertionError, match=r"item \['a'\]"):
        testing.assert_close({1: 1, "a": 2, 2: 1}, {1: 1, "a": 3, 2: 7})


DTYPES = ["bool", "uint8", "int8", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
MAKERS: dict[str, dict[str, Any]] = {
    "by default": {},
    "limits": {"low": 1, "high": 3},
    "gaps": {"noncontiguous": True},
    "no zeros": {"exclude_zero": True, "low": 0, "high": 2},
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", MAKERS)
def test_made_tensors_are_those_of_pytorch(dtype: str, options: str, torch: Any) -> None:
    made = []
    for library in (torch, lg):
        library.manual_seed(3)
        make = library.testing.make_tensor
        tensor = make((3, 4), dtype=getattr(library, dtype), device="cpu", **MAKERS[options])
        made.append((tensor.tolist(), tensor.is_contiguous(), tensor.requires_grad))
    assert made[0] == made[1]


def test_what_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="requires_grad"):
        testing.make_tensor(2, dtype=lg.int64, device="cpu", requires_grad=True)
    with pytest.raises(ValueError, match="low must be less than high"):
        testing.make_tensor(2, dtype=lg.float32, device="cpu", low=2, high=2)
    with pytest.raises(ValueError, match="mutually exclusive"):
        layout = lg.contiguous_format
        testing.make_tensor(2, dtype=lg.float32, device="cpu", noncontiguous=True, memory_format=layout)
    assert testing.make_tensor(2, dtype=lg.float32, device="cpu", requires_grad=True).requires_grad
