"""Every kernel of many programs compiles for GPUs of two generations, and keeps its values in registers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings

import lazygrad as lg
from lazygrad.targets.cuda import nvrtc
from lazygrad.targets.cuda.nvrtc import Resources
from tests.benchmarks.case import LAZYGRAD
from tests.benchmarks.cases import CASES as BENCHMARKS
from tests.benchmarks.frameworks import load as framework
from tests.examples.running import SWAPPABLE
from tests.examples.running import load as example
from tests.fuzz.forms import EXTENTS, results
from tests.fuzz.programs import Program, execute, long_programs, values
from tests.selection import share
from tests.targets.cuda.comparing import Case
from tests.targets.cuda.corpus import batches, sources_of
from tests.targets.cuda.test_kernels import CASES as KERNELS
from tests.targets.cuda.test_library import CASES as CALLS

OURS = [name for name, case in BENCHMARKS.items() if any(one.peer == LAZYGRAD for one in case.contenders)]

pytestmark = pytest.mark.skipif(nvrtc.missing() is not None, reason=str(nvrtc.missing()))

ARCHITECTURES = ("sm_80", "sm_90")

# Kernels that may spill, by name, with the reason.
SPILLING = {
    "pointwise_airy_ai": "16 bytes on sm_80: sines and cosines of f64 beside running sums",
    "cast_reduce_sumEPKfPd": "48 bytes on sm_90: four exponentials of f64 at once, for which ptxas gives 40 registers",
}


def spilled(kernels: Mapping[str, Resources]) -> dict[str, Resources]:
    """The kernels that keep values in memory and are not listed."""
    return {
        name: kernel
        for name, kernel in kernels.items()
        if kernel.spilled_bytes and not any(listed in name for listed in SPILLING)
    }


def check(sources: list[str]) -> None:
    """Compile plans, and ask for their spills.

    Raises:
        AssertionError: a kernel has more values than registers.
        CompilationError: the compiler refuses a plan.
    """
    for architecture in ARCHITECTURES:
        for text in batches(sources):
            made = nvrtc.compile_program(text, architecture)
            assert len(made.kernels) == text.count("__global__")
            spilling = spilled(made.kernels)
            assert not spilling, (architecture, spilling)


def results_of(case: Case) -> None:
    made = case.program(*map(lg.tensor, case.inputs))
    for result in made if isinstance(made, tuple | list) else [made]:
        result.realize()


@pytest.mark.whole
@pytest.mark.parametrize("cases", [KERNELS, CALLS], ids=["kernels", "calls"])
def test_cases(cases: dict[str, Case]) -> None:
    check([text for case in cases.values() for text in sources_of(partial(results_of, case))])


@pytest.mark.parametrize("extent", EXTENTS, ids=str)
def test_forms(extent: tuple[int, int]) -> None:
    check(sources_of(partial(results, extent)))


@pytest.mark.parametrize("name", OURS)
def test_benchmark(name: str) -> None:
    case = BENCHMARKS[name]
    contender = next(contender for contender in case.contenders if contender.peer == LAZYGRAD)
    program = contender.prepare(framework(LAZYGRAD), "small")
    check(sources_of(lambda: [output.realize() for output in program() if isinstance(output, lg.Tensor)]))


@pytest.mark.whole
@pytest.mark.parametrize("name", SWAPPABLE)
def test_example(name: str) -> None:
    check(sources_of(partial(example(name).main, ["--short"])))


@pytest.mark.deeper
@settings(max_examples=share(15), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(long_programs)
def test_random_program(program: Program) -> None:
    check(sources_of(lambda: values(execute(program))))
