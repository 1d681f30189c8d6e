"""Made inputs: any shape (0-dim, empty), memory layout, dtype and special value, any dimension, right or wrong."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")
pytest.importorskip("expecttest", reason="torch's database of operations needs expecttest")

import lazygrad as lg  # noqa: E402
from tests.oracle.comparing import Leaf, difference, outcome_of  # noqa: E402
from tests.oracle.translate import DTYPES, copied, translated  # noqa: E402
from tests.selection import share  # noqa: E402

from .checks import CLOSENESS  # noqa: E402

_UNARY = """abs neg exp expm1 log1p sqrt sin cos tanh sigmoid floor ceil round trunc sign square isnan isinf isfinite
    reciprocal rsqrt erf relu logical_not nan_to_num clone contiguous flatten ravel numel isreal signbit sgn frac atan
    asinh sinc deg2rad positive""".split()
_BINARY = """add sub mul div true_divide floor_divide remainder fmod pow eq ne lt le gt ge maximum minimum atan2
    logical_and logical_or logical_xor bitwise_and bitwise_or copysign hypot xlogy logaddexp fmax fmin heaviside
    where_positive isclose""".split()
_REDUCTIONS = """sum mean prod amax amin any all var std logsumexp count_nonzero nansum nanmean argmax argmin
    max min median cumsum cumprod softmax log_softmax sort argsort norm aminmax""".split()
_SHAPES: dict[str, Callable[..., Any]] = {
    "transpose": lambda t, x, a, b: t.transpose(x, a, b),
    "movedim": lambda t, x, a, b: t.movedim(x, a, b),
    "unsqueeze": lambda t, x, a, b: t.unsqueeze(x, a),
    "squeeze": lambda t, x, a, b: t.squeeze(x, a),
    "flip": lambda t, x, a, b: t.flip(x, (a, b)),
    "roll": lambda t, x, a, b: t.roll(x, (1, 2), (a, b)),
    "select": lambda t, x, a, b: t.select(x, a, b),
    "narrow": lambda t, x, a, b: t.narrow(x, a, b, 1),
    "unbind": lambda t, x, a, b: t.unbind(x, a),
    "chunk": lambda t, x, a, b: t.chunk(x, 2, a),
    "diagonal": lambda t, x, a, b: t.diagonal(x, 0, a, b),
    "stack": lambda t, x, a, b: t.stack([x, x], a),
    "cat": lambda t, x, a, b: t.cat([x, x], a),
    "repeat_interleave": lambda t, x, a, b: t.repeat_interleave(x, 2, a),
    "flatten": lambda t, x, a, b: t.flatten(x, a, b),
    "tile": lambda t, x, a, b: t.tile(x, (a, b)),
    "expand": lambda t, x, a, b: x.expand(a, b, *x.shape),
    "index": lambda t, x, a, b: x[a, ..., b],
    "slice": lambda t, x, a, b: x[a:, None, b:],
    "mask": lambda t, x, a, b: x[x != a],
    "rows": lambda t, x, a, b: x[[a, b]],
    "rot90": lambda t, x, a, b: t.rot90(x, 1, (a, b)),
}

_NUMBERS = {
    "floating": st.sampled_from([0.0, -0.0, 1.0, -2.5, 0.3, 7.0, float("nan"), float("inf"), float("-inf")]),
    "integer": st.sampled_from([0, 1, 2, 3, 7]),
    "bool": st.booleans(),
    "complex": st.sampled_from([0j, 1 + 2j, -0.5j, 3 - 1j]),
}
_SHAPES_DRAWN = st.lists(st.sampled_from([0, 1, 1, 2, 3, 4]), max_size=3).map(tuple)

# Compiling a plan for each example takes gcc a fifth of a second: on that backend two must do.
_settings = settings(
    max_examples=2 if os.environ.get("LAZYGRAD_BACKEND") == "c" else share(60),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


pytestmark = pytest.mark.deeper


def _kind(dtype: Any) -> str:
    if dtype.is_complex:
        return "complex"
    return "bool" if dtype is torch.bool else "floating" if dtype.is_floating_point else "integer"


@st.composite
def tensors(draw: Any, shape: tuple[int, ...] | None = None) -> Any:
    """A torch tensor: contiguous, transposed, every second element of another, or expanded from one."""
    shape = draw(_SHAPES_DRAWN) if shape is None else shape
    dtype = draw(st.sampled_from(tuple(DTYPES)))
    layout = draw(st.sampled_from(["contiguous", "transposed", "strided", "expanded"]))
    memory = {"transposed": shape[::-1], "strided": (*shape, 2), "expanded": shape[1:]}.get(layout, shape)
    count = torch.Size(memory).numel()
    values = draw(st.lists(_NUMBERS[_kind(dtype)], min_size=count, max_size=count))
    base = torch.tensor(values, dtype=dtype).reshape(memory)
    if layout == "transposed":
        return base.permute(tuple(reversed(range(len(shape)))))
    if layout == "strided":
        return base[..., 0]
    return base.expand(shape) if layout == "expanded" else base


def _outcome(function: Callable[..., Any], t: Any, *args: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return outcome_of(function(t, *args))
    except Exception as error:
        return error


def _is_empty(outcome: dict[str, Any]) -> bool:
    return any(isinstance(part, Leaf) and 0 in part.shape for part in outcome.values())


def _agree(function: Callable[..., Any], *args: Any) -> None:
    """Equal results, or errors."""
    expected = _outcome(function, torch, *copied(args))
    actual = _outcome(function, lg, *translated(args))
    if isinstance(actual, Exception):
        assert isinstance(actual, (RuntimeError, IndexError, TypeError, ValueError)), actual
        # Torch looks at an empty tensor's arguments less closely; which of two faults is named is not promised.
        assert isinstance(expected, Exception) or _is_empty(expected), (expected, actual)
    elif isinstance(expected, Exception):
        raise AssertionError(f"torch raises {expected!r}, lazygrad returns {actual}")
    else:
        wrong = difference(expected, actual, replace(CLOSENESS, values=not _is_infinite_complex(expected)))
        assert wrong is None, wrong


def _is_infinite_complex(outcome: dict[str, Any]) -> bool:
    """Whether complex NaN or infinity came out, whose parts depend on how products are written down."""
    leaves = [leaf for leaf in outcome.values() if isinstance(leaf, Leaf)]
    return any(leaf.dtype.startswith("complex") and not np.isfinite(leaf.values).all() for leaf in leaves)


@pytest.mark.parametrize("name", _UNARY)
@_settings
@given(tensors())
def test_one_tensor(name: str, x: Any) -> None:
    _agree(lambda t, x: getattr(t, name)(x) if hasattr(t, name) else getattr(x, name)(), x)


def _broadcastable(shape: tuple[int, ...], keep: list[bool], dropped: int) -> tuple[int, ...]:
    """A shape that broadcasts with ``shape``: some sizes 1, some leading dimensions gone."""
    return tuple(size if kept else 1 for size, kept in zip(shape, keep, strict=False))[dropped:]


@pytest.mark.parametrize("name", _BINARY)
@_settings
@given(st.data())
def test_two_tensors(name: str, data: Any) -> None:
    shape = data.draw(_SHAPES_DRAWN)
    keep = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    x = data.draw(tensors(shape))
    y = data.draw(tensors(_broadcastable(shape, keep, data.draw(st.integers(0, len(shape))))))

    assume({x.dtype.is_complex, y.dtype.is_complex} == {False} or torch.float16 not in (x.dtype, y.dtype))

    def function(t: Any, x: Any, y: Any) -> Any:
        return t.where(x != 0, x, y) if name == "where_positive" else getattr(t, name)(x, y)

    _agree(function, x, y)


@pytest.mark.parametrize("name", _REDUCTIONS)
@_settings
@given(x=tensors(), dim=st.integers(-4, 3), keepdim=st.booleans())
def test_one_dimension(name: str, x: Any, dim: int, keepdim: bool) -> None:
    options = {} if name in _WITHOUT_KEEPDIM else {"keepdim": keepdim}
    if name == "median":
        x = x.contiguous()  # of an expanded tensor torch reads what lies behind its memory
    _agree(lambda t, x: getattr(t, name)(x, dim=dim, **options), x)


_WITHOUT_KEEPDIM = "cumsum cumprod softmax log_softmax sort argsort count_nonzero".split()


@pytest.mark.parametrize("name", _SHAPES)
@_settings
@given(x=tensors(), a=st.integers(-4, 4), b=st.integers(-4, 4))
def test_dimensions_and_parts(name: str, x: Any, a: int, b: int) -> None:
    _agree(lambda t, x: _SHAPES[name](t, x, a, b), x)
