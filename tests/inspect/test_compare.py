"""compare: the same program fused and unfused, side by side."""

from __future__ import annotations

import pytest

import lazygrad as lg
from tests.passes.programs import realized


def test_softmax_fused_and_unfused() -> None:
    x = lg.softmax(realized(64, 128), 1)
    comparison = lg.compare(x, repeats=2)
    assert (comparison.fused.kernels, comparison.unfused.kernels) == (1, 5)
    assert comparison.max_difference == 0
    full, row = 64 * 128 * 4, 64 * 4
    maximum, difference, exponential, total, quotient = full + row, 2 * full + row, 2 * full, full + row, 2 * full + row
    assert comparison.fused.bytes_moved == 2 * full
    assert comparison.unfused.bytes_moved == maximum + difference + exponential + total + quotient
    assert x.node().value is None, "the tensor stays pending"


def test_library_calls_are_counted_apart() -> None:
    comparison = lg.compare(lg.exp(realized(8, 8) @ realized(8, 8)) * 2, repeats=1)
    assert (comparison.fused.kernels, comparison.fused.library_calls) == (1, 1)
    assert (comparison.unfused.kernels, comparison.unfused.library_calls) == (2, 1)


def test_it_prints_as_a_table() -> None:
    comparison = lg.compare(lg.softmax(realized(8, 8), 1), repeats=1)
    lines = str(comparison).splitlines()
    assert lines[0].split() == ["fused", "unfused"]
    assert [line.split()[0] for line in lines[1:]] == ["kernels", "library", "bytes", "ms", "speedup"]
    assert repr(comparison) == str(comparison)
    assert comparison.speedup == comparison.unfused.milliseconds / comparison.fused.milliseconds


def test_a_realized_tensor_has_nothing_to_compare() -> None:
    with pytest.raises(RuntimeError, match="realized already"):
        lg.compare(realized(3))
