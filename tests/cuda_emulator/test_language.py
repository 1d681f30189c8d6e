"""What CUDA's words mean on the emulator, where a GPU leaves no choice."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.cuda_emulator.build import missing
from tests.cuda_emulator.driver import EmulatedDriver, KernelError, Order
from tests.cuda_emulator.running import Empty, run_kernel

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

LANES = np.arange(32)


def kernel(parameters: str, body: str) -> str:
    return f'extern "C" __global__ void kernel({parameters})\n{{\n{body}\n}}\n'


@pytest.mark.parametrize("order", list(Order), ids=lambda order: order.name.lower())
def test_shuffles(order: Order) -> None:
    """The table of the PTX manual for ``shfl.sync``: a lane without a source keeps its own value."""
    shuffles = {
        "__shfl_sync(all, x, 5)": np.full(32, 5),
        "__shfl_sync(all, x, 13, 8)": LANES // 8 * 8 + 5,
        "__shfl_up_sync(all, x, 3)": np.where(LANES < 3, LANES, LANES - 3),
        "__shfl_up_sync(all, x, 3, 8)": np.where(LANES % 8 < 3, LANES, LANES - 3),
        "__shfl_down_sync(all, x, 3)": np.where(LANES > 28, LANES, LANES + 3),
        "__shfl_down_sync(all, x, 3, 16)": np.where(LANES % 16 > 12, LANES, LANES + 3),
        "__shfl_xor_sync(all, x, 9)": LANES ^ 9,
        "__shfl_xor_sync(all, x, 17, 16)": np.where(LANES < 16, LANES, LANES ^ 17),
        "(int)__shfl_xor_sync(all, (double)x, 1)": LANES ^ 1,
        "__ballot_sync(all, x % 3 == 0) == 0x49249249": np.ones(32),
        "__any_sync(all, x == 7) + 2 * __any_sync(all, x == 40)": np.ones(32),
        "__all_sync(all, x < 32) + 2 * __all_sync(all, x < 31)": np.ones(32),
    }
    lines = [f"y[{32 * number} + x] = {call};" for number, call in enumerate(shuffles)]
    source = kernel("int *y", "const unsigned all = 0xffffffff; const int x = threadIdx.x;\n" + "\n".join(lines))
    [found] = run_kernel(source, Empty((len(shuffles), 32), np.int32), order=order)
    for call, got, expected in zip(shuffles, found, shuffles.values(), strict=True):
        np.testing.assert_array_equal(got, expected, err_msg=call)


@pytest.mark.parametrize("order", list(Order), ids=lambda order: order.name.lower())
def test_teams_of_a_warp_that_part(order: Order) -> None:
    """Lanes with masks of their own meet without the rest, which may have gone another way, or for good."""
    body = """
    const int lane = threadIdx.x;
    if (lane >= 24)
        return;
    const unsigned team = lane / 8;
    int x = lane;
    for (unsigned round = 0; round <= team; round++)
        x += __shfl_xor_sync(0xffu << team * 8, x, 1 << round % 3, 8);
    y[lane] = x;
    """
    expected = LANES[:24].copy()
    for round_ in range(3):
        taking_part = np.arange(24) // 8 >= round_
        expected = np.where(taking_part, expected + expected[np.arange(24) ^ (1 << round_)], expected)
    [found] = run_kernel(kernel("int *y", body), Empty(24, np.int32), order=order)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("order", list(Order), ids=lambda order: order.name.lower())
def test_barriers_that_count(order: Order) -> None:
    body = """
    const int i = threadIdx.x;
    y[i] = __syncthreads_count(i % 3 == 0);
    y[96 + i] = __syncthreads_or(i == 95) + 2 * __syncthreads_or(i == 96);
    y[192 + i] = __syncthreads_and(i < 96) + 2 * __syncthreads_and(i < 95);
    """
    [found] = run_kernel(kernel("int *y", body), Empty((3, 96), np.int32), block=96, order=order)
    np.testing.assert_array_equal(found, np.repeat([[32], [1], [1]], 96, axis=1))


@pytest.mark.parametrize("order", list(Order), ids=lambda order: order.name.lower())
def test_atomic_operations_of_all_threads(order: Order) -> None:
    body = """
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&f[0], 1.0f);
    atomicAdd(&i32[0], i);
    atomicMin(&i32[1], i);
    atomicMax(&i32[2], i);
    atomicOr(&i32[3], 1 << i % 31);
    int seen, old = i32[4] * 0;
    do {
        seen = old;
        old = atomicCAS(&i32[4], seen, seen + 2);
    } while (old != seen);
    """.replace("i32[4] * 0", "0")
    start = np.array([0, 1 << 20, -1, 0, 0], np.int32)
    found = run_kernel(
        kernel("float *f, int *i32", body), np.zeros(1, np.float32), start, grid=3, block=64, order=order
    )
    np.testing.assert_array_equal(found[0], [192])
    np.testing.assert_array_equal(found[1], [191 * 96, 0, 191, 2**31 - 1, 384])


def _floats() -> np.ndarray:
    """Numbers at every boundary of half precision: all of its own, the middles between them, neighbours of those."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64)
    finite = np.sort(halves[np.isfinite(halves)])
    middles = (finite[1:] + finite[:-1]) / 2
    rng = np.random.default_rng(0)
    drawn = (rng.standard_normal(20000) * 2.0 ** rng.integers(-120, 120, 20000)).astype(np.float32).astype(np.float64)
    near = [np.nextafter(middles.astype(np.float32), np.float32(to)).astype(np.float64) for to in (-np.inf, np.inf)]
    return np.concatenate([finite, middles, *near, drawn, [np.inf, -np.inf, np.nan, 65519.99, 65520, 1e300, 5e-324]])


@pytest.mark.parametrize(
    ("word", "convert", "reference"),
    [("__half", "__double2half", np.float16), ("__nv_bfloat16", "__double2bfloat16", ml_dtypes.bfloat16)],
    ids=["half", "bfloat16"],
)
def test_sixteen_bit_floats(word: str, convert: str, reference: type) -> None:
    """Rounded to nearest even, once, from float and from double; back without rounding."""
    wide = _floats()
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = wide.astype(np.float32)
        body = f"""
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{
            y[i] = {word}(x[i]);
            z[i] = {convert}(d[i]);
            back[i] = (float)y[i];
        }}
        """
        source = kernel(f"const float *x, const double *d, {word} *y, {word} *z, float *back, int n", body)
        size = len(wide)
        found = run_kernel(
            source, narrow, wide, Empty(size, np.uint16), Empty(size, np.uint16), Empty(size), size, grid=2, block=128
        )
        expected = narrow.astype(reference)
        _assert_same_floats(found[2].view(reference), expected)
        np.testing.assert_array_equal(found[4], expected.astype(np.float32))
        if reference is np.float16:  # ml_dtypes rounds doubles twice
            _assert_same_floats(found[3].view(reference), wide.astype(reference))


def _assert_same_floats(found: np.ndarray, expected: np.ndarray) -> None:
    is_nan = np.isnan(expected.astype(np.float32))
    assert (found.view(np.uint16)[is_nan] == 0x7FFF).all()
    np.testing.assert_array_equal(found.view(np.uint16)[~is_nan], expected.view(np.uint16)[~is_nan])


def test_bits_and_conversions() -> None:
    body = """
    y[0] = __popc(0xf0f0u); y[1] = __clz(1); y[2] = __ffs(8); y[3] = (int)__brev(1u) == (int)0x80000000;
    y[4] = __float2int_rn(2.5f); y[5] = __float2int_rz(-2.9f); y[6] = __float2int_rn(1e20f) == 2147483647;
    y[7] = __float2int_rz(__int_as_float(0x7fc00000)); y[8] = (int)__umulhi(0x80000000u, 6u);
    y[9] = min(3, 2) + max(3, 2); y[10] = (int)fmaxf(__int_as_float(0x7fc00000), 2.0f);
    y[11] = (int)__umul64hi(1ull << 63, 6ull); y[12] = __clzll(1ll); y[13] = __float_as_int(1.0f) == 0x3f800000;
    """
    [found] = run_kernel(kernel("int *y", body), Empty(14, np.int32), block=1)
    np.testing.assert_array_equal(found, [8, 31, 4, 1, 2, -2, 1, 0, 3, 5, 2, 3, 63, 1])


def test_blocks_of_a_grid() -> None:
    body = """
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    y[block * blockDim.x + threadIdx.x] = 100 * blockIdx.x + 10 * blockIdx.y + blockIdx.z;
    """
    for order in Order:
        [found] = run_kernel(
            kernel("int *y", body), Empty((4, 3, 2, 5), np.int32), grid=(2, 3, 4), block=5, order=order
        )
        z, y, x, _ = np.indices((4, 3, 2, 5))
        np.testing.assert_array_equal(found, 100 * x + 10 * y + z)


def test_shared_memory_of_templates() -> None:
    """Each instance of a function has its own; a kernel may be called what a function of C is called."""
    source = """
    template <class T> __device__ T turned(T x)
    {
        __shared__ T all[64];
        __syncthreads();
        all[threadIdx.x] = x;
        __syncthreads();
        return all[63 - threadIdx.x];
    }
    extern "C" __global__ void clone(const float *x, double *y)
    {
        y[threadIdx.x] = turned((double)turned(x[threadIdx.x])) + 10 * turned(x[threadIdx.x]);
    }
    """
    x = np.arange(64, dtype=np.float32)
    found = run_kernel(source, x, Empty(64, np.float64), block=64)
    np.testing.assert_array_equal(found[1], x + 10 * x[::-1])


@pytest.mark.parametrize(
    ("arguments", "where", "says"),
    [
        ((1.0,), {}, r"its parameters have \(8,\) bytes, and the arguments \(8, 4\)"),
        ((), {"block": 65}, "a block of 65 threads, where its bounds allow 64"),
        ((), {"grid": (1, 65536, 1)}, "a grid of"),
        ((), {"shared_bytes": 170_000}, "of dynamic shared memory"),
    ],
    ids=["parameters", "bounds", "grid", "shared memory"],
)
def test_launches_that_a_device_refuses(arguments: tuple[float, ...], where: dict[str, int], says: str) -> None:
    source = 'extern "C" __global__ void __launch_bounds__(64) kernel(float *x)\n{\n    x[0] = 1.0f;\n}\n'
    with pytest.raises(KernelError, match=f"kernel kernel cannot be launched: .*{says}"):
        run_kernel(source, Empty(4), *arguments, **where)


def test_a_program_that_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)g\+\+ failed.*'y' was not declared"):
        EmulatedDriver().load('extern "C" __global__ void kernel(float *x) { x[0] = y; }', ["kernel"])
