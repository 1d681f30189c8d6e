"""uint16, uint32, uint64 and the 8-bit floats: casts and movements have torch's bits, all else is refused as there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad
from lazygrad.ir.dtype import STORAGE_DTYPES

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

_NAMES = [dtype.name for dtype in STORAGE_DTYPES]
_FLOAT8 = [dtype.name for dtype in STORAGE_DTYPES if dtype.is_float8]
_UNSIGNED = [dtype.name for dtype in STORAGE_DTYPES if not dtype.is_float8]
_OTHERS = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()


def _bits(t: Any, value: Any) -> Any:
    """What can be compared exactly; a NaN that is not of 8 bits has no bits worth comparing."""
    if not isinstance(value, t.Tensor):
        return [_bits(t, part) for part in value] if isinstance(value, (tuple, list)) else value
    facts = str(value.dtype).split(".")[-1], tuple(value.shape)
    if value.dtype.itemsize == 1 and value.dtype.is_floating_point:
        return *facts, value.view(t.uint8).tolist()
    if value.dtype.is_floating_point:
        numbers = value.double().tolist()
        return *facts, np.array(numbers).tobytes() if not np.isnan(numbers).any() else repr(numbers)
    return *facts, value.tolist()


def _outcome(t: Any, program: Callable[[Any, Any], Any], dtype: str) -> Any:
    x = t.tensor([1.0, 2.0, 4.0]).to(getattr(t, dtype))
    try:
        return _bits(t, program(t, x))
    except (RuntimeError, TypeError, IndexError, OverflowError, ValueError) as error:
        phrase = re.search(r"not implemented for '\w+'|Promotion for[^;]*", str(error))
        return type(error).__name__, phrase and phrase[0]


def _text(x: Any) -> str:
    """What is printed of a tensor, but for the framework's name and the device of the run."""
    return re.sub(r" device='simulated:0',", "", repr(x).replace("lazygrad", "torch"))


def _written(x: Any, index: Any, value: Any) -> Any:
    x = x.clone()
    x[index] = value
    return x


_PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    # computed
    "clone": lambda t, x: x.clone(),
    "eq": lambda t, x: x == x[t.tensor([2, 0, 1])],
    "eq number": lambda t, x: x == 2,
    "eq rounded number": lambda t, x: x == 2.06,
    "ne": lambda t, x: x != x[t.tensor([2, 0, 1])],
    "equal": lambda t, x: t.equal(x, x.clone()),
    "cat": lambda t, x: t.cat([x, x[1:]]),
    "stack": lambda t, x: t.stack([x, x], 1),
    "slice": lambda t, x: x[1:],
    "element": lambda t, x: x[1].item(),
    "tolist": lambda t, x: x.tolist(),
    "take at": lambda t, x: x[t.tensor([2, 0])],
    "masked": lambda t, x: x[t.tensor([True, False, True])],
    "write": lambda t, x: _written(x, 0, 3),
    "write a float": lambda t, x: _written(x, slice(1, None), 3.0),
    "write a tensor": lambda t, x: _written(x, slice(1, None), x[:2]),
    "copy_": lambda t, x: x.clone().copy_(t.tensor([5.0, 6.0, 7.0])),
    "fill_": lambda t, x: x.clone().fill_(7),
    "zeros": lambda t, x: t.zeros(3, dtype=x.dtype),
    "ones_like": lambda t, x: t.ones_like(x),
    "full": lambda t, x: t.full((2,), 6, dtype=x.dtype),
    "tensor": lambda t, x: t.tensor([[1, 2], [3, 4]], dtype=x.dtype),
    "tensor of floats": lambda t, x: t.tensor([1.0, 0.4, 300.0], dtype=x.dtype),
    "where": lambda t, x: t.where(x == 2, x, x[t.tensor([2, 0, 1])]),
    "expand": lambda t, x: x.expand(2, 3).contiguous(),
    "transpose": lambda t, x: x.reshape(3, 1).T.clone(),
    "repeat": lambda t, x: x.repeat(2, 2),
    "roll": lambda t, x: x.roll(1),
    "gather": lambda t, x: x.gather(0, t.tensor([1, 1])),
    "index_select": lambda t, x: x.index_select(0, t.tensor([1, 1])),
    "pad": lambda t, x: t.nn.functional.pad(x, (1, 2), value=1.0),
    "as bytes": lambda t, x: x.view(t.uint8),
    "as bytes and back": lambda t, x: x.view(t.uint8).view(x.dtype),
    "type": lambda t, x: x.type().split(".")[-1],
    "repr": lambda t, x: _text(t.stack([x, x])),
    "repr of none": lambda t, x: _text(x[:0]),
    "finfo or iinfo": lambda t, x: repr((t.finfo if x.is_floating_point() else t.iinfo)(x.dtype)),
    "facts": lambda t, x: [x.dtype.itemsize, x.dtype.is_floating_point, x.dtype.is_signed, x.dtype.is_complex],
    "mul": lambda t, x: x * x,
    "mul number": lambda t, x: x * 3,
    "abs": lambda t, x: abs(x),
    "and": lambda t, x: x & x,
    "div": lambda t, x: x / x,
    "sum": lambda t, x: x.sum(),
    "exp": lambda t, x: x.exp().round(decimals=3),
    "sort": lambda t, x: x[t.tensor([2, 0, 1])].sort().values,
    "round": lambda t, x: x.round(),
    "add float32": lambda t, x: x + t.ones(3),
    # refused
    "add": lambda t, x: x + x,
    "add number": lambda t, x: x + 1,
    "add int64": lambda t, x: x + t.ones(3, dtype=t.int64),
    "add bool": lambda t, x: x + t.ones(3, dtype=t.bool),
    "sub": lambda t, x: x - x,
    "neg": lambda t, x: -x,
    "lt": lambda t, x: x < x,
    "invert": lambda t, x: ~x,
    "shift": lambda t, x: x << 1,
    "floor_divide": lambda t, x: x // x,
    "remainder": lambda t, x: x % x,
    "pow": lambda t, x: x**2,
    "max": lambda t, x: x.max(),
    "min": lambda t, x: x.min(),
    "argmax": lambda t, x: x.argmax(),
    "in place": lambda t, x: x.clone().add_(1),
    "as index": lambda t, x: t.ones(5)[x],
}
# Elements are moved here whatever their dtype; torch lacks these kernels for some.
_MOVED_ALL = [_PROGRAMS[name] for name in ("gather", "index_select")]


@pytest.mark.parametrize("dtype", _NAMES)
@pytest.mark.parametrize("program", _PROGRAMS.values(), ids=_PROGRAMS)
def test_programs_agree(program: Callable[[Any, Any], Any], dtype: str) -> None:
    mine, theirs = _outcome(lazygrad, program, dtype), _outcome(torch, program, dtype)
    if program in _MOVED_ALL and theirs[0] == "NotImplementedError":
        assert mine[0] == dtype
        return
    assert mine == theirs


def _numbers_of(dtype: str) -> np.ndarray:
    """float32 numbers around all that a format holds: their upper halves, with what decides roundings below them."""
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    drawn = np.random.default_rng(0).integers(0, 1 << 32, 50_000, dtype=np.uint32)
    return np.concatenate([upper, upper | 1, upper | 0x8000, upper | 0xFFFF, drawn]).view(np.float32)


@pytest.mark.parametrize("dtype", _FLOAT8)
def test_floats_are_rounded_as_torch_rounds_them(dtype: str) -> None:
    numbers = _numbers_of(dtype)
    mine = lazygrad.tensor(numbers).to(getattr(lazygrad, dtype)).view(lazygrad.uint8).numpy()
    theirs = torch.tensor(numbers).to(getattr(torch, dtype)).view(torch.uint8).numpy()
    np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("other", _OTHERS)
@pytest.mark.parametrize("dtype", _FLOAT8)
def test_every_code_becomes_the_number_of_torch(dtype: str, other: str) -> None:
    def converted(t: Any) -> Any:
        numbers = t.arange(256, dtype=t.uint8).view(getattr(t, dtype))
        if not getattr(t, other).is_floating_point and not getattr(t, other).is_complex:
            wide = numbers.float()
            numbers = numbers[(wide >= 0) & (wide < 100)]  # of others C++ says nothing
        return numbers.to(getattr(t, other))

    mine, theirs = converted(lazygrad), converted(torch)
    assert str(mine.dtype).split(".")[-1] == str(theirs.dtype).split(".")[-1]
    if other == "bfloat16":
        mine, theirs = mine.float(), theirs.float()
    np.testing.assert_array_equal(mine.numpy(), theirs.numpy())


@pytest.mark.parametrize("other", _OTHERS)
@pytest.mark.parametrize("dtype", _NAMES)
def test_casts_from_other_dtypes(dtype: str, other: str) -> None:
    def cast(t: Any) -> Any:
        numbers = t.tensor([0.0, 1.0, 1.0625, 3.0, 3.5, 17.0, 100.5, 127.0])
        return _bits(t, numbers.to(getattr(t, other)).to(getattr(t, dtype)))

    assert cast(lazygrad) == cast(torch)


@pytest.mark.parametrize("other", [*_OTHERS, *_UNSIGNED])
@pytest.mark.parametrize("dtype", _UNSIGNED)
def test_large_unsigned_numbers_cast_as_in_torch(dtype: str, other: str) -> None:
    def cast(t: Any) -> Any:
        largest = 2 ** (8 * getattr(t, dtype).itemsize) - 1
        return _bits(t, t.tensor([0, 1, largest // 2, largest // 2 + 1, largest], dtype=getattr(t, dtype)).to(
            getattr(t, other)))  # fmt: skip

    if other in ("complex64", "complex128"):
        pytest.skip("its numbers are compared as those of float32 and float64")
    assert cast(lazygrad) == cast(torch)


def _is_error(outcome: Any) -> bool:
    return str(outcome[0]).endswith("Error")


@pytest.mark.parametrize("value", [-1, 70_000, 2**32, 2**63, 2**64 - 1, 2**64])
@pytest.mark.parametrize("dtype", _UNSIGNED)
def test_numbers_out_of_range(dtype: str, value: int) -> None:
    programs: list[Callable[[Any, Any], Any]] = [
        lambda t, x: t.tensor([value], dtype=x.dtype),
        lambda t, x: t.full((2,), value, dtype=x.dtype),
    ]
    if value < 2**63 or dtype == "uint64":
        programs.append(lambda t, x: (x == value) if 0 <= value < 2**64 else x)
    for program in programs:
        mine, theirs = _outcome(lazygrad, program, dtype), _outcome(torch, program, dtype)
        assert mine == theirs or (_is_error(mine) and _is_error(theirs))


@pytest.mark.parametrize("dtype", _UNSIGNED)
def test_numpy_has_the_unsigned_ones(dtype: str) -> None:
    array = np.array([1, 2, 2 ** (8 * np.dtype(dtype).itemsize) - 1], dtype)
    tensor = lazygrad.from_numpy(array)
    assert tensor.dtype is getattr(lazygrad, dtype)
    assert tensor.numpy() is not None
    assert tensor.numpy().dtype == array.dtype
    array[0] = 7
    assert tensor.tolist() == array.tolist()


@pytest.mark.parametrize("dtype", _FLOAT8)
def test_numpy_has_no_float8(dtype: str) -> None:
    with pytest.raises(TypeError, match=r"unsupported ScalarType Float8_e.*\.float\(\)\.numpy"):
        lazygrad.zeros(2, dtype=getattr(lazygrad, dtype)).numpy()


def test_gradients_flow_through_a_cast() -> None:
    for t in (lazygrad, torch):
        x = t.tensor([1.0, 2.1, 3.3], requires_grad=True)
        (x.to(t.float8_e5m2).float() * t.tensor([1.0, 3.0, 0.3])).sum().backward()
        assert x.grad.tolist() == [1.0, 3.0, 0.3125]


@pytest.mark.parametrize("dtype", _NAMES)
def test_they_take_part_in_plans(dtype: str) -> None:
    """What is computed with them before and behind, in one program, in every back end."""

    def program(t: Any) -> Any:
        x = (t.arange(12.0).reshape(3, 4) * 2.5).to(getattr(t, dtype))
        y = t.cat([x.T.reshape(2, 6), x.reshape(2, 6)[:, ::2]], 1)
        chosen = t.where(y == y[0, 1], y, y[t.tensor([1, 0])])
        return [_bits(t, value) for value in (x, y, chosen, chosen.float() * 0.5 + 1, y.to(t.float16))]

    assert program(lazygrad) == program(torch)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", _UNSIGNED)
def test_large_unsigned_numbers_are_in_order(dtype: str, descending: bool) -> None:
    most = (1 << 8 * np.dtype(dtype).itemsize) - 1
    numbers = np.array([1, most, 0, most // 2 + 1, most // 2, 5], dtype)

    def order(t: Any) -> Any:
        return t.tensor(numbers).argsort(descending=descending).tolist()

    assert order(lazygrad) == order(torch)
