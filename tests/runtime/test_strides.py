"""Views of arrays with strides of one's own."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from lazygrad.host.strides import as_strided, strided

DTYPES = (np.bool_, np.uint32, np.int64, np.float16, np.complex64, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_view_shares_the_memory_whatever_its_dtype(dtype: type) -> None:
    x = np.arange(12).astype(dtype)
    item = x.itemsize
    for seen in (as_strided(x[1:], (2, 3), (4 * item, item)), strided(x, (2, 3), (4 * item, item), item)):
        assert seen.dtype == x.dtype
        assert np.array_equal(seen, x[[[1, 2, 3], [5, 6, 7]]])
        assert np.shares_memory(seen.view(np.uint8), x.view(np.uint8))


def test_a_view_may_go_backwards_and_repeat() -> None:
    x = np.arange(6.0)
    assert strided(x, (6,), (-8,), 40).tolist() == x[::-1].tolist()
    assert as_strided(x[5:], (6,), (-8,)).tolist() == x[::-1].tolist()
    assert as_strided(x[::2], (2,), (16,)).tolist() == [0.0, 2.0]
    assert as_strided(x, (2, 3), (0, 8)).tolist() == [[0.0, 1.0, 2.0]] * 2
    assert strided(x.reshape(2, 3), (), (), 16) == 2.0


def test_a_view_beyond_the_array_is_refused() -> None:
    x = np.arange(6.0)
    with pytest.raises(ValueError, match="strides is incompatible"):
        strided(x[3:], (2, 2), (16, 8), 0)
    assert as_strided(x[2:3], (2, 2), (16, 8)).tolist() == [[2.0, 3.0], [4.0, 5.0]]  # of what `x` begins, it may be
    with pytest.raises(ValueError, match="contiguous"):
        strided(x[::2], (1,), (8,), 0)


def test_a_view_without_elements_may_begin_anywhere() -> None:
    x = np.empty((0, 3), np.float32)
    assert strided(x, (0, 3), (12, 4), 400).shape == (0, 3)
    assert as_strided(x, (3, 0), (4, 4)).shape == (3, 0)


def test_a_view_can_be_written_to_unless_it_must_not() -> None:
    x = np.zeros(4)
    as_strided(x, (2,), (16,))[...] = 1.0
    assert x.tolist() == [1.0, 0.0, 1.0, 0.0]
    assert not as_strided(x, (2,), (16,), writeable=False).flags.writeable
    x.flags.writeable = False
    assert not as_strided(x, (2,), (16,)).flags.writeable
