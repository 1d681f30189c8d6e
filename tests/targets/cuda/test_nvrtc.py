"""NVRTC from Python: what it makes of a program, what it says of one that is wrong, and what is said without it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lazygrad.targets.cuda import libraries, nvrtc
from lazygrad.targets.cuda.nvrtc import CompilationError, Resources, compile_program, resources

_PROGRAM = """
extern "C" __global__ void __launch_bounds__(64) reverse(const float *__restrict__ x, float *__restrict__ y)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" __global__ void twice(const float *__restrict__ x, float *__restrict__ y)
{
    y[threadIdx.x] = 2.0f * x[threadIdx.x];
}
"""

# More values live at once than the registers that its bounds leave to a thread.
_SPILLING = """
extern "C" __global__ void __launch_bounds__(1024, 2) crowded(const float *x, float *y)
{
    float held[96];
#pragma unroll
    for (int i = 0; i < 96; i++)
        held[i] = x[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 96; i++)
        y[i * 1024 + threadIdx.x] = held[i] * held[95 - i];
}
"""

_LOG = """
ptxas info    : 24 bytes gmem, 8 bytes cmem[4]
ptxas info    : Compiling entry function 'second' for 'sm_80'
ptxas info    : Function properties for helper
ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for second
ptxas         .     256 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 27 registers, used 1 barriers, 264 bytes cumulative stack size, 132 bytes smem, 372 bytes cmem[0]
ptxas info    : Compile time = 9.618 ms
ptxas info    : Compiling entry function 'first' for 'sm_80'
ptxas info    : Function properties for first
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 22 registers, used 0 barriers, 372 bytes cmem[0], 8 bytes cmem[2]
"""

needs_nvrtc = pytest.mark.skipif(nvrtc.missing() is not None, reason=str(nvrtc.missing()))


def test_what_a_log_says() -> None:
    assert resources(_LOG) == {"second": Resources(27, 264, 40, 132), "first": Resources(22, 0, 0, 0)}


@needs_nvrtc
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_90a"])
def test_kernels_of_a_program(architecture: str) -> None:
    made = compile_program(_PROGRAM, architecture)
    assert made.cubin.startswith(b"\x7fELF")
    assert set(made.kernels) == {"reverse", "twice"}
    assert made.kernels["reverse"].shared_bytes == 256
    assert all(kernel.spilled_bytes == 0 < kernel.registers for kernel in made.kernels.values())


@needs_nvrtc
def test_spills_are_seen() -> None:
    crowded = compile_program(_SPILLING, "sm_80").kernels["crowded"]
    assert crowded.spilled_bytes > 0 and crowded.registers <= 32


@needs_nvrtc
def test_a_program_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_program(_PROGRAM, "sm_80", ["--fmad=false"])
    monkeypatch.setattr(nvrtc, "_compile", lambda *_: pytest.fail("compiled again"))
    assert compile_program(_PROGRAM, "sm_80", ["--fmad=false"]) == first


@needs_nvrtc
def test_options_and_sources_have_cubins_of_their_own() -> None:
    plain = compile_program(_PROGRAM, "sm_80")
    assert len(compile_program(_PROGRAM, "sm_80", ["-lineinfo"]).cubin) > len(plain.cubin)
    assert set(compile_program(_PROGRAM.replace("twice", "thrice"), "sm_80").kernels) == {"reverse", "thrice"}


@needs_nvrtc
def test_headers_of_half_precision_are_found() -> None:
    source = """
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    extern "C" __global__ void narrow(const __half *x, __nv_bfloat16 *y)
    {
        y[threadIdx.x] = __float2bfloat16(__half2float(x[threadIdx.x]));
    }
    """
    assert set(compile_program(source, "sm_90").kernels) == {"narrow"}


@needs_nvrtc
def test_a_wrong_program_is_refused_with_what_the_compiler_printed() -> None:
    with pytest.raises(CompilationError, match=r'(?s)sm_90.*plan\.cu\(2\): error: identifier "y" is undefined'):
        compile_program('extern "C" __global__ void wrong(float *x) {\n x[0] = y;\n}', "sm_90")


@needs_nvrtc
@pytest.mark.parametrize("architecture", ["sm_30", "ampere", "compute_90"])
def test_an_architecture_that_is_not_there(architecture: str) -> None:
    with pytest.raises(CompilationError, match=f"compiles for sm_.*sm_90.*, and not for {architecture}"):
        compile_program(_PROGRAM, architecture)


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A machine without NVRTC, and the only folder where it is looked for."""
    cached = nvrtc._nvrtc, libraries.found
    for function in cached:
        function.cache_clear()
    monkeypatch.setattr(libraries, "roots", lambda: iter([tmp_path]))
    monkeypatch.setattr(libraries, "_ENDINGS", ())
    yield tmp_path
    for function in cached:
        function.cache_clear()


def test_without_nvrtc_the_packages_are_named(nowhere: Path) -> None:
    (nowhere / "lib").mkdir()
    (nowhere / "lib" / "libnvrtc.so.13").write_bytes(b"no library")
    assert "nvidia-cuda-nvrtc==13.0.*" in str(nvrtc.missing())
    with pytest.raises(RuntimeError, match=r"NVRTC.*was not found: pip install .*nvidia-cuda-nvrtc.*CUDA_HOME"):
        compile_program(_PROGRAM, "sm_90")


@needs_nvrtc
def test_without_headers_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = nvrtc._nvrtc()
    assert whole is not None
    monkeypatch.setattr(nvrtc, "_nvrtc", lambda: nvrtc._Nvrtc(whole.library, whole.version, None))
    assert "cuda_fp16.h was not found" in str(nvrtc.missing())
    with pytest.raises(CompilationError, match=r"(?s)cuda_fp16\.h.*nvidia-cuda-runtime==13\.0"):
        compile_program('#include "cuda_fp16.h"\n', "sm_90")


@needs_nvrtc
def test_a_toolkit_is_found_without_the_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a toolkit, the library lies in ``lib64``, and the headers beside it."""
    root = next(root for root in libraries.roots() if list(root.glob("lib*/libnvrtc.so*")))
    (tmp_path / "lib64").symlink_to(next(root.glob("lib*/libnvrtc.so*")).parent)
    (tmp_path / "include").symlink_to(root / "include")
    script = (
        "import sys\n"
        "sys.path[:] = [path for path in sys.path if not path.endswith('site-packages')]\n"
        "sys.path += sys.argv[1:]\n"
        "import importlib.util\n"
        "from lazygrad.targets.cuda import nvrtc\n"
        "importlib.util.find_spec = lambda name: None\n"
        "print(nvrtc.missing(), nvrtc._nvrtc().library._name, nvrtc._nvrtc().include)\n"
    )
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    packages = [path for path in sys.path if path.endswith("site-packages")]
    command = [sys.executable, "-c", script, *packages]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert printed[0] == "None"
    assert printed[1].startswith(str(tmp_path / "lib64")) and printed[2] == str(tmp_path / "include")


@needs_nvrtc
def test_threads_may_compile_at_once() -> None:
    """ctypes lets go of the interpreter while NVRTC works, so its functions are called by several threads."""
    sources = [_PROGRAM.replace("twice", f"twice{number}") for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda source: nvrtc.compile_program(source, "sm_80"), sources))
    assert [sorted(program.kernels)[1] for program in made] == [f"twice{number}" for number in range(4)]
