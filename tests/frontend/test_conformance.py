"""Forward value, shape, dtype, gradient and error class of every frontend function, with torch as oracle."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.cases import Case, ErrorCase, assert_agrees, assert_raises_alike

from . import (
    cases_activations,
    cases_attributes,
    cases_binary,
    cases_complex,
    cases_convolution,
    cases_creation,
    cases_edge,
    cases_errors,
    cases_fourier,
    cases_images,
    cases_index_errors,
    cases_indexing,
    cases_linalg,
    cases_losses,
    cases_math_errors,
    cases_matmul,
    cases_movement,
    cases_normalisation,
    cases_parts,
    cases_promotion,
    cases_reductions,
    cases_scatter,
    cases_shape,
    cases_sorting,
    cases_special,
    cases_statistics,
    cases_unary,
)

FAMILIES = (
    cases_creation,
    cases_attributes,
    cases_unary,
    cases_activations,
    cases_binary,
    cases_complex,
    cases_fourier,
    cases_promotion,
    cases_reductions,
    cases_matmul,
    cases_convolution,
    cases_shape,
    cases_movement,
    cases_indexing,
    cases_scatter,
    cases_sorting,
    cases_linalg,
    cases_losses,
    cases_normalisation,
    cases_edge,
    cases_special,
    cases_statistics,
    cases_parts,
    cases_images,
)

ERRORS = [
    *cases_errors.CASES,
    *cases_index_errors.CASES,
    *cases_math_errors.CASES,
    *cases_images.ERRORS,
    *cases_complex.ERRORS,
    *cases_fourier.ERRORS,
    *cases_linalg.ERRORS,
]

pytestmark = pytest.mark.filterwarnings("ignore")


def _marked(case: Case) -> Any:
    """A case, and where torch computes it on the CPU alone."""
    if case.name.startswith("linalg.lstsq") and "driver=gels)" not in case.name:
        return pytest.param(case, marks=pytest.mark.host_memory("torch has no driver but gels on CUDA"))
    return case


CASES = [_marked(case) for family in FAMILIES for case in family.CASES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_torch(case: Case, torch: Any, candidate: Any) -> None:
    """Values, shapes, dtypes, requires_grad and gradients are torch's."""
    assert_agrees(case, torch, candidate)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_raises_as_torch(case: ErrorCase, torch: Any, candidate: Any) -> None:
    """Bad input raises torch's error class, with a message."""
    assert_raises_alike(case, torch, candidate)
