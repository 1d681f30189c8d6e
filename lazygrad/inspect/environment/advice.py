"""What to do about what the doctor found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_Facts = dict[str, dict[str, Any]]
_NO_COMPILER = (
    "no C compiler works, so programs stay on numpy: install gcc >= 12 or clang >= 16, or set CC to the path of one"
)


def advice(report: _Facts) -> list[str]:
    """One sentence for each problem of a report by `diagnose`, or of some of its sections; none where all is well."""
    return [*_on_compilers(report), *_on_files(report), *_on_devices(report), *_on_results(report)]


def _on_compilers(report: _Facts) -> Iterator[str]:
    if report.get("compiler", {}).get("found") == "none that works":
        yield _NO_COMPILER
    elif str(report.get("library", {}).get("state", "")).startswith("not built"):
        yield "the C library was not built: the compiler's output above says why; another compiler can be named by CC"


def _on_files(report: _Facts) -> Iterator[str]:
    usable = report.get("cache", {}).get("usable", True)
    if usable is not True:
        yield (
            f"compiled code is forgotten at the end of each process ({usable}): set LAZYGRAD_CACHE_DIR to a folder "
            f"that only you can write to"
        )


def _on_devices(report: _Facts) -> Iterator[str]:
    gpu = report.get("gpu", {})
    if gpu.get("CUDA driver") is True and gpu.get("cupy") == "not installed":
        yield "there is a CUDA driver, and no cupy: pip install 'lazygrad[cuda12]' or 'lazygrad[cuda13]'"
    processor = report.get("processor", {})
    if processor and processor["threads used"] < (processor["processors"] or 1):
        yield (
            f"{processor['threads used']} of {processor['processors']} processors are used: the process is bound to "
            f"these, its control group is limited to them, or LAZYGRAD_NUM_THREADS says so"
        )


def _on_results(report: _Facts) -> Iterator[str]:
    for backend, outcome in report["tests"].items():
        if outcome != "works":
            yield f"the backend {backend} {outcome}: use another one (LAZYGRAD_BACKEND=numpy), and report it"
    if report["backend"]["used"] == "none":
        yield f"LAZYGRAD_BACKEND names no backend that can run here: {report['backend']['because']}"
