"""What is wrong with a kernel is found, in each order of threads, and told with the line of the source."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest

from tests.cuda_emulator.build import missing
from tests.cuda_emulator.driver import KernelError, Order
from tests.cuda_emulator.running import Empty, run_kernel

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))


@dataclass(frozen=True)
class Fault:
    """A kernel of ``(const float *x, float *y, int n)``, of whose body one line is wrong.

    Attributes:
        body: the wrong line ends in ``// wrong``; a fault without one has no line.
        mended: what stands in place of that line in a kernel that is right.
        says: what the error does, as a regular expression.
        n: elements of x; y has as many as there are threads.
    """

    name: str
    body: str
    mended: str
    says: str
    n: int = 64
    blocks: int = 1
    threads: int = 64
    shared_bytes: int = 0

    def __str__(self) -> str:
        return self.name

    def source(self, mended: bool = False) -> str:
        body = re.sub(r"[^\n]*// wrong", lambda line: self.mended if mended else line[0], self.body)
        body = body.strip("\n")
        return f'extern "C" __global__ void kernel(const float *x, float *y, int n)\n{{\n{body}\n}}\n'


_INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"

FAULTS = [
    Fault(
        "missing barrier",
        """
        __shared__ float tile[64];
        tile[threadIdx.x] = x[threadIdx.x];
        ; // wrong
        y[threadIdx.x] = tile[63 - threadIdx.x];
        """,
        "__syncthreads();",
        r"it reads 4 bytes of shared memory at 0x\w+, which nobody has written|race: it reads shared memory",
    ),
    Fault(
        "missing barrier before shared memory is used again",
        """
        __shared__ float tile[64];
        float sum = 0.0f;
        for (int round = 0; round < 2; round++) {
            tile[threadIdx.x] = x[threadIdx.x] + round;
            __syncthreads();
            sum += tile[63 - threadIdx.x];
            ; // wrong
        }
        y[threadIdx.x] = sum;
        """,
        "__syncthreads();",
        r"race: it (writes shared memory .* has read|reads shared memory .* has written) without a barrier",
    ),
    Fault(
        "missing barrier in the steps of a tree",
        """
        __shared__ float tile[64];
        tile[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        for (int step = 32; step; step /= 2) {
            if (threadIdx.x < step)
                tile[threadIdx.x] += tile[threadIdx.x + step];
            ; // wrong
        }
        y[threadIdx.x] = threadIdx.x ? 0.0f : tile[0];
        """,
        "__syncthreads();",
        r"race: it \w+ shared memory",
    ),
    Fault(
        "lanes that do not wait for each other",
        """
        __shared__ float tile[64];
        tile[threadIdx.x] = x[threadIdx.x];
        ; // wrong
        y[threadIdx.x] = tile[threadIdx.x ^ 1];
        """,
        "__syncwarp();",
        r"which nobody has written|race: it reads shared memory",
    ),
    Fault(
        "warps that only wait for their own lanes",
        """
        __shared__ float tile[64];
        tile[threadIdx.x] = x[threadIdx.x];
        __syncwarp(); // wrong
        y[threadIdx.x] = tile[threadIdx.x ^ 32];
        """,
        "__syncthreads();",
        r"which nobody has written|race: it reads shared memory",
    ),
    Fault(
        "two threads that write one element",
        """
        y[threadIdx.x / 2] = x[threadIdx.x]; // wrong
        """,
        "y[threadIdx.x] = x[threadIdx.x];",
        r"race: it writes global memory at 0x\w+, which thread \d+ has written without a barrier",
    ),
    Fault(
        "two blocks that write one element",
        """
        y[threadIdx.x] = x[threadIdx.x]; // wrong
        """,
        "y[blockIdx.x * 64 + threadIdx.x] = x[threadIdx.x];",
        r"race: it writes global memory at 0x\w+, which a thread of another block has written",
        blocks=2,
    ),
    Fault(
        "a sum that is not atomic",
        """
        if (threadIdx.x == 0)
            y[blockIdx.x] = 0.0f;
        __syncthreads();
        y[blockIdx.x] += x[threadIdx.x]; // wrong
        """,
        "atomicAdd(&y[blockIdx.x], x[threadIdx.x]);",
        r"race: it (reads|writes) global memory",
        blocks=2,
    ),
    Fault(
        "a plain read of what others update",
        """
        __shared__ int count;
        if (threadIdx.x == 0)
            count = 0;
        __syncthreads();
        atomicAdd(&count, 1);
        ; // wrong
        y[threadIdx.x] = count;
        """,
        "__syncthreads();",
        r"race: it (reads|updates) shared memory",
    ),
    Fault(
        "unmasked tail",
        f"""
        {_INDEX}
        if (i < blockDim.x * gridDim.x) // wrong
            y[i] = x[i];
        """,
        "if (i < n)",
        r"it reads 4 bytes of global memory at 0x\w+, outside of what there is(?s:.)*"
        r"is \d+ bytes behind the end of the 240 bytes",
        n=60,
    ),
    Fault(
        "a negative index",
        f"""
        {_INDEX}
        y[i] = x[i - 1]; // wrong
        """,
        "y[i] = i ? x[i - 1] : 0.0f;",
        "outside of what there is",
    ),
    Fault(
        "an index that is far off",
        f"""
        {_INDEX}
        y[i] = x[(long long)i << 40]; // wrong
        """,
        "y[i] = x[i];",
        "uses memory where there is none|outside of what there is",
    ),
    Fault(
        "behind the end of shared memory",
        """
        __shared__ float before[64];
        __shared__ float tile[64];
        before[threadIdx.x] = tile[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        y[threadIdx.x] = tile[threadIdx.x + 1]; // wrong
        """,
        "y[threadIdx.x] = tile[threadIdx.x % 63 + 1];",
        "64 is no index of this array",
    ),
    Fault(
        "behind the end of an array in registers",
        """
        float kept[4];
        for (int k = 0; k <= n / 16; k++) // wrong
            kept[k] = x[threadIdx.x];
        y[threadIdx.x] = kept[n % 4];
        """,
        "for (int k = 0; k < n / 16; k++)",
        "4 is no index of this array",
    ),
    Fault(
        "behind the end of dynamic shared memory",
        """
        extern __shared__ __align__(16) float tile[];
        tile[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        y[threadIdx.x] = tile[threadIdx.x + 1]; // wrong
        """,
        "y[threadIdx.x] = tile[63 - threadIdx.x];",
        "it reads 4 bytes of dynamic shared memory at .*, outside of what there is",
        shared_bytes=256,
    ),
    Fault(
        "shared memory that nobody has written",
        """
        __shared__ float tile[64];
        if (threadIdx.x < n / 2) // wrong
            tile[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        y[threadIdx.x] = tile[63 - threadIdx.x];
        """,
        "if (threadIdx.x < n)",
        r"it reads 4 bytes of shared memory at 0x\w+, which nobody has written",
    ),
    Fault(
        "an accumulator in memory that nobody has set",
        f"""
        {_INDEX}
        ; // wrong
        y[i] += x[i];
        """,
        "y[i] = 1.0f;",
        r"it reads 4 bytes of global memory at 0x\w+, which nobody has written",
    ),
    Fault(
        "an atomic accumulator that nobody has set",
        f"""
        {_INDEX}
        ; // wrong
        atomicAdd(&y[i], x[i]);
        """,
        "y[i] = 0.0f;",
        r"it updates 4 bytes of global memory at 0x\w+, which nobody has written",
    ),
    Fault(
        "a packet that is not aligned",
        """
        const float4 packet = *reinterpret_cast<const float4 *>(x + threadIdx.x); // wrong
        y[threadIdx.x] = packet.x + packet.w;
        """,
        "const float4 packet = *reinterpret_cast<const float4 *>(x + threadIdx.x / 4 * 4);",
        r"it reads 16 bytes of global memory at 0x\w+, which is no multiple of 16",
        n=128,
    ),
    Fault(
        "a barrier that half of the threads reach",
        """
        float value = x[threadIdx.x];
        if (threadIdx.x < 32) // wrong
            __syncthreads();
        y[threadIdx.x] = value;
        """,
        "if (n)",
        r"thread \d+ waits in __syncthreads of line \d+, but thread \d+ has exited",
    ),
    Fault(
        "threads at different barriers",
        """
        if (threadIdx.x < 32) // wrong
            __syncthreads();
        else
            __syncthreads();
        y[threadIdx.x] = x[threadIdx.x];
        """,
        "if (n)",
        r"thread \d+ waits in __syncthreads of line 4, but thread \d+ waits in __syncthreads of line 6",
    ),
    Fault(
        "a tail that leaves before a barrier",
        f"""
        {_INDEX}
        __shared__ float tile[64];
        if (i >= n) return; // wrong
        tile[threadIdx.x] = i < n ? x[i] : 0.0f;
        __syncthreads();
        y[i] = tile[threadIdx.x];
        """,
        ";",
        "waits in __syncthreads of line 7, but thread 6[0-3] has exited",
        n=60,
    ),
    Fault(
        "a barrier in a loop of different lengths",
        """
        __shared__ float tile[64];
        for (int k = threadIdx.x; k < 96; k += 64) { // wrong
            tile[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
        }
        y[threadIdx.x] = tile[threadIdx.x];
        """,
        "for (int k = 0; k < 96; k += 64) {",
        "waits in __syncthreads of line 6, but thread .. has exited",
    ),
    Fault(
        "a shuffle whose mask lacks the lane that it reads",
        """
        float value = x[threadIdx.x];
        if (threadIdx.x < 16)
            value += __shfl_xor_sync(0x0000ffff, value, 16); // wrong
        y[threadIdx.x] = value;
        """,
        "value += __shfl_xor_sync(0x0000ffff, value, 8);",
        r"__shfl_xor_sync of line 5 reads lane \d+, which does not take part: mask 0x0000ffff",
    ),
    Fault(
        "a shuffle with a mask of lanes that do not come",
        """
        float value = x[threadIdx.x];
        if (threadIdx.x % 32 < 16)
            value += __shfl_down_sync(0xffffffff, value, 8); // wrong
        __syncthreads();
        y[threadIdx.x] = value;
        """,
        "value += __shfl_down_sync(0x0000ffff, value, 8, 16);",
        r"waits in __shfl_down_sync of line 5 for the lanes of mask 0xffffffff, but thread \d+ waits in __syncthreads",
    ),
    Fault(
        "a shuffle by a lane that its mask lacks",
        """
        float value = x[threadIdx.x];
        value += __shfl_sync(0x0000ffff, value, 0); // wrong
        y[threadIdx.x] = value;
        """,
        "value += __shfl_sync(0xffffffff, value, 0);",
        "has the mask 0x0000ffff, in which its own lane is not",
    ),
    Fault(
        "a sum over the lanes of a warp that is not whole",
        """
        float value = x[threadIdx.x];
        for (int step = 16; step; step /= 2)
            value += __shfl_down_sync(0xffffffff, value, step); // wrong
        y[threadIdx.x] = value;
        """,
        "value += __shfl_sync(0xffffffff, value, 0);",
        r"block \(0, 0, 0\), thread \d+: __shfl_down_sync of line 5 reads lane \d+, which does not take part",
        threads=33,
    ),
    Fault(
        "lanes with shuffles of different lines",
        """
        float value = x[threadIdx.x];
        if (threadIdx.x % 2) // wrong
            value += __shfl_xor_sync(0xffffffff, value, 1);
        else
            value -= __shfl_xor_sync(0xffffffff, value, 1);
        y[threadIdx.x] = value;
        """,
        "if (n)",
        "waits in __shfl_xor_sync of line 5 .*, but thread 1? waits in __shfl_xor_sync of line 7"
        "|waits in __shfl_xor_sync of line 7 .*, but thread 1 waits in __shfl_xor_sync of line 5",
    ),
    Fault(
        "a quotient by zero",
        """
        y[threadIdx.x] = n / (int)threadIdx.x; // wrong
        """,
        "y[threadIdx.x] = n / (int)(threadIdx.x + 1);",
        "it divides an integer by zero",
    ),
    Fault(
        "a stack that overflows",
        """
        struct Deep {
            static int call(int n) { volatile int kept[256]; kept[0] = n; return n ? call(n + 1) + kept[0] : 0; }
        };
        y[threadIdx.x] = Deep::call(n); // wrong
        """,
        "y[threadIdx.x] = Deep::call(0);",
        "uses memory where there is none",
    ),
]


@pytest.mark.parametrize("order", list(Order), ids=lambda order: order.name.lower())
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_is_found(fault: Fault, order: Order) -> None:
    x = np.arange(1, fault.n + 1, dtype=np.float32)
    y = Empty(max(fault.n, fault.blocks * fault.threads))
    with pytest.raises(KernelError) as caught:
        _run(fault, fault.source(), x, y, order)
    assert re.search(fault.says, str(caught.value)), str(caught.value)
    assert str(caught.value).startswith("kernel kernel, block (")


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_what_is_mended_runs(fault: Fault) -> None:
    x = np.arange(1, fault.n + 1, dtype=np.float32)
    results = []
    for order in Order:
        y = Empty(max(fault.n, fault.blocks * fault.threads))
        results.append(_run(fault, fault.source(mended=True), x, y, order)[1])
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def _run(fault: Fault, source: str, x: np.ndarray, y: Empty, order: Order) -> list[np.ndarray]:
    where = {"grid": fault.blocks, "block": fault.threads, "shared_bytes": fault.shared_bytes}
    return run_kernel(source, x, y, fault.n, order=order, **where)


@pytest.mark.parametrize(
    "name", ["unmasked tail", "two threads that write one element", "a packet that is not aligned"]
)
def test_the_line_of_the_source_is_named(name: str) -> None:
    [fault] = [fault for fault in FAULTS if fault.name == name]
    with pytest.raises(KernelError, match=r"\n  line \d+: ") as caught:
        _run(fault, fault.source(), np.ones(fault.n, np.float32), Empty(128), Order.ASCENDING)
    number = int(re.search(r"\n  line (\d+): ", str(caught.value))[1])
    assert fault.source().splitlines()[number - 1].strip() in str(caught.value)


def test_a_local_variable_that_nobody_sets_has_a_number_that_no_result_survives() -> None:
    source = """
    extern "C" __global__ void kernel(const float *x, float *y, int n)
    {
        float sum;
        for (int i = 0; i < n; i++)
            sum += x[i];
        y[threadIdx.x] = sum;
    }
    """
    found = run_kernel(source, np.ones(8, np.float32), Empty(32), 8)[1]
    assert (np.abs(found) > 1e38).all()


def test_memory_begins_as_nan() -> None:
    copied = 'extern "C" __global__ void kernel(float *x) { if (threadIdx.x == 1) x[threadIdx.x] = 1.0f; }'
    [result] = run_kernel(copied, Empty(4))
    np.testing.assert_array_equal(result, [np.nan, 1, np.nan, np.nan])


def test_the_emulator_goes_on_after_an_error() -> None:
    fault = next(fault for fault in FAULTS if "half of the threads" in fault.name)
    x = np.arange(64, dtype=np.float32)
    for _ in range(3):
        with pytest.raises(KernelError, match="has exited"):
            _run(fault, fault.source(), x, Empty(64), Order.ASCENDING)
        np.testing.assert_array_equal(_run(fault, fault.source(mended=True), x, Empty(64), Order.ASCENDING)[1], x)
