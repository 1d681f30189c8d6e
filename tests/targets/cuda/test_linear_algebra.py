"""Factorizations, systems, Fourier transforms and long sorts, by the device's libraries, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.dtype import float32
from lazygrad.ir.op import Kind, registry
from lazygrad.targets.cuda import nvrtc
from lazygrad.targets.cuda.cupy_routines import ROUTINES
from lazygrad.targets.cuda.driver import Layout, LibraryCall
from lazygrad.targets.cuda.executable import CudaCode
from lazygrad.targets.cuda.library import lines, serves
from tests.cuda_emulator.driver import EmulatedDriver, KernelError, Order
from tests.targets.cuda.comparing import Case, check, gradients
from tests.targets.cuda.emulating import emulating

L = lg.linalg
_rng = np.random.default_rng(2)


def normal(*shape: int) -> np.ndarray:
    return _rng.standard_normal(shape)


def waves(*shape: int) -> np.ndarray:
    """Complex numbers."""
    return normal(*shape) + 1j * normal(*shape)


def positive(x: np.ndarray) -> np.ndarray:
    return x @ x.conj().swapaxes(-1, -2) + x.shape[-1] * np.eye(x.shape[-1])


SQUARE, TALL, SIDES, WAVES = normal(3, 5, 5), normal(2, 5, 3), normal(3, 5, 2), waves(3, 5, 5)

CASES = {
    "transforms of some axes": Case(
        lambda x: (lg.fft.fft(x, dim=0), lg.fft.ifft2(x), lg.fft.ifftn(x.T, norm="ortho")), (WAVES,)
    ),
    "transforms of real numbers": Case(
        gradients(lambda x: lg.fft.rfftn(x, dim=(0, 1)).abs()), (SQUARE.astype(np.float32),)
    ),
    # The first and the middle frequency are no real numbers here, which a plan of several axes does not allow.
    "real transforms of any numbers": Case(
        lambda x: (lg.fft.irfft(x, n=8, dim=1), lg.fft.irfftn(x, dim=(2, 0), norm="forward"), lg.fft.irfft(x[0, 0])),
        (WAVES,),
    ),
    "transforms of views": Case(lambda x: lg.fft.fft(x.flip(1)[:, ::2].conj(), dim=1), (WAVES,)),
    "cholesky": Case(gradients(lambda x: L.cholesky(x)), (positive(SQUARE),)),
    "cholesky of one": Case(lambda x: L.cholesky(x[1], upper=True), (positive(WAVES),)),
    "lu": Case(lambda x, y: (*L.lu_factor(x), *L.lu(x[:, :2]), *L.lu(y)), (TALL, SQUARE)),
    "solutions": Case(gradients(lambda a, b: L.solve(a, b)), (SQUARE, SIDES)),
    "complex solutions": Case(lambda a, b: (L.solve(a, b), L.inv(a[0]), L.slogdet(a)[1]), (WAVES, waves(3, 5, 2))),
    "determinants": Case(gradients(lambda x: L.det(x)), (SQUARE,)),
    "triangles": Case(
        lambda a, b: (
            L.solve_triangular(a, b, upper=True),
            L.solve_triangular(a[0], b, upper=False, unitriangular=True),
            L.solve_triangular(a[0], b[0], upper=False),
        ),
        (SQUARE, SIDES),
    ),
    "qr": Case(lambda x: (*L.qr(x), *L.qr(x, mode="complete"), L.qr(x.mT, mode="r")[1], *lg.geqrf(x)), (TALL,)),
    "singular values": Case(gradients(lambda x: L.svdvals(x)), (TALL,)),
    "svd": Case(lambda x: (L.pinv(x), L.svd(x)[1], *L.svd(x[:, :0])), (TALL,)),
    "eigh": Case(lambda x: (L.eigh(x)[0], L.eigvalsh(x[0]), L.eigvalsh(x, UPLO="U")), (positive(WAVES),)),
    "eigh of what is not finite": Case(
        lambda x: (L.eigvalsh(x), L.eigh(x)[1].isnan()), (SQUARE * [[[1]], [[np.inf]], [[1]]],)
    ),
    "eigenvalues": Case(lambda x: (L.eig(x)[0], L.eigvals(x)), (SQUARE,)),
    "least squares": Case(lambda a, b: L.lstsq(a, b, driver="gels")[0], (TALL, normal(2, 5, 2))),
    "least norms": Case(lambda a, b: L.lstsq(a, b, driver="gels")[0], (waves(2, 3, 5), waves(2, 3, 2))),
    "matrix exponentials": Case(gradients(lambda x: L.matrix_exp(x)), (SQUARE * [[[0.1]], [[1]], [[9]]],)),
    "ldl": Case(
        lambda a, b: (*L.ldl_factor(a + a.mT), L.ldl_solve(*L.ldl_factor(a + a.mT), b)), (SQUARE, SIDES), 1e-4
    ),
    "complex ldl": Case(lambda a, b: L.ldl_solve(*L.ldl_factor(a + a.mT), b), (WAVES, waves(3, 5, 2)), 1e-4),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_call(name: str) -> None:
    with np.errstate(all="ignore"):
        check(CASES[name], Order.DESCENDING if len(name) % 2 else Order.ASCENDING)


ON_EMPTY_MATRICES: dict[str, Callable[[Any], Any]] = {
    "cholesky": L.cholesky, "lu": L.lu_factor, "inv": L.inv, "det": L.det, "eigh": L.eigh, "eig": L.eig,
    "qr": lambda x: L.qr(x, mode="complete"), "svd": L.svd, "matrix_exp": L.matrix_exp, "ldl": L.ldl_factor,
}  # fmt: skip


def test_matrices_of_no_elements() -> None:
    for shape in ((0, 3, 3), (2, 0, 0)):
        for name, program in ON_EMPTY_MATRICES.items():
            with lg.backend("numpy"):
                wanted = _listed(program(lg.zeros(shape)))
            with emulating():
                assert _listed(program(lg.zeros(shape))) == wanted, name


def _listed(result: Any) -> list[Any]:
    return [part.tolist() for part in (result if isinstance(result, tuple) else (result,))]


NOT_POSITIVE, SINGULAR = np.array([np.eye(2), [[1.0, 2.0], [2.0, 1.0]]]), np.ones((2, 2))
REFUSED: dict[str, tuple[Callable[[Any], Any], np.ndarray, str]] = {
    "cholesky": (L.cholesky, NOT_POSITIVE, r"linalg.cholesky: \(Batch element 1\): The factorization could not be "
                 r"completed because the input is not positive-definite \(its leading minor of order 2"),
    "inv": (L.inv, SINGULAR, "linalg.inv: The diagonal element 2 is zero"),
    "svd": (L.svd, SINGULAR * np.nan, "linalg.svd: The algorithm failed to converge"),
    "eig": (L.eig, SINGULAR * np.inf, "linalg.eig: input tensor should not contain infs or NaNs"),
    "gels": (lambda x: L.lstsq(x, x, driver="gels"), np.diag([1.0, 0.0]), "linalg.lstsq: .* full rank"),
    # LAPACK's gels takes zeros as a case of its own, so that the host refuses nothing here.
    "gels of zeros": (lambda x: L.lstsq(x - x, x, driver="gels"), SINGULAR, "full rank, as the device rounds"),
    "ldl": (lambda x: L.ldl_factor(x * 0), SINGULAR, "linalg.ldl_factor: The matrix is singular"),
    "lu_solve": (lambda x: lg.lu_solve(x, x, lg.tensor([3, 1], dtype=lg.int32)), SINGULAR, "pivots must lie between"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_matrices_that_are_refused_are_named_as_on_the_host(name: str) -> None:
    program, given, message = REFUSED[name]
    x = lg.tensor(given)
    with emulating(), pytest.raises(RuntimeError, match=message):
        _listed(program(x))


@pytest.fixture
def read_back(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each plan copies to the host while it runs."""
    run, found = CudaCode.run, []

    def counted(code: Any, *arguments: Any) -> None:
        before = code._driver.counts.bytes_out
        run(code, *arguments)
        found.append(code._driver.counts.bytes_out - before)

    monkeypatch.setattr(CudaCode, "run", counted)
    return found


def test_a_variant_that_raises_nothing_says_where_it_broke_down(read_back: list[int]) -> None:
    with emulating():
        assert L.cholesky_ex(lg.tensor(NOT_POSITIVE)).info.tolist() == [0, 2]
        assert L.inv_ex(lg.tensor(SINGULAR)).info.item() == 2
    assert read_back and not any(read_back), "nothing was asked whether it was refused"


def test_no_operand_is_copied_to_the_host(read_back: list[int]) -> None:
    x = lg.tensor(positive(SQUARE))
    results = [lg.fft.rfft(x), L.cholesky(x), L.qr(x)[0], L.eigh(x)[0], L.svd(x)[1], L.matrix_exp(x / 9), L.inv(x)]
    with emulating() as target:
        for result in results:
            result.realize()
    assert target.driver.counts.library_calls >= len(results)
    assert len(read_back) == len(results) and max(read_back) <= 3 * 4, "words of steps that may refuse"


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool", "float16"])
def test_long_rows_are_sorted_by_the_library(dtype: str, descending: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_SORTED_HERE", 100)
    values = (10 * normal(3, 101)).round()
    values[0, :4] = -0.0, 0.0, -0.0, 0.0
    if dtype.startswith("float"):
        values[:, ::7], values[1, 5:9] = np.nan, -np.inf
        values[1, 3] = -np.float64("nan")
    x = lg.tensor(values.astype(dtype))
    with lg.backend("numpy"):
        wanted = x.argsort(dim=1, descending=descending, stable=True).numpy().copy()
    with emulating() as target:
        found = x.argsort(dim=1, descending=descending, stable=True).numpy().copy()
        assert target.driver.counts.library_calls == 1
    np.testing.assert_array_equal(found, wanted)


def test_every_routine_is_the_library_form_of_a_primitive() -> None:
    for name in ROUTINES:
        assert registry[name].kind is Kind.LIBRARY and serves(registry[name]), name


UNAVAILABLE: dict[str, Callable[[Any], Any]] = {
    "ldl of complex Hermitian matrices": lambda x: L.ldl_factor(x, hermitian=True),
    "ldl_solve of complex Hermitian matrices": lambda x: L.ldl_solve(x, lg.arange(1, 6), x, hermitian=True),
    "lstsq by gelsd": lambda x: L.lstsq(x, x, driver="gelsd"),
}


@pytest.mark.parametrize("name", UNAVAILABLE)
def test_what_has_no_cuda_form_is_named(name: str) -> None:
    with emulating(), pytest.raises(NotImplementedError, match=f"{name} has no CUDA form"):
        _listed(UNAVAILABLE[name](lg.tensor(WAVES[0])))


def test_the_table_says_what_is_called() -> None:
    x = lg.randn(2, 3, 3)
    made = lg.compile_for(lambda: (L.eigvalsh(x), L.svdvals(x)), target="cuda", arch="sm_90")
    text = made.source
    assert "call eigvalsh(f32[2, 3, 3] input0, upper=False) -> f32[2, 3]" in text
    assert "call svdvals(f32[2, 3, 3] input0, refused=arena" in text


@pytest.mark.skipif(nvrtc.missing() is not None, reason=str(nvrtc.missing()))
def test_kernels_beside_the_libraries_are_compiled() -> None:
    x, b = lg.tensor(SQUARE), lg.tensor(SIDES)
    for dtype in (lg.float32, lg.complex128):
        a, right = x.to(dtype), b.to(dtype)
        made = lg.compile_for(
            lambda a=a, right=right: (L.ldl_solve(*L.ldl_factor(a), right), L.solve(a, right)),
            target="cuda", arch="sm_90",
        )  # fmt: skip
        assert made.cubin is not None and {"ldl_solve", "pivot_order"} <= set(made.kernels)
        assert not any(kernel.spilled_bytes for kernel in made.kernels.values())


def test_a_library_reads_only_what_was_written() -> None:
    driver, layout = EmulatedDriver(), Layout(float32, (2, 2), (2, 1))
    at = driver.allocate(16)
    with pytest.raises(KernelError, match="matrix_exp reads what nobody has written"):
        driver.compute(LibraryCall("matrix_exp", (layout,), (layout,)), [at], [driver.allocate(16)], None)
