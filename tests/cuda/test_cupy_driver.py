"""The driver over cupy, with cupy's bindings and cuBLAS replaced: what is asked of them, and on which operands."""

from __future__ import annotations

import ctypes
import importlib
import inspect
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lazygrad.host.allocator import OutOfMemoryError
from lazygrad.host.dtypes import from_numpy
from lazygrad.ir.dtype import float64
from lazygrad.ir.errors import LinAlgError
from lazygrad.targets.cuda import libraries, nvrtc
from lazygrad.targets.cuda.driver import Launch, Layout, LibraryCall, NotCapturable, OutOfMemory, Product
from lazygrad.targets.cuda.product_precision import ProductPrecision, set_product_precision
from tests.cuda.fake_cupy import FakeCublas, FakeStream, fake_cupy
from tests.cuda.test_cupy_libraries import parameters_said_in

MIB = 1 << 20


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A cupy of two devices of 128 MiB."""
    module = fake_cupy(2, 128 * MIB)
    monkeypatch.setitem(sys.modules, "cupy", module)
    for name, belonging in module.libraries.items():
        monkeypatch.setitem(sys.modules, name, belonging)
    for name in ("cupy_driver", "cupy_libraries"):
        monkeypatch.delitem(sys.modules, f"lazygrad.targets.cuda.{name}", raising=False)
    library = FakeCublas()
    monkeypatch.setattr(libraries, "found", lambda name: libraries.Found(library, None))
    monkeypatch.setattr(
        nvrtc, "compile_program", lambda source, arch: SimpleNamespace(cubin=f"{arch} {source}".encode())
    )
    module.cublas = library
    yield module
    for name in ("cupy_driver", "cupy_libraries"):
        sys.modules.pop(f"lazygrad.targets.cuda.{name}", None)


@pytest.fixture
def driver(cupy: Any) -> Any:
    return importlib.import_module("lazygrad.targets.cuda.cupy_driver").CupyDriver(1)


def on_device(driver: Any, values: Any) -> int:
    array = np.ascontiguousarray(values)
    address: int = driver.allocate(array.nbytes)
    driver.copy_in(array, address)
    return address


def back(driver: Any, address: int, like: np.ndarray) -> np.ndarray:
    array = np.empty_like(like)
    driver.copy_out(address, array)
    return array


def test_the_device_is_described_and_becomes_current_only_while_it_is_asked(driver: Any, cupy: Any) -> None:
    runtime = cupy.cuda.runtime
    assert (driver.name, driver.architecture, driver.properties.multi_processor_count) == (
        "fake device 1",
        "sm_90",
        132,
    )
    assert driver.memory_info() == (128 * MIB, 128 * MIB)
    address = driver.allocate(100)
    assert runtime.asked[-1] == ("malloc", 1, 100) and runtime.device == 0
    stream = driver.open_stream(-1)
    driver.use_stream(stream)
    driver.close_stream(stream)  # asks the device from within
    driver.synchronize()
    assert runtime.device == 0 and runtime.asked[-1] == ("wait for device", 1)
    driver.free(address)
    with pytest.raises(OutOfMemory):
        driver.allocate(129 * MIB)


def test_copies_wait_where_the_host_could_see_a_difference(driver: Any, cupy: Any) -> None:
    values, asked = np.arange(6.0, dtype=np.float32), cupy.cuda.runtime.asked
    address = on_device(driver, values)
    assert asked[-1] == ("copy", 1, 24, 0), "CUDA has copied ordinary memory when it returns"
    assert back(driver, address, values).tolist() == values.tolist() and asked[-1] == ("wait for stream", 0)
    pinned = driver.pinned(24).view(np.float32)
    pinned[...] = 7
    driver.copy_in(pinned, address)
    assert asked[-2:] == [("copy", 1, 24, 0), ("wait for stream", 0)]
    driver.copy_in_later(pinned, address)
    assert asked[-1] == ("copy", 1, 24, 0)
    other = driver.allocate(24)
    driver.copy(address, other, 24)
    driver.fill(address, 0, 8)
    assert back(driver, other, values).tolist() == [7] * 6 and back(driver, address, values).tolist() == [
        0,
        0,
        7,
        7,
        7,
        7,
    ]
    assert len(cupy.cuda.runtime._pinned) == 1
    del pinned
    assert not cupy.cuda.runtime._pinned


def launched(driver: Any, source: int, target: int) -> tuple[Any, ctypes.c_float]:
    kernel = driver.load("text", ["scale"])["scale"]
    factor = ctypes.c_float(2)
    arguments = [ctypes.c_void_p(target), ctypes.c_void_p(source), factor]
    return driver.prepared(kernel, Launch("scale", (2, 1, 1), 4, 100_000), arguments), factor


def test_a_prepared_launch_reads_its_arguments_anew(driver: Any, cupy: Any) -> None:
    values = np.arange(8, dtype=np.float32)
    source, target = on_device(driver, values), driver.allocate(32)
    launch, factor = launched(driver, source, target)
    assert cupy.cuda.driver.attributes == [("scale", 8, 100_000)], "more shared memory than a block has unasked"
    launch()
    assert cupy.cuda.runtime.asked[-1] == ("launch", "scale", 1, (2, 1, 1, 4, 1, 1), 100_000, 0)
    assert back(driver, target, values).tolist() == (2 * values).tolist()
    factor.value = 3
    launch()
    assert back(driver, target, values).tolist() == (3 * values).tolist() and cupy.cuda.runtime.device == 0


def test_work_goes_to_the_stream_in_use_and_waits_where_it_is_told_to(driver: Any, cupy: Any) -> None:
    asked, stream = cupy.cuda.runtime.asked, driver.open_stream(0)
    assert asked[-1] == ("stream", 1, 0) and not driver.has_streams
    driver.use_stream(stream)
    on_device(driver, np.zeros(4))
    assert asked[-1] == ("copy", 1, 32, stream) and driver.has_streams
    driver.wait_on_device(driver.mark(False, 0))
    assert asked[-2:] == [("record", 0), ("stream waits", stream)]
    driver.wait_on_device(driver.mark(False), 0)
    assert asked[-2:] == [("record", stream), ("stream waits", 0)] and len(driver.marks()) == 2
    threads = ThreadPoolExecutor(1)
    assert threads.submit(lambda: driver.stream).result() == 0, "another thread has the device's own"
    driver.close_stream(stream)
    assert driver.stream == 0 and driver.open_stream(0) == stream, "work may be under way in it"
    assert driver.open_stream(-1) != stream
    first, last = driver.mark(True), driver.mark(True)
    assert driver.is_reached(last) and driver.milliseconds(first, last) > 0
    driver.wait(first)
    del first, last
    assert not cupy.cuda.runtime.live_events


def test_a_captured_plan_is_done_by_replays_only(driver: Any, cupy: Any) -> None:
    values = np.arange(8, dtype=np.float32)
    source, target = on_device(driver, values), driver.allocate(32)
    driver.fill(target, 0, 32)
    launch, _ = launched(driver, source, target)
    graph = driver.capture(launch)
    assert not back(driver, target, values).any()
    driver.replay(graph)
    assert back(driver, target, values).tolist() == (2 * values).tolist()
    driver.copy_in(values + 1, source)
    driver.replay(graph)
    assert back(driver, target, values).tolist() == (2 * (values + 1)).tolist()
    with pytest.raises(NotCapturable, match="cannot be captured"):
        driver.capture(lambda: driver.copy_out(source, values))
    launch()
    assert cupy.cuda.runtime.asked[-1][-1] == 0, "work goes to the stream from before"
    del graph
    assert not [work for work in cupy.cuda.runtime.graphs.values() if work]


# Products.


@pytest.fixture
def precision() -> Iterator[None]:
    yield
    set_product_precision(ProductPrecision())


def laid_out(random: Any, batch: int, rows: int, columns: int, dtype: Any, turned: bool, slack: int) -> Any:
    """A batch of matrices in memory with room between rows, as an operand says it, and their values."""
    across = rows if turned else columns
    memory = random.standard_normal((batch, (columns if turned else rows), across + slack)).astype(dtype)
    values = memory[:, :, :across]
    step = memory.shape[1] * memory.shape[2]
    return memory, (step if batch > 1 else 0, across + slack, turned), values.transpose(0, 2, 1) if turned else values


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "float16"])
def test_products_are_those_of_row_major_operands(driver: Any, cupy: Any, dtype: str) -> None:
    random = np.random.default_rng(0)
    for batch, turned_a, turned_b in product((1, 3), (False, True), (False, True)):
        a, said_a, values_a = laid_out(random, batch, 4, 5, dtype, turned_a, 2)
        b, said_b, values_b = laid_out(random, batch, 5, 3, dtype, turned_b, 1)
        out = random.standard_normal((batch, 4, 3)).astype(dtype)
        asked = Product(from_numpy(np.dtype(dtype)), (batch, 4, 3, 5), said_a, said_b, (12, 3), alpha=2.0, beta=0.5)
        at = [on_device(driver, each) for each in (a, b, out)]
        driver.multiply(asked, *at)
        tolerance = 1e-2 if dtype == "float16" else 1e-5
        np.testing.assert_allclose(
            back(driver, at[2], out), 2 * (values_a @ values_b) + 0.5 * out, rtol=tolerance, atol=tolerance
        )


def test_one_operand_may_serve_a_whole_batch(driver: Any) -> None:
    random = np.random.default_rng(1)
    a, b = random.standard_normal((3, 2, 4)), random.standard_normal((4, 5))
    at = [on_device(driver, a), on_device(driver, b), driver.allocate(3 * 10 * 8)]
    asked = Product(from_numpy(a.dtype), (3, 2, 5, 4), (8, 4, False), (0, 5, False), (10, 5))
    driver.multiply(asked, *at)
    np.testing.assert_allclose(back(driver, at[2], np.empty((3, 2, 5))), a @ b)


def test_precision_and_stream_of_products(driver: Any, cupy: Any, precision: None) -> None:
    at = on_device(driver, np.ones((2, 2), complex))

    def multiply_only(dtype: str) -> None:
        driver.multiply(
            Product(from_numpy(np.dtype(dtype)), (1, 2, 2, 2), (0, 2, False), (0, 2, False), (0, 2)), at, at, at
        )

    def multiply(dtype: str) -> tuple[int, int, int]:
        driver.copy_in(np.ones((2, 2), dtype), at)
        multiply_only(dtype)
        found: tuple[int, int, int] = cupy.cublas.calls[-1]
        return found

    assert multiply("float32") == (68, 0, 0) and multiply("float64") == (70, 0, 0) and multiply("float16") == (68, 0, 0)
    set_product_precision(ProductPrecision(tf32=True, reduced_f16=False))
    assert (
        multiply("float32") == (77, 0, 0) and multiply("float64") == (70, 0, 0) and multiply("float16") == (68, 16, 0)
    )
    assert cupy.cublas.workspaces == 1
    stream = driver.open_stream(0)
    driver.use_stream(stream)
    assert multiply("complex64") == (77, 0, stream) and cupy.cublas.workspaces == 2, "a new stream loses the workspace"
    assert sum(asked == ("malloc", 1, 32 * MIB) for asked in cupy.cuda.runtime.asked) == 2, "nor may two share one"
    driver.capture(lambda: multiply_only("float32"))
    assert sum(asked == ("malloc", 1, 32 * MIB) for asked in cupy.cuda.runtime.asked) == 2, "a graph has its stream's"


# Libraries.


def layout_of(array: np.ndarray) -> Layout:
    return Layout(from_numpy(array.dtype), array.shape, tuple([step // array.itemsize for step in array.strides]))


def called(driver: Any, routine: str, operands: list[np.ndarray], results: list[np.ndarray], **options: Any) -> int:
    """Call a routine, bring its results back, and say whether it refused an operand."""
    sources, targets = ([on_device(driver, array) for array in arrays] for arrays in (operands, results))
    word = on_device(driver, np.zeros(1, np.int32))
    layouts = [tuple(map(layout_of, arrays)) for arrays in (operands, results)]
    driver.compute(LibraryCall(routine, *layouts, tuple(options.items())), sources, targets, word)
    for address, result in zip(targets, results, strict=True):
        driver.copy_out(address, result)
    return int(back(driver, word, np.empty(1, np.int32))[0])


def test_a_library_works_on_our_memory_and_stream(driver: Any, cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stream, seen = driver.open_stream(0), []
    driver.use_stream(stream)
    transform = cupy.fft.fftn

    def fftn(*arguments: Any, **options: Any) -> Any:
        seen.append((list(FakeStream.current), cupy.cuda.runtime.device))
        return transform(*arguments, **options)

    monkeypatch.setattr(cupy.fft, "fftn", fftn)
    x = np.random.default_rng(0).standard_normal((3, 4)) + 1j
    found = np.empty((3, 4), complex)
    assert not called(driver, "fft_c2c", [x], [found], axes=(1,), inverse=False, norm="backward")
    np.testing.assert_allclose(found, np.fft.fft(x))
    assert seen == [([stream], 1)] and not FakeStream.current and cupy.cuda.runtime.device == 0
    assert [asked for asked in cupy.cuda.runtime.asked if asked[0] == "array"] == [("array", (3, 4))] * 2 + [
        ("array", ())
    ]


def test_a_library_reads_and_writes_any_strides(driver: Any) -> None:
    x = np.random.default_rng(1).standard_normal((2, 4, 4))
    whole, packed = x @ x.swapaxes(1, 2) + np.eye(4), np.zeros((2, 17))
    source, target = on_device(driver, whole), on_device(driver, packed)
    turned = Layout(float64, (2, 4, 4), (16, -1, -4))  # read from its last element backwards
    parts = Layout(float64, (2, 4, 4), (17, 4, 1)), Layout(float64, (2,), (17,))
    call = LibraryCall("cholesky", (turned,), parts, (("upper", False), ("check", "")))
    driver.compute(call, [source + 15 * 8], [target, target + 16 * 8], None)
    driver.copy_out(target, packed)
    factor = packed[:, :16].reshape(2, 4, 4)
    np.testing.assert_allclose(factor @ factor.swapaxes(1, 2), whole[:, ::-1, ::-1])
    assert not packed[:, 16].any() and not np.triu(factor, 1).any()


@pytest.mark.parametrize("count", [1, 3])
def test_what_breaks_down_says_where(driver: Any, count: int) -> None:
    bad = np.tile(np.array([[1.0, 2.0], [2.0, 1.0]]), (count, 1, 1))
    factor, info, pivots = np.empty_like(bad), np.empty(count), np.empty((count, 2))
    assert called(driver, "cholesky", [bad], [factor, info], upper=False, check="linalg.cholesky") == 1
    assert info.tolist() == [2] * count
    assert called(driver, "lu", [np.ones_like(bad)], [factor, pivots, info], check="linalg.inv") == 1
    assert info.tolist() == [2] * count and pivots.tolist() == [[1, 2]] * count
    assert called(driver, "svdvals", [bad * np.nan], [np.empty((count, 2))]) == 1


def test_iterations_that_do_not_converge(driver: Any, cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise np.linalg.LinAlgError("devInfo = [3]")

    for name in ("svd", "eigh"):
        monkeypatch.setattr(cupy.linalg, name, fail)
    assert called(driver, "svdvals", [np.eye(2)], [np.empty(2)]) == 1, "the host is asked what is wrong"
    layout, at = layout_of(np.eye(2)), on_device(driver, np.eye(2))
    call = LibraryCall("eigh", (layout,), (layout_of(np.empty(2)), layout), (("upper", False),))
    with pytest.raises(LinAlgError, match=r"linalg.eigh: The algorithm failed to converge \(devInfo = \[3\]\)"):
        driver.compute(call, [at], [driver.allocate(16), driver.allocate(32)], None)


def test_memory_that_libraries_worked_in_is_given_back_before_there_is_none(driver: Any, cupy: Any) -> None:
    runtime, pool = cupy.cuda.runtime, cupy.get_default_memory_pool()
    pool.kept = runtime.malloc(80 * MIB)
    driver.free(driver.allocate(80 * MIB))
    assert not pool.kept
    with pytest.raises(OutOfMemory):
        driver.allocate(129 * MIB)


def test_a_library_without_memory_or_that_is_not_there(driver: Any, cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(error: Exception) -> Any:
        def svd(*arguments: Any, **options: Any) -> Any:
            raise error

        return svd

    monkeypatch.setattr(cupy.linalg, "svd", refusing(cupy.cuda.memory.OutOfMemoryError("7 bytes")))
    with pytest.raises(OutOfMemoryError, match=r"CUDA out of memory\. svdvals needs memory to work in.*7 bytes"):
        called(driver, "svdvals", [np.eye(2)], [np.empty(2)])
    monkeypatch.setattr(cupy.linalg, "svd", refusing(ImportError("libcusolver.so.12")))
    with pytest.raises(RuntimeError, match=r"svdvals needs a library .*libcusolver.so.12.*cupy-cuda13x\[ctk\]"):
        called(driver, "svdvals", [np.eye(2)], [np.empty(2)])


def test_cupy_has_what_the_driver_asks_of_it() -> None:
    """The names, where cupy is installed; without a GPU none of them can be called."""
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    used = fake_cupy(1, 1).cuda
    for fake, real in ((used, cupy.cuda), (used.memory, cupy.cuda.memory), (used.device, cupy.cuda.device)):
        for name in vars(fake):
            assert hasattr(real, name), name
    assert hasattr(cupy.cuda.Stream, "from_external") and callable(cupy.get_default_memory_pool)
    for name in ("UnownedMemory", "MemoryPointer"):
        ours = list(inspect.signature(getattr(used, name)).parameters)
        assert parameters_said_in(getattr(cupy.cuda, name)) == ours
    for fake, real in ((used.runtime, cupy.cuda.runtime), (used.driver, cupy.cuda.driver)):
        own = {"asked", "device", "graphs", "live_events", "do", "attributes", "kernels"}
        for name in {name for name in dir(fake) if not name.startswith("_")} - own:
            assert hasattr(real, name), name
