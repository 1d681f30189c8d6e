"""Every public function on the inputs PyTorch tests itself with: results, gradients, `out=` and errors are torch's.

A run compares a few samples of each operation and dtype; `LAZYGRAD_CONFORMANCE=full` compares all of them.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")
pytest.importorskip("expecttest", reason="torch's database of operations needs expecttest")

from .checks import Report, check_errors, check_gradients, check_out, check_results  # noqa: E402
from .known import reason  # noqa: E402
from .opinfo import OPS, dtypes  # noqa: E402

_FULL = os.environ.get("LAZYGRAD_CONFORMANCE") == "full"
_ON_C = os.environ.get("LAZYGRAD_BACKEND") == "c"
# Compiling a plan for each sample takes gcc a fifth of a second: a sample of each operation must do.
_AT_MOST = None if _FULL else 1 if _ON_C else 3
_DTYPES_ON_C = ("float32",)

pytestmark = pytest.mark.filterwarnings("ignore")


def _passes(report: Report) -> None:
    shown = "\n".join(report.failures[:5])
    assert not report.failures, f"{len(report.failures)} of {report.compared} differ:\n{shown}"


def _cases() -> list[Any]:
    cases = []
    for name, op in OPS.items():
        for dtype in dtypes(op):
            short = str(dtype)[6:]
            if _ON_C and short not in _DTYPES_ON_C:
                continue
            # Half of the narrower dtypes in each run of a few, always the same half.
            narrow = short in ("int8", "int16", "int32", "uint8", "float16", "bool", "complex64")
            if narrow and not _FULL and zlib.crc32(f"{name} {short}".encode()) % 2:
                continue
            cases.append(pytest.param(name, dtype, id=f"{name}-{short}"))
    return cases


@pytest.mark.parametrize(("name", "dtype"), _cases())
def test_results(name: str, dtype: Any) -> None:
    """Function, method and in-place method: values, dtypes, shapes, fields of named results."""
    check = str(dtype)[6:]
    if why := reason(name, check):
        pytest.skip(why)
    _passes(check_results(OPS[name], dtype, _AT_MOST))


_DIFFERENTIABLE = [
    pytest.param(name, dtype, id=f"{name}-{str(dtype)[6:]}")
    for name, op in OPS.items()
    for dtype in dtypes(op)
    if op.supports_autograd and dtype in (torch.float64, torch.complex128) and not (_ON_C and not _FULL)
]


@pytest.mark.parametrize(("name", "dtype"), _DIFFERENTIABLE)
def test_gradients(name: str, dtype: Any) -> None:
    """Gradients with respect to every tensor argument."""
    check = f"{str(dtype)[6:]} gradients"
    if why := reason(name, check):
        pytest.skip(why)
    _passes(check_gradients(OPS[name], dtype, _AT_MOST))


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.supports_out and not _ON_C])
def test_out(name: str) -> None:
    """`out=` receives the result and is returned."""
    if why := reason(name, "out="):
        pytest.skip(why)
    for dtype in dtypes(OPS[name]):
        if dtype in (torch.float32, torch.int64):
            _passes(check_out(OPS[name], dtype))


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.error_inputs_func is not None and not _ON_C])
def test_errors(name: str) -> None:
    """Bad input raises torch's error class."""
    if why := reason(name, "errors"):
        pytest.skip(why)
    _passes(check_errors(OPS[name]))
