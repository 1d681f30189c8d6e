"""What lazygrad finds on this machine, which backend that makes it choose, and whether the backends compute."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from lazygrad.host.cache_folder import cache_folder, chosen_folder, why_unusable
from lazygrad.host.disk_cache import LIMIT_BYTES, usage
from lazygrad.host.threads import get_num_threads
from lazygrad.inspect.environment.advice import advice
from lazygrad.ir.device import Device
from lazygrad.ir.printable import printable
from lazygrad.runtime import backend_choice
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c.process import BuildError
from lazygrad.targets.c.toolchain import processor, search
from lazygrad.targets.cuda import drivers, nvrtc
from lazygrad.targets.cuda import libraries as cuda_libraries
from lazygrad.targets.devices import device_targets

Facts = dict[str, Any]
Report = dict[str, Facts]

_INSTRUCTION_SETS = """sse4_2 avx f16c fma avx2 avx_vnni avx512f avx512dq avx512bw avx512vl avx512_vnni avx512_bf16
    avx512_fp16 amx_tile amx_bf16 asimd asimdhp fphp bf16 sve sve2 i8mm""".split()
_OPTIONAL = {"scikit-learn": "the digits example", "torch": "comparisons in the tests", "hypothesis": "the tests"}
_WORKS = "works"


def diagnose() -> Report:
    """Everything the doctor knows, by section. It builds the library, and runs something on each backend.

    Returns:
        Sections of named facts, all of which JSON can hold.
    """
    sections: dict[str, Callable[[], Facts]] = {
        "python": _python,
        "numpy": _numpy,
        "processor": _processor,
        "compiler": _compiler,
        "cache": _cache,
        "library": _library,
        "gpu": _gpu,
        "optional packages": _optional_packages,
        "backend": _backend,
        "tests": _tests,
    }
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", RuntimeWarning)
        report = {title: examine() for title, examine in sections.items()}
    if warned:
        report["warnings"] = {str(number): str(each.message) for number, each in enumerate(warned, 1)}
    return report


def is_well(report: Report) -> bool:
    """Whether the backend that programs get here computes what it should."""
    return report["tests"].get(report["backend"]["used"]) == _WORKS


def in_words(report: Report) -> str:
    """The report as text: one paragraph a section, one fact a line; then what to do about what is missing."""
    paragraphs = []
    for title, facts in report.items():
        width = max(len(name) for name in facts)
        lines = [f"  {name:{width}}  {_value_in_words(value, width + 4)}" for name, value in facts.items()]
        paragraphs.append("\n".join([title, *lines]))
    problems = advice(report)
    if problems:
        paragraphs.append("\n".join(["what to do", *[f"  - {problem}" for problem in problems]]))
    used = report["backend"]["used"]
    verdict = f"lazygrad works here, on {used}." if is_well(report) else "lazygrad does not work here."
    return "\n\n".join([*paragraphs, verdict])


def _value_in_words(value: object, indent: int) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ("\n" + " " * indent).join([printable(line) for line in str(value).expandtabs().split("\n")])


def _python() -> Facts:
    from lazygrad import __version__

    version = f"{platform.python_implementation()} {platform.python_version()}"
    return {"lazygrad": __version__, "python": version, "executable": sys.executable, "system": platform.platform()}


def _numpy() -> Facts:
    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    facts: Facts = {"version": np.__version__}
    for number, library in enumerate(libraries, 1):
        name = f"{library['internal_api']} {library['version']}, {library['num_threads']} threads"
        facts[f"BLAS {number}"] = f"{name} ({library['filepath']})"
    return facts


def _processor() -> Facts:
    words = set(" ".join(processor().values()).split())
    return {
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "instruction sets": [name for name in _INSTRUCTION_SETS if name in words],
        "threads used": get_num_threads(),
    }


def _compiler() -> Facts:
    found = search()
    facts: Facts = {"CC": os.environ.get("CC") or "not set"}
    facts |= {name: reason for name, reason in found.failures.items() if name != "CC"}
    if found.toolchain is None:
        return facts | {"found": "none that works"}
    tools = found.toolchain
    return facts | {
        "found": " ".join(tools.command),
        "version": tools.version,
        "flags": list(tools.flags),
        "refused flags": list(tools.refused),
        "target": tools.target,
    }


def _cache() -> Facts:
    try:
        chosen = chosen_folder()
        facts: Facts = {"folder": str(chosen), "usable": why_unusable(chosen) or True}
    except OSError as error:
        facts = {"folder": "none", "usable": error.strerror or str(error)}
    try:
        used = cache_folder()
        objects, size = usage(used)
    except OSError as error:
        return facts | {"used": f"none ({error})"}
    return facts | {"used": str(used), "objects": objects, "size": _bytes(size), "limit": _bytes(LIMIT_BYTES)}


def _bytes(count: int) -> str:
    return f"{count / 2**20:.1f} MiB"


def _library() -> Facts:
    if search().toolchain is None:
        return {"state": "not built: there is no compiler"}
    try:
        seconds = c_library.load_all()
    except BuildError as error:
        return {"state": f"not built: {error.reason}", "compiler output": error.output or "none"}
    return {"state": f"loaded, {f'built in {seconds:.1f} s' if seconds else 'found in the cache'}"}


def _gpu() -> Facts:
    missing = drivers.missing_piece()
    facts: Facts = {
        "CUDA driver": _loads("libcuda.so.1"),
        "cupy": next(filter(None, map(_version, ("cupy-cuda13x", "cupy-cuda12x", "cupy"))), "not installed"),
        "NVRTC": nvrtc.missing() or ".".join(map(str, nvrtc.version())),
        "cuBLAS": cuda_libraries.found("cublas") is not None,
        "usable": missing or True,
    }
    if missing is None:
        names = [drivers.driver_of(Device("cuda", ordinal)).name for ordinal in range(drivers.device_count())]
        facts |= {f"cuda:{ordinal}": name for ordinal, name in enumerate(names)}
    return facts


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _optional_packages() -> Facts:
    return {name: _version(name) or f"not installed (for {purpose})" for name, purpose in _OPTIONAL.items()}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _backend() -> Facts:
    try:
        choice, used = backend_choice.get_backend(), backend_choice.current_backend()
    except (ValueError, RuntimeError) as error:
        return {"chosen": os.environ.get("LAZYGRAD_BACKEND", ""), "used": "none", "because": str(error)}
    if choice != "auto":
        because = "it was asked for"
    elif used == "c":
        because = "there is a C compiler that works"
    else:
        because = "there is no C compiler that works"
    waits = backend_choice.waits_for_compiler()
    return {"chosen": choice, "used": used, "because": because, "waits for the compiler": waits}


def _tests() -> Facts:
    return {target.name: _outcome(target.name) for target in device_targets() if target.missing() is None}


def _outcome(backend: str) -> str:
    try:
        smoke_test(backend)
    except Exception as error:  # the doctor reports it, whatever it is
        return f"fails: {type(error).__name__}: {error}"
    return _WORKS


def smoke_test(backend: str) -> None:
    """Compute a matrix product, an elementwise chain, a row kernel and gradients on one backend, and check them.

    Raises:
        ArithmeticError: a result is wrong.
    """
    import lazygrad as lg

    inputs, weights = np.random.default_rng(0).standard_normal((2, 32, 32), dtype=np.float32)
    product = inputs @ weights
    exponentials = np.exp(product - product.max(1, keepdims=True))
    expected = {
        "softmax": exponentials / exponentials.sum(1, keepdims=True),
        "gradient": inputs.T @ (product > 0).astype(np.float32),
    }
    with backend_choice.backend(backend), _waiting():
        x, w = lg.from_numpy(inputs), lg.tensor(weights, requires_grad=True)
        y = x @ w
        y.relu().sum().backward()
        assert w.grad is not None
        computed = {"softmax": y.detach().softmax(1).numpy(), "gradient": w.grad.numpy()}
    _compare(computed, expected)


@contextmanager
def _waiting() -> Iterator[None]:
    """Plans wait for their C code, so that it is what the test runs."""
    outer = backend_choice.are_deterministic_algorithms_enabled()
    warn_only = backend_choice.is_deterministic_algorithms_warn_only_enabled()
    backend_choice.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        backend_choice.use_deterministic_algorithms(outer, warn_only=warn_only)


def _compare(computed: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    for name, values in expected.items():
        if not np.allclose(computed[name], values, rtol=1e-4, atol=1e-4):
            worst = float(np.abs(computed[name] - values).max())
            raise ArithmeticError(f"{name} is wrong by {worst:.2g}")
