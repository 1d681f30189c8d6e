"""Every function of `nn.functional` on the inputs that PyTorch tests its own with: results, gradients, errors.

A run compares a few samples of each function in float32; `--whole` compares more of them, in all dtypes.
"""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")
pytest.importorskip("expecttest", reason="torch's database of operations needs expecttest")

from tests.conformance.checks import Report, check_errors, check_gradients, check_results  # noqa: E402
from tests.conformance.opinfo import dtypes, op_db  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.deeper,
    pytest.mark.host_memory("the database's inputs are on the CPU"),
]

FUNCTIONS = {
    f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name: op
    for op in op_db
    if op.name.startswith("nn.functional.")
}

_ROUNDED_ONCE = "sums and logarithms are computed in float32 and rounded once here, in steps in torch"
_BICUBIC = "bicubic weights in 16 bits are rounded elsewhere"
_HALVES = ("float16", "bfloat16")

# Function and check → why it is not made; a check is a dtype, `gradients` or `errors`, `*` is all of them.
DIFFERENCES: dict[tuple[str, str], str] = {
    **{
        (name, dtype): _ROUNDED_ONCE
        for name in ("linear_cross_entropy", "linear_cross_entropy.chunked", "linear_cross_entropy.chunked_none",
                     "nll_loss", "scaled_dot_product_attention")
        for dtype in _HALVES
    },
    ("soft_margin_loss", "float16"): "torch overflows to infinity where the loss is 30",
    **{("grid_sample", dtype): _BICUBIC for dtype in _HALVES},
    ("hardsigmoid", "gradients"): "torch's sixth is a float32",
    ("triplet_margin_with_distance_loss", "*"): "the samples call a module of torch's",
}  # fmt: skip


def _reason(name: str, check: str) -> str | None:
    short = name.removeprefix("nn.functional.")
    return DIFFERENCES.get((short, check)) or DIFFERENCES.get((short, "*"))


def _passes(report: Report) -> None:
    shown = "\n".join(report.failures[:5])
    assert not report.failures, f"{len(report.failures)} of {report.compared} differ:\n{shown}"


@pytest.fixture
def at_most(request: pytest.FixtureRequest) -> int:
    """How many samples of a function and dtype are compared: pooling has some 600, which differ in little."""
    return 12 if request.config.getoption("--whole") or request.config.getoption("--rest") else 1


def _cases() -> list[Any]:
    found = []
    for name, op in FUNCTIONS.items():
        for dtype in dtypes(op):
            marks = [] if dtype is torch.float32 else [pytest.mark.whole]
            if not _reason(name, str(dtype)[6:]):
                found.append(pytest.param(name, dtype, id=f"{name}-{str(dtype)[6:]}", marks=marks))
    return found


@pytest.mark.parametrize(("name", "dtype"), _cases())
def test_results(name: str, dtype: Any, at_most: int) -> None:
    _passes(check_results(FUNCTIONS[name], dtype, at_most))


@pytest.mark.parametrize(
    "name", [name for name, op in FUNCTIONS.items() if op.supports_autograd and not _reason(name, "gradients")]
)
def test_gradients(name: str, at_most: int) -> None:
    _passes(check_gradients(FUNCTIONS[name], torch.float64, at_most))


@pytest.mark.parametrize(
    "name", [name for name, op in FUNCTIONS.items() if op.error_inputs_func is not None and not _reason(name, "errors")]
)
def test_errors(name: str) -> None:
    _passes(check_errors(FUNCTIONS[name]))
