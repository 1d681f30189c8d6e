"""Every public function on the inputs PyTorch tests itself with: results, gradients, `out=` and errors are torch's.

A run compares a few samples of each operation, in a few of its dtypes; `--whole` compares all of all.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")
pytest.importorskip("expecttest", reason="torch's database of operations needs expecttest")

from tests.selection import stable_hash  # noqa: E402

from .checks import Report, check_errors, check_gradients, check_out, check_results  # noqa: E402
from .known import reason  # noqa: E402
from .opinfo import OPS, dtypes  # noqa: E402

_ON_C = os.environ.get("LAZYGRAD_BACKEND") == "c"
# Compiling a plan for each sample takes gcc a fifth of a second: one sample of each operation must do.
_SAMPLES, _DTYPES = (1, 1) if _ON_C else (2, 3)

pytestmark = pytest.mark.filterwarnings("ignore")


def _passes(report: Report) -> None:
    shown = "\n".join(report.failures[:5])
    assert not report.failures, f"{len(report.failures)} of {report.compared} differ:\n{shown}"


@pytest.fixture
def at_most(request: pytest.FixtureRequest) -> int | None:
    """How many samples of an operation and dtype are compared; None for all."""
    return None if request.config.getoption("--whole") or request.config.getoption("--rest") else _SAMPLES


def _case(name: str, dtype: Any, is_sampled: bool) -> Any:
    marks = [] if is_sampled else [pytest.mark.whole]
    return pytest.param(name, dtype, id=f"{name}-{str(dtype)[6:]}", marks=marks)


def _rank(name: str, dtype: Any) -> tuple[bool, bool, int]:
    """What is drawn first: what is compared at all, float32, the rest in the order of a hash."""
    return reason(name, str(dtype)[6:]) is not None, dtype is not torch.float32, stable_hash(f"{name} {dtype}")


def _cases() -> list[Any]:
    """Each operation with each of its dtypes; float32 and others drawn by a hash are the sample."""
    cases = []
    for name, op in OPS.items():
        drawn = sorted(dtypes(op), key=partial(_rank, name))
        cases += [_case(name, dtype, dtype in drawn[:_DTYPES]) for dtype in dtypes(op)]
    return cases


@pytest.mark.deeper
@pytest.mark.parametrize(("name", "dtype"), _cases())
def test_results(name: str, dtype: Any, at_most: int | None) -> None:
    """Function, method and in-place method: values, dtypes, shapes, fields of named results."""
    check = str(dtype)[6:]
    if why := reason(name, check):
        pytest.skip(why)
    _passes(check_results(OPS[name], dtype, at_most))


_DIFFERENTIABLE = [
    _case(name, dtype, not _ON_C and (dtype is torch.float64 or stable_hash(name) % 4 == 0))
    for name, op in OPS.items()
    for dtype in dtypes(op)
    if op.supports_autograd and dtype in (torch.float64, torch.complex128)
]


@pytest.mark.deeper
@pytest.mark.parametrize(("name", "dtype"), _DIFFERENTIABLE)
def test_gradients(name: str, dtype: Any, at_most: int | None) -> None:
    """Gradients with respect to every tensor argument."""
    check = f"{str(dtype)[6:]} gradients"
    if why := reason(name, check):
        pytest.skip(why)
    _passes(check_gradients(OPS[name], dtype, at_most))


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
