"""`gradcheck` of functions with many inputs and outputs: comparing the two Jacobians is next to nothing."""

from __future__ import annotations

import numpy as np

from lazygrad.autograd import checking


def test_rows_of_a_numerical_jacobian_are_one_product() -> None:
    random = np.random.default_rng(0)
    columns = random.standard_normal((6, 4)) + 1j * random.standard_normal((6, 4))
    cotangents = [random.standard_normal((2, 2)) + 1j * random.standard_normal((2, 2)) for _ in range(3)]
    slopes = np.array([[np.sum((c.reshape(-1).conj() * column).real) for column in columns] for c in cotangents])
    np.testing.assert_allclose(checking._rows_of(columns, cotangents, False), slopes)
    np.testing.assert_allclose(checking._rows_of(columns, cotangents, True), slopes[:, 0::2] + 1j * slopes[:, 1::2])
    assert checking._rows_of(np.zeros((0,)), cotangents, False).shape == (3, 0)
    assert checking._rows_of(np.zeros((6, 0)), [], False).shape == (0, 6)
