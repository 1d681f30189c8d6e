"""BLAS kept to one thread: numpy's own library, and stand-ins for those of other machines."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from lazygrad.host.blas import SerialBlas, serial_blas
from lazygrad.host.calls._lapack import routine

_SOURCE = """
static {thread} int threads = {initial}; static int calls;
int {get}(void) {{ return threads; }}
int {set}(int count) {{ calls++; threads = count; return 0; }}
int calls_of_set(void) {{ return calls; }}
"""
NAMES = {
    "OpenBLAS": ("openblas_get_num_threads", "openblas_set_num_threads"),
    "OpenBLAS of 64 bits": ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
    "OpenBLAS in a wheel of numpy": ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),
    "OpenBLAS in a wheel of scipy": ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),
    "MKL": ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),
    "BLIS": ("bli_thread_get_num_threads", "bli_thread_set_num_threads"),
    "FlexiBLAS": ("flexiblas_get_num_threads", "flexiblas_set_num_threads"),
    "Accelerate": ("BLASGetThreading", "BLASSetThreading"),
}


class StandIn:
    """A library that only keeps a number, and a module that is linked with it. Accelerate keeps one for each thread."""

    def __init__(self, folder: Path, name: str) -> None:
        get, set_threads = NAMES[name]
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("there is no C compiler to make a library with")
        self.initial, thread = (0, "_Thread_local") if name == "Accelerate" else (3, "")
        source = _SOURCE.format(get=get, set=set_threads, thread=thread, initial=self.initial)
        library, module = folder / "libblas-of-a-kind.so", folder / "module.so"
        (folder / "library.c").write_text(source)
        (folder / "module.c").write_text(f"int {get}(void); int call(void) {{ return {get}(); }}\n")
        shared = [compiler, "-shared", "-fPIC", "-o"]
        subprocess.run([*shared, library, folder / "library.c"], check=True)
        subprocess.run([*shared, module, folder / "module.c", library, f"-Wl,-rpath,{folder}"], check=True)
        self.module = str(module)
        loaded = ctypes.PyDLL(str(module))
        self.threads: Callable[[], int] = getattr(loaded, get)
        self.calls: Callable[[], int] = loaded.calls_of_set


@pytest.mark.parametrize("name", NAMES)
def test_a_library_is_found_through_the_module_that_calls_it(name: str, tmp_path: Path) -> None:
    library = StandIn(tmp_path, name)
    serial = SerialBlas(library.module, library.module)
    with serial:
        assert library.threads() == 1
        with serial:
            assert library.threads() == 1
        assert library.threads() == 1
    assert (library.threads(), library.calls()) == (library.initial, 2)


def test_what_has_one_thread_is_left_alone(tmp_path: Path) -> None:
    library = StandIn(tmp_path, "MKL")
    ctypes.PyDLL(library.module).MKL_Set_Num_Threads(1)
    with SerialBlas(library.module):
        assert library.threads() == 1
    assert (library.threads(), library.calls()) == (1, 1)


def test_a_library_may_come_while_others_are_kept(tmp_path: Path) -> None:
    library = StandIn(tmp_path, "OpenBLAS")
    serial = SerialBlas()
    with serial:
        serial.add(library.module)
        assert library.threads() == 1
        serial.add(library.module)
    assert (library.threads(), library.calls()) == (3, 2)


def test_what_is_no_library_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "none.so").write_text("text")
    with SerialBlas(str(tmp_path / "none.so"), str(tmp_path / "missing.so"), sys.executable):
        pass


def test_the_last_thread_to_leave_restores(tmp_path: Path) -> None:
    library = StandIn(tmp_path, "OpenBLAS")
    serial = SerialBlas(library.module)
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with serial:
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with serial:
        thread.start()
        inside.wait()
    seen = library.threads()
    leave.set()
    thread.join()
    assert (seen, library.threads()) == (1, 3)


def test_each_thread_of_accelerate_chooses_for_itself(tmp_path: Path) -> None:
    library = StandIn(tmp_path, "Accelerate")
    serial = SerialBlas(library.module)
    seen: list[int] = []

    def other() -> None:
        seen.append(library.threads())
        with serial:
            seen.append(library.threads())
        seen.append(library.threads())
        serial.limit_own_thread()
        seen.append(library.threads())

    with serial:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [0, 1, 0, 1]
    assert library.threads() == 0


def threads_of(package: str) -> int:
    """What threadpoolctl says of the library in a package's wheel."""
    found = [each["num_threads"] for each in threadpool_info() if f"{package}.libs" in each["filepath"]]
    if not found:
        pytest.skip(f"{package} is no wheel with a BLAS that threadpoolctl knows")
    return int(found[0])


def test_numpys_own_library_is_kept_to_one_thread() -> None:
    with threadpool_limits(3):
        before = threads_of("numpy")
        with serial_blas:
            inside = threads_of("numpy")
        assert (before, inside, threads_of("numpy")) == (3, 1, 3)


def test_scipys_library_is_kept_to_one_thread_from_its_first_call_on() -> None:
    assert routine("potrf", np.dtype(np.float64))(np.eye(2))[1] == 0
    with threadpool_limits(3):
        before = threads_of("scipy")
        with serial_blas:
            assert (before, threads_of("scipy")) == (3, 1)
