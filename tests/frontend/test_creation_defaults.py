"""What tensors are made as without options follows the settings, however often they were made before."""

from __future__ import annotations

import numpy as np
import pytest

import lazygrad as lg

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")


def _made() -> list[lg.Tensor]:
    return [lg.zeros(2), lg.ones(2), lg.empty(2), lg.full((2,), 0.5), lg.rand(2), lg.linspace(0, 1, 2)]


def test_the_default_dtype_holds_from_the_next_call_on() -> None:
    before = lg.get_default_dtype()
    for dtype in (lg.float64, lg.float32, lg.float64):
        lg.set_default_dtype(dtype)
        try:
            assert {made.dtype for made in _made()} == {dtype}
            assert lg.randint(3, (2,)).dtype is lg.randperm(2).dtype is lg.int64
        finally:
            lg.set_default_dtype(before)
    assert {made.dtype for made in _made()} == {before}


def test_the_default_device_holds_from_the_next_call_on() -> None:
    before = lg.zeros(2).device
    with lg.device("meta"):
        assert {made.device.type for made in _made()} == {"meta"}
    assert {made.device for made in _made()} == {before}


def test_options_hold_for_one_call() -> None:
    assert lg.zeros(2, dtype=lg.int32).dtype is lg.int32
    assert lg.zeros(2).dtype is lg.get_default_dtype() and not lg.zeros(2).requires_grad
    assert lg.zeros(2, requires_grad=True).requires_grad and not lg.zeros(2).requires_grad


@pytest.mark.parametrize("value", [0, 1, True, False, 0.0, 1.0, -0.0, 2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool", "complex64", "uint8"])
def test_a_number_fills_as_in_pytorch(value: float, dtype: str) -> None:
    found = lg.full((3,), value, dtype=getattr(lg, dtype))
    expected = torch.full((3,), value, dtype=getattr(torch, dtype))
    assert found.dtype is getattr(lg, dtype)
    np.testing.assert_array_equal(np.signbit(found.real.numpy()) if found.dtype.is_floating_point else 0,
                                  np.signbit(expected.numpy()) if expected.dtype.is_floating_point else 0)  # fmt: skip
    np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize("sizes", [(-1,), (2, -3), ((2, -1),)])
def test_negative_sizes_are_refused(sizes: tuple[object, ...]) -> None:
    for make in (lg.zeros, lg.rand):
        with pytest.raises(RuntimeError, match="negative dimension"):
            make(*sizes)


def test_sizes_may_be_given_in_any_way() -> None:
    for sizes in [(2, 3), ((2, 3),), ([2, 3],), (lg.Size([2, 3]),), (np.int64(2), 3)]:
        assert lg.zeros(*sizes).shape == (2, 3)
    assert lg.zeros(np.int64(2)).shape == lg.zeros((2,)).shape == (2,) and lg.zeros(()).shape == ()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 255, 256, 257, 258, 1000])
def test_permutations_are_pytorchs_whichever_way_they_are_shuffled(count: int) -> None:
    lg.manual_seed(count)
    torch.manual_seed(count)
    for _ in range(3):
        np.testing.assert_array_equal(lg.randperm(count).numpy(), torch.randperm(count).numpy())


def test_few_random_numbers_are_pytorchs() -> None:
    lg.manual_seed(5)
    torch.manual_seed(5)
    weights = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
    for _ in range(3):
        for t, results in ((lg, found := []), (torch, expected := [])):
            results += [t.rand(3, 2), t.randint(-3, 9, (4,)), t.rand(2, dtype=t.float64), t.rand(0), t.randint(5, ())]
            results += [t.bernoulli(t.tensor(weights)), t.rand_like(t.zeros(2, 3))]
            results += [t.zeros(2, 2).uniform_(), t.randint(0, 2, (3,), dtype=t.bool), t.randint(0, 2**40, (2,))]
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_array_equal(x.numpy(), y.numpy())


def test_probabilities_outside_their_range_are_refused() -> None:
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(RuntimeError):
            lg.bernoulli(lg.tensor([0.5, wrong]))
    with pytest.raises(NotImplementedError):
        lg.bernoulli(lg.tensor([0, 1]))
    assert lg.bernoulli(lg.zeros(0)).shape == (0,)


def test_a_gradient_of_probabilities_is_zero() -> None:
    p = lg.full((3,), 0.5, requires_grad=True)
    lg.bernoulli(p).sum().backward()
    assert p.grad is not None and p.grad.tolist() == [0.0, 0.0, 0.0]


def test_arrays_whose_strides_are_none_of_elements_are_refused() -> None:
    array = np.arange(6.0)
    for wrong, words in ((array[::-1], "negative"), (np.ones(1)[::-1], "negative")):
        with pytest.raises(ValueError, match=words):
            lg.from_numpy(wrong)
    records = np.zeros(3, dtype=[("a", np.int8), ("b", np.float32)])
    with pytest.raises(ValueError, match="multiple"):
        lg.from_numpy(records["b"])
    assert lg.from_numpy(array.reshape(2, 3).T).tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert lg.from_numpy(np.array(2.0)).item() == 2.0
