"""Tensors in other libraries: numpy's functions, the array API standard, DLPack, einops, scikit-learn and friends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

on_the_host = pytest.mark.host_memory("other libraries read the memory of tensors")

_NUMPY: dict[str, Callable[[Any], Any]] = {
    "ufunc": np.sin,
    "ufunc with an array": lambda x: np.add(np.ones((2, 3), np.float32), x),
    "array * tensor": lambda x: np.full((2, 3), 2, np.float32) * x,
    "array - tensor": lambda x: np.ones((2, 3), np.float32) - x,
    "array @ tensor": lambda x: np.ones((4, 2), np.float32) @ x,
    "tensor / array": lambda x: x / np.full(3, 2, np.float32),
    "array < tensor": lambda x: np.zeros((2, 3), np.float32) < x,
    "numpy number * tensor": lambda x: np.float32(3) * x,
    "concatenate": lambda x: np.concatenate([x, x]),
    "stack": lambda x: np.stack([x, x], 1),
    "where": lambda x: np.where(x > 1, x, 0),
    "sum": lambda x: np.sum(x),
    "mean over an axis": lambda x: np.mean(np.asarray(x), axis=0),
    "asarray": lambda x: np.asarray(x, dtype=np.float64),
    "shape": np.shape,
    "iteration": lambda x: [np.asarray(row) for row in x],
    "reversed": lambda x: [np.asarray(row) for row in reversed(x)],
    "list of rows": lambda x: np.array(list(x[0])),
}


@on_the_host
@pytest.mark.parametrize("function", _NUMPY.values(), ids=_NUMPY)
def test_numpy_takes_tensors(function: Callable[[Any], Any]) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3) / 2
    expected, found = function(array), function(lg.tensor(array))
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-6)
    assert np.asarray(found).dtype == np.asarray(expected).dtype


@on_the_host
def test_numpy_operators_give_tensors() -> None:
    x = lg.ones(3)
    assert all(isinstance(y, lg.Tensor) for y in (np.ones(3) * x, np.ones((2, 3)) @ x, np.float32(2) + x, np.sin(x)))


@on_the_host
def test_dlpack_with_torch_and_numpy_shares_memory() -> None:
    torch = pytest.importorskip("torch", reason="torch is the other side of these exchanges, and is not installed")
    theirs = torch.arange(6.0).reshape(2, 3)
    ours = lg.from_dlpack(theirs)
    theirs[0, 0] = 9
    assert ours.tolist() == theirs.tolist()
    back = torch.from_dlpack(lg.arange(4, dtype=lg.int16))
    assert back.tolist() == [0, 1, 2, 3] and back.dtype == torch.int16
    source = lg.arange(3.0)
    array = np.from_dlpack(source)
    assert np.shares_memory(array, source.numpy())
    with pytest.raises(BufferError, match="gradient"):
        np.from_dlpack(lg.ones(1, requires_grad=True))


def test_foreign_buffers(tmp_path: Any) -> None:
    data = bytearray(np.arange(4, dtype=np.int16).tobytes())
    x = lg.frombuffer(data, dtype=lg.int16, offset=2)
    data[2] = 7
    assert x.tolist() == [7, 2, 3]
    for options in ({"offset": 100}, {"count": 9}, {"offset": 1}):
        with pytest.raises(ValueError, match="buffer length"):
            lg.frombuffer(data, dtype=lg.int16, **options)
    np.arange(5, dtype=np.float32).tofile(tmp_path / "numbers")
    assert lg.from_file(str(tmp_path / "numbers"), size=3).tolist() == [0, 1, 2]


def test_no_more_of_a_file_is_mapped_than_there_is(tmp_path: Any) -> None:
    path = tmp_path / "numbers"
    np.arange(5, dtype=np.float32).tofile(path)
    for size in (6, 2**40, 2**61, 2**64, -1):
        with pytest.raises(RuntimeError, match="from_file"):
            lg.from_file(str(path), size=size)
    for size in (-1, 2**61):
        with pytest.raises(RuntimeError, match="from_file"):
            lg.from_file(str(path), shared=True, size=size)
    with pytest.raises(TypeError, match="size must be an int"):
        lg.from_file(str(path), size=2.0)  # type: ignore[arg-type]
    assert path.stat().st_size == 20
    assert lg.from_file(str(path), shared=True, size=7).tolist() == [0, 1, 2, 3, 4, 0, 0] and path.stat().st_size == 28


# The array API standard.


def test_array_namespace() -> None:
    compat = pytest.importorskip("array_api_compat", reason="array-api-compat is not installed")
    assert compat.array_namespace(lg.ones(1), lg.ones(2)) is lg.array_api


def test_kinds_of_dtypes() -> None:
    xp = lg.array_api
    assert xp.isdtype(xp.int8, "signed integer") and xp.isdtype(xp.uint8, ("bool", "unsigned integer"))
    assert not xp.isdtype(xp.float32, "integral") and xp.isdtype(xp.float32, xp.float32)
    assert xp.result_type(lg.ones(2, dtype=lg.int8), xp.int32, 1.5) is lg.float32
    assert xp.can_cast(xp.int8, xp.int32) and xp.finfo(xp.float32).bits == 32
    with pytest.raises(ValueError, match="unknown kind"):
        xp.isdtype(xp.int8, "number")
    with pytest.raises(AttributeError, match="no attribute"):
        _ = xp.nothing_of_this_name


# Libraries that take whatever numpy takes.


@on_the_host
def test_scikit_learn_fits_tensors() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not installed")
    x = lg.arange(12.0).reshape(6, 2) % 5
    model = linear_model.LinearRegression().fit(x, x @ lg.tensor([2.0, -1.0]) + 3)
    np.testing.assert_allclose(model.coef_, [2, -1], atol=1e-5)
    assert model.predict(x).shape == (6,)


@on_the_host
def test_matplotlib_draws_tensors() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    _, axes = pyplot.subplots()
    (line,) = axes.plot(lg.arange(4.0), lg.arange(4.0) ** 2)
    image = axes.imshow(lg.eye(3))
    axes.hist(lg.arange(5.0))
    assert line.get_ydata().tolist() == [0, 1, 4, 9] and image.get_array().shape == (3, 3)
    pyplot.close("all")


@on_the_host
def test_pandas_takes_tensors() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(lg.eye(2), columns=["a", "b"])
    series = pandas.Series(lg.arange(3))
    assert frame["a"].tolist() == [1, 0] and series.sum() == 3
    assert lg.tensor(frame.to_numpy()).shape == (2, 2)


# einops.


def test_einops() -> None:
    einops = pytest.importorskip("einops", reason="einops is not installed")
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = lg.tensor(array)
    programs = [
        lambda y: einops.rearrange(y, "a b c -> (c b) a"),
        lambda y: einops.rearrange(y, "a b (c d) -> a d b c", d=2),
        lambda y: einops.rearrange([y, y], "n a b c -> a (n b) c"),
        lambda y: einops.repeat(y, "a b c -> a (b r) c", r=2),
        lambda y: einops.einsum(y, y, "a b c, a b d -> a c d"),
        lambda y: einops.pack([y, y[:, 0]], "a * c")[0],
        *[lambda y, how=how: einops.reduce(y, "a b c -> b", how) for how in ("sum", "mean", "max", "min", "prod")],
    ]
    for program in programs:
        found = program(x)
        assert isinstance(found, lg.Tensor)
        np.testing.assert_allclose(found.numpy(), program(array), rtol=1e-5)
    y = lg.ones(2, 3, requires_grad=True)
    einops.reduce(y, "a b -> a", "sum").sum().backward()
    assert y.grad.tolist() == [[1, 1, 1], [1, 1, 1]]


_LOOKED_FOR = "import lazygrad as lg, importlib.util as util; assert util.find_spec('einops'); import einops"


@pytest.mark.parametrize("order", ["import lazygrad as lg, einops", "import einops, lazygrad as lg", _LOOKED_FOR])
def test_einops_in_either_order(order: str) -> None:
    pytest.importorskip("einops", reason="einops is not installed")
    program = f"{order}; assert einops.rearrange(lg.ones(2, 3), 'a b -> b a').shape == (3, 2)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@on_the_host
def test_what_requires_a_gradient_is_an_array_while_none_is_recorded(torch: Any) -> None:
    for framework in (lg, torch):
        x = framework.ones(2, requires_grad=True)
        with framework.no_grad():
            assert np.asarray(x).tolist() == x.numpy().tolist() == x.view(-1).numpy().tolist() == [1, 1]
            x.numpy()[0] = 3
        with framework.inference_mode():
            assert x.numpy().tolist() == [3, 1]
        with pytest.raises(RuntimeError, match="Can't call numpy"):
            x.numpy()
