"""Runtime scalars in the device's memory: what is there, and when it is copied."""

from __future__ import annotations

import gc
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lazygrad.ir.dtype import DType, bfloat16, bool_, complex64, float16, float32, float64, int8, int64, uint8
from lazygrad.targets.cuda.numbers import Numbers
from lazygrad.targets.cuda.table import Number
from tests.cuda.host_driver import HostDriver


class Memory:
    """That of a device, of which plans have nothing else."""

    def __init__(self) -> None:
        self.driver = HostDriver()

    def scratch(self, size: int) -> int:
        raise AssertionError

    def allocate_bytes(self, size: int) -> int:
        return self.driver.allocate(size)

    def free(self, memory: int) -> None:
        self.driver.free(memory)

    def address(self, memory: int) -> int:
        return memory

    def pinned(self, size: int) -> np.ndarray:
        return self.driver.pinned(size)

    def work(self, inputs: Any, outputs: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    ("dtype", "value", "held"),
    [
        (float32, 0.1, np.float32(0.1)),
        (float64, 0.1, np.float64(0.1)),
        (float16, 0.1, np.float32(np.float16(0.1))),
        (bfloat16, 0.1, np.float32(ml_dtypes.bfloat16(0.1))),
        (float32, 1e300, np.float32(np.inf)),
        (float32, float("nan"), np.float32(np.nan)),
        (int64, -(1 << 62), np.int64(-(1 << 62))),
        (int8, -7, np.int8(-7)),
        (uint8, 200, np.uint8(200)),
        (bool_, True, np.bool_(True)),
    ],
    ids=str,
)
def test_a_number_lies_where_kernels_read_it_in_the_type_that_they_compute_with(
    dtype: DType, value: Any, held: np.generic
) -> None:
    memory = Memory()
    number = Number(1, dtype)
    numbers = Numbers([Number(0, float32), number], memory)
    numbers.put([3.0, value])
    found = memory.driver.bytes_at(numbers.start + numbers.offset(number), held.nbytes).view(held.dtype)[0]
    np.testing.assert_array_equal(found, held)
    assert (numbers.start + numbers.offset(number)) % held.nbytes == 0


def test_a_complex_number_is_two() -> None:
    memory, parts = Memory(), [Number(0, complex64, "real"), Number(0, complex64, "imag")]
    numbers = Numbers(parts, memory)
    numbers.put([1 - 2j])
    offsets = [numbers.start + numbers.offset(part) for part in parts]
    assert [memory.driver.bytes_at(offset, 4).view(np.float32)[0] for offset in offsets] == [1, -2]


def test_numbers_are_copied_when_one_differs_and_only_then() -> None:
    memory = Memory()
    numbers = Numbers([Number(2, float32), Number(0, float32), Number(2, float32)], memory)
    asked = []
    for scalars in ([1.0, 9.0, 2.0], [1.0, 8.0, 2.0], [1.0, 8.0, 3.0], [1.0, 8.0, 3.0], [0.0, 0, 3], [-0.0, 0, 3]):
        memory.driver.asked.clear()
        numbers.put(scalars)
        asked.append(memory.driver.asked.copy())
    once = ["copy_in_later"]
    assert asked == [["allocate", *once], [], once, [], once, once], "-0 is another number than 0"
    del numbers
    gc.collect()
    assert memory.driver.used == 0


def test_a_plan_without_numbers_has_no_memory_for_them() -> None:
    memory = Memory()
    numbers = Numbers([], memory)
    numbers.put([1.0])
    assert numbers.start == 0 and not memory.driver.asked
    del numbers
    gc.collect()
    assert not memory.driver.asked
